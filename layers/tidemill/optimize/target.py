"""Where an artifact is to run."""

from typing import Literal

Target = Literal["this", "lambda-x86", "lambda-arm64", "inf2"]
