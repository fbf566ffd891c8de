"""Makes a model of random weights, in a process of its own: a large one takes gigabytes on the way."""

from pathlib import Path

from tidemill.bench.shapes import SHAPES
from tidemill.errors import BenchError


def write(path: str, shape: str) -> None:
    """Write an artifact of the shape called `shape` to the directory `path`."""
    try:
        from tidemill.bench.encoder import write_artifact  # noqa: PLC0415 - needs onnx
    except ModuleNotFoundError as error:
        raise BenchError(
            f"models of random weights need {error.name}, which is not installed:"
            " pip install 'tidemill[bench]'"
        ) from error
    write_artifact(Path(path), SHAPES[shape])
