"""What the hardware could do: its peak in int8, and the work that a model is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tidemill.artifact import Artifact
from tidemill.bench.subjects import Verbs
from tidemill.bench.work import Product, Work
from tidemill.errors import BenchError

_SECONDS_PER_SHAPE: Final = 0.1


class HardwareSubject:
    """No state but what is imported."""

    def __init__(self) -> None:
        """Know what can be asked."""
        self.verbs: Verbs = {"peak": self.peak, "work": self.work, "own_shapes": self.own_shapes}

    def peak(self, cores: int, seconds: float) -> float:
        """Billions of int8 operations a second on so many cores, at best."""
        _check_onnx()
        from tidemill.bench.products import peak_gops  # noqa: PLC0415 - needs onnx

        return peak_gops(cores, seconds)

    def work(self, path: str, variant: str, lengths: Sequence[int]) -> list[dict[str, Any]]:
        """What one text of each of `lengths` tokens takes."""
        artifact = Artifact.open(Path(path))
        return [each.as_json() for each in _work(artifact, variant, lengths)]

    def own_shapes(self, work: dict[str, Any], cores: int, side_by_side: bool) -> float:
        """Milliseconds of a text's products by weights, each at its own shape, one after another.

        On all cores together, or one on each; then it is the time for one text of so many.
        """
        _check_onnx()
        from tidemill.bench.products import best_seconds  # noqa: PLC0415 - needs onnx

        threads, runs = (1, cores) if side_by_side else (cores, 1)

        def best_ms(product: Product) -> float:
            best_s = best_seconds(
                product, threads=threads, side_by_side=runs, seconds=_SECONDS_PER_SHAPE
            )
            return best_s * 1000

        return sum(best_ms(each) * n for each, n in Work.from_json(work).weights.items())


def _work(artifact: Artifact, name: str, lengths: Sequence[int]) -> list[Work]:
    variant = artifact.variant(name)
    model = artifact.path / variant.file
    if variant.engine == "native":
        from tidemill.bench.native_work import described  # noqa: PLC0415 - as the others

        return described(model, lengths)
    if variant.engine == "openvino":
        from tidemill.bench.reshaped_work import reshaped  # noqa: PLC0415 - an extra

        weights = None if variant.weights is None else artifact.path / variant.weights
        return reshaped(model, weights, lengths)
    from tidemill.bench.traced_work import probing, traced  # noqa: PLC0415 - as the other

    return traced(model, [probing(artifact.inputs, tokens) for tokens in lengths])


def _check_onnx() -> None:
    try:
        import onnx  # noqa: F401, PLC0415
    except ModuleNotFoundError as error:
        raise BenchError(
            "the floor is measured with a graph that needs onnx, which is not installed:"
            " pip install 'tidemill[bench]'"
        ) from error
