"""Work for child processes; they import it by name, so it lies in a module of its own."""

import os
import signal
import sys
import time
from pathlib import Path


def ends_with(code: int) -> int:
    return code


def dies_by(number: int) -> int:
    """As the kernel kills whoever takes more memory than there is."""
    os.kill(os.getpid(), number)
    return 0


def waits_and_tidies_up(folder: Path) -> int:
    """Leave a file while at work, and say so."""
    file = folder / "half-done"
    file.touch()
    try:
        _say("at work")
        time.sleep(60)
    finally:
        # Long enough for a second signal to interrupt it, if there were one.
        time.sleep(0.2)
        file.unlink()
    return 0


def finishes_what_it_is_told_to_leave() -> int:
    """Be done before the signal is noticed."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _say("at work")
    time.sleep(0.5)
    return 0


def tells_its_streams() -> int:
    """Whether the streams can be used, on what is left of them."""
    _say(str(None not in (sys.stdin, sys.stdout, sys.stderr)))
    _say("\N{SNOWMAN}")
    return 0


def _say(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()
