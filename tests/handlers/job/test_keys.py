import pytest

from handlers.job.keys import JobKeys, SourceKey, job_name


@pytest.mark.parametrize(
    ("key", "endpoint", "output"),
    [
        ("input/banking/day.jsonl", "banking", "output/banking/day.jsonl.out"),
        ("input/banking/a/b.jsonl.gz", "banking", "output/banking/a/b.jsonl.gz.out"),
        ("input/day.jsonl", None, "output/day.jsonl.out"),
        ("input/input/day.jsonl", "input", "output/input/day.jsonl.out"),
    ],
)
def test_the_output_lies_where_the_input_does_under_another_prefix(
    key: str, endpoint: str | None, output: str
) -> None:
    source = SourceKey(key)

    assert source.endpoint == endpoint
    assert source.output == output
    assert source.manifest == f"{output.removesuffix('.out')}.manifest.json"


@pytest.mark.parametrize(
    ("key", "is_jsonl"),
    [
        ("input/a.jsonl", True),
        ("input/a.JSONL", True),
        ("input/a.jsonl.gz", True),
        ("input/a.json", False),
        ("input/a.jsonl.zip", False),
        ("input/jsonl", False),
    ],
)
def test_json_lines_are_told_by_the_name(key: str, is_jsonl: bool) -> None:
    assert SourceKey(key).is_jsonl is is_jsonl


@pytest.mark.parametrize(
    ("key", "is_input"),
    [
        ("input/a.jsonl", True),
        ("input/banking/", False),
        ("output/a.jsonl.out", False),
        ("inputs/a.jsonl", False),
        ("a.jsonl", False),
    ],
)
def test_only_files_under_input_were_dropped_to_be_answered(key: str, is_input: bool) -> None:
    assert SourceKey(key).is_input is is_input


def test_a_buried_part_never_lies_where_a_scorer_writes() -> None:
    keys = JobKeys("job")

    assert keys.part(7) == "jobs/job/parts/00007.jsonl"
    assert keys.buried_part(7) == "jobs/job/parts/00007.buried.jsonl"
    assert keys.tally(7) == "jobs/job/tallies/00007.json"


def test_the_last_of_the_most_shards_sorts_last() -> None:
    keys = JobKeys("job")

    assert sorted([keys.tally(9_999), keys.tally(10), keys.tally(9)])[-1] == keys.tally(9_999)


@pytest.mark.parametrize("changed", ["bucket", "key", "version", "digest", "variant"])
def test_a_job_is_another_when_anything_about_it_is(changed: str) -> None:
    facts = {"bucket": "b", "key": "k", "version": "v", "digest": "d", "variant": "fp32"}

    assert job_name(**facts) == job_name(**facts)
    assert job_name(**facts) != job_name(**{**facts, changed: "other"})
