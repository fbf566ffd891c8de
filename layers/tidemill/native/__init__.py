"""Tidemill's own kernels for encoders, in C."""

from pathlib import Path


def library() -> Path | None:
    return Path(__file__).parent / "encoder-linux-x86_64.so"
