"""Exit codes."""

from enum import IntEnum


class Exit(IntEnum):
    """What the shell is told."""

    DONE = 0
    RECORDS_FAILED = 1
    WRONG_USE = 2
    MACHINE_FAILED = 3
    NOT_ACCURATE = 4
    INTERRUPTED = 130
    TERMINATED = 143
