"""What the tests of loading do to checkpoints, and ask of what was loaded."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from tidemill.engines import Feeds


def feeds(tokens: int = 6) -> Feeds:
    ids = np.arange(10, 10 + tokens)[None]
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": ids * 0}


def change(folder: Path, name: str = "config.json", **changes: Any) -> None:  # noqa: ANN401
    file = folder / name
    described = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(described | changes), encoding="utf-8")
