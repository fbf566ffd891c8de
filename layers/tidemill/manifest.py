"""What a finished job says of itself, beside its output."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from tidemill.tally import Tally

Status = Literal["complete", "incomplete", "failed", "superseded"]
"""All records answered; the source broke off and what came before is answered; no output; no
output because a newer object took the source's place."""


@dataclass(frozen=True, slots=True)
class Model:
    """Which model answered: its artifact's name and digest, and which of its variants."""

    name: str
    digest: str
    variant: str | None = None
    """None where nothing was answered, or by a Tidemill that did not say."""


def manifest(
    *,
    source: str,
    output: str | None,
    model: Model | None,
    tally: Tally,
    input_bytes: int,
    started: datetime,
    finished: datetime,
    error: Mapping[str, str] | None = None,
    status: Status | None = None,
) -> dict[str, Any]:
    """The manifest as a JSON object.

    Times are ISO 8601, `wall_s` counts from start to finish, `compute_s` adds up the seconds of all
    workers, `records_per_s` is records by wall time. `error` is what a `TidemillError` says
    `as_json`.
    """
    wall_s = max((finished - started).total_seconds(), 1e-6)
    return {
        "status": status or ("incomplete" if error else "complete"),
        "source": source,
        "output": output,
        "model": None if model is None else asdict(model),
        "records": tally.records,
        "ok": tally.ok,
        "failed": _sorted(tally.failed),
        "blank": tally.blank,
        "truncated": tally.truncated,
        "repeated": tally.repeated,
        "tokens": tally.tokens,
        "input_bytes": input_bytes,
        "output_bytes": tally.output_bytes,
        "started": started.isoformat(timespec="milliseconds"),
        "finished": finished.isoformat(timespec="milliseconds"),
        "wall_s": round(wall_s, 3),
        "compute_s": round(tally.compute_s, 3),
        "records_per_s": round(tally.records / wall_s, 1),
        "error": None if error is None else dict(error),
    }


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))
