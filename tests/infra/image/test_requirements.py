"""What the image installs is what the lock file says."""

from infra.image.requirements import FILE, PRUNED, export


def test_the_requirements_are_those_of_the_lock_file() -> None:
    assert export() == FILE.read_text(), "run `just requirements`"


def test_no_library_that_the_functions_never_import_is_installed() -> None:
    installed = {line.partition("==")[0] for line in FILE.read_text().splitlines() if "==" in line}

    assert not installed & {*PRUNED, "torch", "transformers", "uvicorn"}


def test_every_file_is_pinned_by_its_hash() -> None:
    lines = FILE.read_text().splitlines()

    assert all(line.endswith("\\") for line in lines if "==" in line)
