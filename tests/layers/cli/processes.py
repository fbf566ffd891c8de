"""Commands as processes of their own, which can be sent signals."""

import os
import shlex
import subprocess
import sys
from pathlib import Path


def started(
    folder: Path, script: str, *arguments: object, redirected: str = "", **environment: str
) -> "subprocess.Popen[str]":
    """Run the Python `script`, put into `folder`, as the leader of a new process group.

    `redirected` is what a shell would be told after the command, such as `2>&-`.
    """
    file = folder / "run.py"
    file.write_text(script, encoding="utf-8")
    command = shlex.join([sys.executable, str(file), *map(str, arguments)])
    return subprocess.Popen(
        ["/bin/sh", "-c", f"exec {command} {redirected}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
    )
