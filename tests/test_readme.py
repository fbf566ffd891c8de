"""The README's commands and examples, run as they stand there."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(<!-- not run.*?-->\n)?```(sh|python)\n(.*?)```", re.DOTALL)
OPTIMIZE = ".venv-optimize"
"""What the commands that need PyTorch run in; `just setup-optimize` makes it."""
BLOCKS = [
    pytest.param(
        language,
        code,
        id=code.strip().splitlines()[0][:60],
        marks=pytest.mark.skipif(
            OPTIMIZE in code and not (ROOT / OPTIMIZE).exists(), reason=f"there is no {OPTIMIZE}"
        ),
    )
    for skipped, language, code in BLOCK.findall((ROOT / "README.md").read_text("utf-8"))
    if not skipped
]
TIMEOUT_S = 300


@pytest.mark.parametrize(("language", "code"), BLOCKS)
def test_the_readmes_commands_run(language: str, code: str, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    # The commands write beside the clone's files; links keep the real ones out of their reach.
    clone.mkdir()
    for entry in ROOT.iterdir():
        # A block that makes its own environment starts without one, as a new user does.
        if entry.name != ".venv" or "venv .venv" not in code:
            (clone / entry.name).symlink_to(entry)
    command = ["bash", "-emc", code] if language == "sh" else [sys.executable, "-c", code]

    with subprocess.Popen(
        command,
        cwd=clone,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env={**os.environ, "VIRTUAL_ENV": ""},
    ) as process:
        try:
            output, _ = process.communicate(timeout=TIMEOUT_S)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)

    assert process.returncode == 0, output
    results = ("card_arrival", "banking77", "records in", "wrote minilm")
    assert any(result in output for result in results), output


def test_a_result_stands_before_line_30() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()

    assert any("card_arrival" in line for line in lines[:30])
