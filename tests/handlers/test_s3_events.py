import re

import pytest

from handlers.job.planning import CreatedObject
from handlers.s3_events import created_objects
from tests.handlers.events import load_notification


def test_a_put_tells_of_one_object_and_its_version() -> None:
    assert created_objects(load_notification("s3_put")) == [
        CreatedObject(
            key="input/banking/day.jsonl",
            etag="d41d8cd98f00b204e9800998ecf8427e",
            version_id="096fKKXTRTtl3on89fVO.nfljtsv6qko",
        )
    ]


def test_keys_come_decoded_with_their_spaces_plus_signs_and_accents() -> None:
    [created] = created_objects(load_notification("s3_put_encoded_key"))

    assert created.key == "input/banking/résumé 1+1=2 €.jsonl"


def test_one_message_may_tell_of_several_objects() -> None:
    created = created_objects(load_notification("s3_put_several_records"))

    assert [each.key.rpartition("/")[2] for each in created] == [
        "one.jsonl",
        "two.jsonl",
        "three.jsonl",
    ]


@pytest.mark.parametrize("name", ["s3_put_unversioned", "s3_put_versioning_suspended"])
def test_without_versioning_there_is_no_version(name: str) -> None:
    [created] = created_objects(load_notification(name))

    assert created.version_id is None


@pytest.mark.parametrize("name", ["s3_test", "s3_removed"])
def test_other_events_tell_of_no_object(name: str) -> None:
    assert created_objects(load_notification(name)) == []


@pytest.mark.parametrize(
    "body",
    [
        "",
        "not JSON",
        "[]",
        "{}",
        '"Records"',
        '{"Records": 7}',
        '{"Records": [7]}',
        '{"Records": [{}]}',
        '{"Records": [{"eventName": "ObjectCreated:Put"}]}',
        '{"Records": [{"eventName": "ObjectCreated:Put", "s3": {"object": {}}}]}',
    ],
)
def test_anything_else_is_refused_with_the_text_that_came(body: str) -> None:
    with pytest.raises(ValueError, match=f"not an S3 notification: {re.escape(body)}"):
        created_objects(body)
