import orjson
from hypothesis import given
from hypothesis import strategies as st

from tidemill.errors import Empty, TooLong
from tidemill.tally import Tally

counts = st.integers(0, 1 << 40)
tallies = st.builds(
    Tally,
    records=counts,
    ok=counts,
    failed=st.dictionaries(st.sampled_from(["Empty", "TooLong", "InvalidJson"]), counts),
    blank=counts,
    truncated=counts,
    repeated=counts,
    unnumbered=counts,
    tokens=counts,
    output_bytes=counts,
    compute_s=st.floats(0, 1e6),
)


def test_failures_are_counted_by_kind_and_together() -> None:
    tally = Tally()
    for error in (Empty("a"), TooLong("b"), Empty("c")):
        tally.fail(error)
    assert tally.failed == {"Empty": 2, "TooLong": 1}
    assert tally.failures == 3


@given(tallies)
def test_a_tally_comes_back_from_json_as_it_was(tally: Tally) -> None:
    assert Tally.from_json(orjson.loads(orjson.dumps(tally.as_json()))) == tally


@given(tallies, tallies)
def test_every_count_adds_up(one: Tally, other: Tally) -> None:
    total = Tally.from_json(one.as_json())
    total.add(other)
    for name, value in total.as_json().items():
        if name != "failed":
            assert value == one.as_json()[name] + other.as_json()[name]
    assert total.failures == one.failures + other.failures
    assert total.failed.keys() == one.failed.keys() | other.failed.keys()


@given(tallies, tallies)
def test_adding_leaves_the_other_as_it_was(one: Tally, other: Tally) -> None:
    before = Tally.from_json(orjson.loads(orjson.dumps(other.as_json())))
    one.add(other)
    assert other == before
