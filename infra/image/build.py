"""Build an endpoint's image without deploying it: `python -m infra.image.build --help`.

`cdk deploy` builds from the same folder; this is for tests, the local demo and the curious.
"""

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

from infra.build_context import stage
from infra.config import Engine
from infra.image.platform import PLATFORMS, here
from infra.image.wheels import download

# All three take the same build flags. Docker is last: it alone needs a daemon.
ENGINES = ("podman", "buildah", "docker")


def find_engine() -> str:
    """Return the first container engine on PATH.

    Raises:
        FileNotFoundError: There is none.
    """
    for engine in ENGINES:
        if shutil.which(engine):
            return engine
    raise FileNotFoundError(
        f"none of {', '.join(ENGINES)} is on PATH, and one has to build the image"
    )


def build(
    artifact: Path,
    *,
    tag: str,
    architecture: str,
    engine: str,
    runs: Engine = Engine.ONNX,
    base_image: str | None = None,
    wheels: Path | None = None,
) -> None:
    """Build the image `tag` that serves a variant of `artifact`.

    Args:
        artifact: An artifact directory.
        tag: What the image is called.
        architecture: The processor that it is for, by the name that tidemill.toml has for it.
        engine: The container engine that builds it.
        runs: The variant's engine.
        base_image: What it starts from, instead of the image that the Dockerfile names.
        wheels: A folder into which the libraries are downloaded first; the build then needs no network.
    """
    with tempfile.TemporaryDirectory() as folder:
        context = stage(
            artifact, engine=runs, architecture=architecture, into=Path(folder) / "context"
        )
        if wheels:
            download(wheels, architecture=architecture, engine=runs)
            shutil.copytree(wheels, context / "wheels")
        command = [engine, "build", "--tag", tag, "--platform", PLATFORMS[architecture].container]
        if engine == "buildah":
            command.append("--layers")  # the others keep finished steps unasked
        if base_image:
            command += ["--build-arg", f"BASE_IMAGE={base_image}"]
        subprocess.run([*command, str(context)], check=True)  # noqa: S603 -- words of our own


def main() -> None:
    given = _parser().parse_args()
    build(
        given.artifact,
        tag=given.tag,
        architecture=given.architecture,
        engine=given.engine or find_engine(),
        runs=Engine(given.runs),
        base_image=given.base_image,
        wheels=given.wheels,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.image.build")
    parser.add_argument("artifact", type=Path, help="the artifact directory to put into the image")
    parser.add_argument("--tag", default="localhost/tidemill:latest", help="default: %(default)s")
    parser.add_argument(
        "--architecture",
        choices=sorted(PLATFORMS),
        default=here(),
        help="default: this machine's, %(default)s",
    )
    parser.add_argument(
        "--runs",
        choices=list(Engine),
        default=Engine.ONNX,
        help="the engine of the variant to run; default: %(default)s",
    )
    parser.add_argument(
        "--base-image",
        help="default: the Dockerfile's; debian-base.sh makes one where no registry is reached",
    )
    parser.add_argument(
        "--wheels",
        type=Path,
        metavar="DIR",
        help="download the libraries into DIR first, for a build that needs no network",
    )
    parser.add_argument("--engine", choices=ENGINES, help="default: the first that is installed")
    return parser


if __name__ == "__main__":
    main()
