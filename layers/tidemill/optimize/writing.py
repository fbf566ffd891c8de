"""An artifact's description, written for what lies in its directory."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from tidemill.files import MANIFEST, TOKENIZER
from tidemill.optimize.facts import Facts
from tidemill.variant import Variant


def write_description(folder: Path, facts: Facts, variants: Iterable[Variant]) -> None:
    """Write `tidemill.json` for the tokenizer and the files of `variants`, which lie in `folder`."""
    variants = tuple(variants)
    names = dict.fromkeys([TOKENIZER, *(name for each in variants for name in each.files)])
    description = {
        **facts.as_json(),
        "variants": [_listed(variant) for variant in variants],
        "files": {name: _measured(folder / name) for name in sorted(names)},
    }
    written = orjson.dumps(description, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    (folder / MANIFEST).write_bytes(written)


def _listed(variant: Variant) -> Mapping[str, Any]:
    listed = {
        "name": variant.name,
        "engine": variant.engine,
        "file": variant.file,
        "weights": variant.weights,
        "precision": variant.precision,
        "requires": list(variant.requires),
        "memory_mb": variant.memory_mb,
        "neighbours": variant.neighbours,
        "options": dict(variant.options),
    }
    return {key: value for key, value in listed.items() if value not in (None, [], {})}


def _measured(file: Path) -> Mapping[str, int | str]:
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return {"bytes": file.stat().st_size, "sha256": digest}
