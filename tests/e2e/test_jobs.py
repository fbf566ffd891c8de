"""Files dropped into the bucket, and everything that happens until their predictions stand beside."""

import gzip
import json

import pytest

from infra.local.api_client import ApiClient
from infra.local.stack import LocalStack
from tests.e2e.bucket import Bucket, jsonl
from tests.e2e.poison import POISON

pytestmark = pytest.mark.e2e

MB = 1_000_000
TEXTS = ["lost my card", "where is my money", "transfer fee", "help please", "the phone"]


def records(count: int, *, padding: int = 0) -> list[dict[str, object]]:
    """Return records that are about `padding` bytes long each."""
    note = "x" * padding
    return [{"id": n, "inputs": TEXTS[n % len(TEXTS)], "note": note} for n in range(count)]


def test_a_dropped_file_gets_one_answer_a_line_in_its_order(bucket: Bucket, api: ApiClient) -> None:
    result = bucket.score("labels/happy.jsonl", jsonl(records(20)))

    assert result.manifest["status"] == "complete"
    assert result.manifest["records"] == result.manifest["ok"] == 20
    assert result.ids == list(range(20))
    assert result.lines[0]["output"] == api.post("/predict", {"inputs": TEXTS[0]}).json()


def test_a_file_of_an_embedder_gets_vectors(bucket: Bucket) -> None:
    result = bucket.score("vectors/some.jsonl", jsonl(records(3)))

    assert [len(line["output"]) for line in result.lines] == [8, 8, 8]


def test_a_large_file_is_scored_in_shards_and_joined_in_order(bucket: Bucket) -> None:
    content = jsonl(records(700, padding=5_000))

    result = bucket.score("labels/large.jsonl", content)

    assert result.manifest["shards"] == -(-len(content) // MB)
    assert result.ids == list(range(700))
    assert result.manifest["ok"] == 700


def test_records_without_an_id_are_numbered_through_all_shards(bucket: Bucket) -> None:
    note = "x" * 5_000
    content = jsonl({"inputs": "help", "note": note} for _ in range(300))

    result = bucket.score("labels/unnumbered.jsonl", content)

    assert result.manifest["shards"] == 2
    assert result.ids == list(range(300))


def test_a_bad_line_is_an_error_line_and_the_others_are_answered(bucket: Bucket) -> None:
    lines = [b'{"id":"a","inputs":"help"}', b"{not json", b'{"id":"c"}', b'{"id":"d","inputs":""}']

    result = bucket.score("labels/bad-lines.jsonl", b"\n".join(lines))

    kinds = [line.get("error", {}).get("type") for line in result.lines]
    assert kinds == [None, "InvalidJson", "Validation", "Empty"]
    assert result.manifest["failed"] == {"Empty": 1, "InvalidJson": 1, "Validation": 1}


def test_a_gzip_file_gets_a_gzip_answer(bucket: Bucket) -> None:
    bucket.drop("labels/packed.jsonl.gz", gzip.compress(jsonl(records(50))))

    manifest = bucket.manifest("labels/packed.jsonl.gz")
    output = bucket.get("output/labels/packed.jsonl.gz.out") or b""

    assert manifest["status"] == "complete"
    lines = [json.loads(line) for line in gzip.decompress(output).splitlines()]
    assert [line["id"] for line in lines] == list(range(50))


@pytest.mark.parametrize(
    "name", ["with space.jsonl", "one+one.jsonl", "käärme 鍵.jsonl", "100%25 & a=b?.jsonl"]
)
def test_a_key_of_any_characters_is_found_again(bucket: Bucket, name: str) -> None:
    result = bucket.score(f"labels/folder/{name}", jsonl(records(2)))

    assert result.ids == [0, 1]
    assert result.manifest["source"].endswith(f"input/labels/folder/{name}")


def test_an_event_that_comes_twice_is_one_job(bucket: Bucket, local: LocalStack) -> None:
    first = bucket.score("labels/twice.jsonl", jsonl(records(5)))
    head = bucket.s3.head_object(Bucket=bucket.name, Key="input/labels/twice.jsonl")
    described = {
        "key": "input/labels/twice.jsonl",
        "size": head["ContentLength"],
        "eTag": head["ETag"].strip('"'),
        "versionId": head["VersionId"],
    }
    event = {
        "eventName": "ObjectCreated:Put",
        "s3": {"bucket": {"name": bucket.name}, "object": described},
    }
    before = bucket.keys("jobs/")

    for _ in range(3):
        local.clients.sqs.send_message(
            QueueUrl=local.outputs["IntakeQueueUrl"], MessageBody=json.dumps({"Records": [event]})
        )
    # A file dropped later is done only after its own turn in the same queues.
    bucket.score("labels/after-twice.jsonl", jsonl(records(1)))

    again = bucket.result("labels/twice.jsonl")
    assert again == first
    assert set(before) <= set(bucket.keys("jobs/"))
    assert sum(f"/{first.manifest['job']}/plan" in f"/{key}" for key in bucket.keys("jobs/")) == 1


def test_a_shard_that_kills_its_process_is_buried_and_the_rest_is_answered(bucket: Bucket) -> None:
    sound = records(450, padding=5_000)
    sound[220]["inputs"] = POISON

    result = bucket.score("labels/poisoned.jsonl", jsonl(sound))

    buried = result.manifest["failed"]["Buried"]
    assert result.manifest["shards"] == 3
    assert 0 < buried < 250
    assert result.manifest["ok"] == 450 - buried
    assert result.ids == list(range(450))
    assert result.lines[220]["error"]["type"] == "Buried"
    assert "output" in result.lines[0]
    assert "output" in result.lines[449]


def test_a_file_that_is_overwritten_ends_with_the_answers_of_the_newer(bucket: Bucket) -> None:
    bucket.drop("labels/changing.jsonl", jsonl(records(700, padding=2_000)))
    bucket.drop("labels/changing.jsonl", jsonl(records(3)))

    result = bucket.result("labels/changing.jsonl", when=lambda manifest: manifest["records"] == 3)

    assert result.ids == [0, 1, 2]


def test_an_endpoint_that_does_not_exist_is_refused_beside_the_file(bucket: Bucket) -> None:
    bucket.drop("nobody/lost.jsonl", jsonl(records(1)))

    manifest = bucket.manifest("nobody/lost.jsonl")

    assert manifest["status"] == "failed"
    assert "nobody" in manifest["error"]["message"]
    assert "input/labels/" in manifest["error"]["message"]


def test_a_file_that_is_not_jsonl_is_refused_beside_the_file(bucket: Bucket) -> None:
    bucket.drop("labels/notes.txt", b"hello")

    manifest = bucket.manifest("labels/notes.txt")

    assert manifest["status"] == "failed"
    assert ".jsonl" in manifest["error"]["message"]


def test_an_empty_file_has_an_empty_answer(bucket: Bucket) -> None:
    result = bucket.score("labels/empty.jsonl", b"")

    assert result.manifest["status"] == "complete"
    assert result.lines == []
