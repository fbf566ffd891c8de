import pytest

from handlers.job.messages import FinishMessage, ShardMessage


def test_messages_are_read_back_as_they_were_written() -> None:
    assert ShardMessage.decode(ShardMessage("job", 3).encode()) == ShardMessage("job", 3)
    assert FinishMessage.decode(FinishMessage("job").encode()) == FinishMessage("job")


@pytest.mark.parametrize("body", ["", "7", "[]", "{}", '{"job": 7}', '{"job": "a", "shard": "1"}'])
def test_anything_else_is_no_shard_message(body: str) -> None:
    with pytest.raises(ValueError, match=r"not a shard message|unexpected|Expecting|empty"):
        ShardMessage.decode(body)


@pytest.mark.parametrize("body", ["", "7", "[]", "{}", '{"job": 7}'])
def test_anything_else_is_no_finish_message(body: str) -> None:
    with pytest.raises(ValueError, match=r"not a finish message|unexpected|Expecting|empty"):
        FinishMessage.decode(body)
