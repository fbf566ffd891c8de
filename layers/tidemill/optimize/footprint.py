"""How much memory a process takes that runs a variant."""

from pathlib import Path
from typing import Final

from tidemill.variant import Variant

_MB: Final = 1 << 20
