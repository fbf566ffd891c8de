from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from tidemill.errors import SourceError
from tidemill.manifest import Model, manifest
from tidemill.tally import Tally

STARTED = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


def written(**changes: object) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "source": "messages.jsonl",
        "output": "answers.jsonl",
        "model": Model("starter", "ab" * 32),
        "tally": Tally(records=10, ok=7, failed={"TooLong": 1, "Empty": 2}, compute_s=1.23456),
        "input_bytes": 1000,
        "started": STARTED,
        "finished": STARTED + timedelta(seconds=4),
    }
    return manifest(**(facts | changes))


def test_a_job_that_read_its_whole_source_is_complete() -> None:
    assert written()["status"] == "complete"
    assert written()["error"] is None


def test_a_job_whose_source_broke_off_is_incomplete_and_says_why() -> None:
    error = SourceError("the gzip stream is cut off").as_json()
    result = written(error=error)
    assert result["status"] == "incomplete"
    assert result["error"] == {"type": "SourceError", "message": "the gzip stream is cut off"}


def test_a_status_that_is_given_stands() -> None:
    assert written(status="superseded", output=None, model=None)["status"] == "superseded"


def test_a_job_without_output_or_model_says_null() -> None:
    result = written(output=None, model=None, status="failed")
    assert result["output"] is None
    assert result["model"] is None


def test_times_are_iso_with_their_zone_and_the_rate_is_by_wall_time() -> None:
    result = written()
    assert result["started"] == "2026-03-01T12:00:00.123+00:00"
    assert result["wall_s"] == pytest.approx(4.0)
    assert result["records_per_s"] == pytest.approx(2.5)
    assert result["compute_s"] == pytest.approx(1.235)


def test_a_job_that_took_no_time_has_a_rate_all_the_same() -> None:
    assert written(finished=STARTED)["records_per_s"] > 0


def test_errors_are_counted_in_the_order_of_their_names() -> None:
    assert list(written()["failed"]) == ["Empty", "TooLong"]


def test_a_manifest_is_json() -> None:
    assert orjson.loads(orjson.dumps(written())) == written()
