import csv
import io

import orjson
import pytest

from tests.layers.bench.runs import journal, summarised
from tidemill.bench.summary import Summary


def test_every_figure_has_its_ratio_and_its_share_of_the_floor() -> None:
    told = summarised(journal())
    [result] = [
        each
        for each in told.results
        if (each.cell.setting.cores, each.cell.setting.tokens, each.cell.setting.batch)
        == (2, 128, 1)
    ]
    # 4 ms where 1.6 billion operations at 800 billion a second are 2 ms.
    assert result.cell.whole.p50_ms / 2 == result.cell.setting.tokens / 64
    assert result.cell.ratio == pytest.approx(4)
    assert result.share == pytest.approx(0.5)
    assert result.model_share == pytest.approx(0.5 / 0.8)
    assert result.own_shapes_share == pytest.approx((2 + 0.08) / 4)


def test_json_has_everything_and_csv_a_line_for_each_cell() -> None:
    told = summarised(journal())
    values = orjson.loads(told.as_bytes())
    assert values["complete"] is True
    assert values["peak_int8_gops_by_cores"] == {"1": 400.0, "2": 800.0}
    assert values["noise"]["distrusted"] == 1
    assert "distrusted where" in values["noise"]["rule"]
    assert len(values["cells"]) == 12
    rows = list(csv.DictReader(io.StringIO(told.as_csv())))
    assert len(rows) == 12
    assert rows[0]["doubts"] == "end to end wavers by 40%"
    assert float(rows[0]["end_to_end_p50_ms"]) == pytest.approx(0.5)
    assert float(rows[0]["ratio"]) == pytest.approx(4)


def test_what_was_interrupted_is_summed_up_and_not_called_complete() -> None:
    half = journal()
    half.entries = half.entries[:6]
    told = Summary.of(half, wanted=12)
    assert len(told.results) == 2
    assert told.as_json()["complete"] is False
    half.entries = []
    empty = Summary.of(half, wanted=12)
    assert empty.as_json()["noise"] is None
    assert empty.as_csv().strip() == ""


def test_without_a_baseline_there_is_no_ratio() -> None:
    told = summarised(journal(baseline=None))
    assert {each.cell.ratio for each in told.results} == {None}
