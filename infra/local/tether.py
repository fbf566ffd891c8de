"""Runs a program that must not outlive whoever started it: `python tether.py <module or file> [arguments]`.

Standard input is a pipe that nobody writes to. However the other end dies, kill -9 included, the pipe closes, and
this process ends with it. The file is run by path, in environments that cannot import this package.
"""

import os
import runpy
import sys
import threading
from pathlib import Path


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # The folder of this file would otherwise be searched first, and hide modules by its own names.
    sys.path[0] = str(Path.cwd())
    del sys.argv[0]
    if sys.argv[0].endswith(".py"):
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
