"""What the images install is what the lock file says."""

import pytest

from infra.config import Engine
from infra.image.requirements import FILES, PRUNED, export

each = pytest.mark.parametrize("engine", Engine)


def installed(engine: Engine) -> set[str]:
    lines = FILES[engine].read_text().splitlines()
    return {line.partition("==")[0] for line in lines if "==" in line}


@each
def test_the_requirements_are_those_of_the_lock_file(engine: Engine) -> None:
    assert export(engine) == FILES[engine].read_text(), "run `just requirements`"


@each
def test_no_library_that_the_functions_never_import_is_installed(engine: Engine) -> None:
    assert not installed(engine) & {*PRUNED, "torch", "transformers", "uvicorn"}


@each
def test_every_file_is_pinned_by_its_hash(engine: Engine) -> None:
    lines = FILES[engine].read_text().splitlines()

    assert all(line.endswith("\\") for line in lines if "==" in line)


def test_openvino_is_all_that_its_image_has_beyond_the_other() -> None:
    assert installed(Engine.OPENVINO) - installed(Engine.ONNX) == {"openvino"}
