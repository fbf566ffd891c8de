import gzip
import random
import tracemalloc
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidemill.errors import SourceError
from tidemill.gzip import MAX_RATIO, Gunzip, Gzip

STEP: Final = 1 << 14
"""Compressed bytes that stand or fall together."""

members = st.lists(st.binary(max_size=200), max_size=5)
seeds = st.integers(0, 1 << 32)


def pack(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def cut(data: bytes, seed: int, largest: int = 50) -> Iterator[bytes]:
    chance = random.Random(seed)
    position = 0
    while position < len(data):
        size = chance.randint(0, largest)
        yield data[position : position + size]
        position += size


def unpack(chunks: Iterable[bytes]) -> tuple[bytes, SourceError | None]:
    gunzip = Gunzip(chunks)
    return b"".join(gunzip), gunzip.error


def text(length: int) -> bytes:
    """Text that hardly compresses, so that it takes several steps."""
    return random.Random(length).randbytes(length // 2).hex().encode()


@given(members, seeds)
def test_members_are_read_one_after_the_other(contents: list[bytes], seed: int) -> None:
    stream = b"".join(pack(content) for content in contents)
    assert unpack(cut(stream, seed)) == (b"".join(contents), None)


@given(members.filter(bool), st.integers(0, 100), seeds)
def test_zeros_after_a_member_are_padding(contents: list[bytes], zeros: int, seed: int) -> None:
    stream = b"".join(pack(content) + bytes(zeros) for content in contents)
    assert unpack(cut(stream, seed)) == (b"".join(contents), None)


@given(members.filter(bool), st.binary(min_size=1, max_size=20), seeds)
def test_garbage_after_a_member_is_an_error_and_the_content_stands(
    contents: list[bytes], garbage: bytes, seed: int
) -> None:
    stream = b"".join(pack(content) for content in contents)
    content, error = unpack(cut(stream + b"!" + garbage, seed))
    assert content == b"".join(contents)
    assert error is not None
    assert "what follows the gzip stream is not gzip" in str(error)


@given(members.filter(bool), st.data(), seeds)
def test_a_stream_cut_anywhere_gives_a_prefix_and_an_error_unless_between_members(
    contents: list[bytes], data: st.DataObject, seed: int
) -> None:
    packed = [pack(content) for content in contents]
    ends = {sum(map(len, packed[:count])) for count in range(len(packed) + 1)}
    stream = b"".join(packed)
    length = data.draw(st.integers(0, len(stream)))
    content, error = unpack(cut(stream[:length], seed))
    assert b"".join(contents).startswith(content)
    assert (error is None) == (length in ends)


def test_nothing_is_lost_before_the_cut() -> None:
    whole = text(200_000)
    stream = pack(whole)[:-1000]
    expected = zlib.decompressobj(31).decompress(stream)
    content, error = unpack(cut(stream, 1, 5000))
    assert content == expected
    assert error is not None
    assert f"cut off after {len(content)} bytes of content" in str(error)


@given(st.binary(max_size=400), seeds)
def test_bytes_that_are_no_gzip_never_make_it_fail(data: bytes, seed: int) -> None:
    content, error = unpack(cut(data, seed))
    assert content == b""
    assert (error is None) == (data == b"")


@settings(max_examples=40)
@given(st.integers(0, 99_999), st.integers(1, 255), seeds)
def test_a_damaged_stream_gives_the_same_content_however_it_arrives(
    place: int, damage: int, seed: int
) -> None:
    stream = bytearray(pack(text(100_000)))
    stream[place % len(stream)] ^= damage
    at_once = unpack([bytes(stream)])
    in_pieces = unpack(cut(bytes(stream), seed, 3 * STEP))
    assert in_pieces[0] == at_once[0]
    assert str(in_pieces[1]) == str(at_once[1])


def test_what_stands_a_step_before_the_damage_is_kept() -> None:
    whole = text(400_000)
    stream = bytearray(pack(whole))
    damaged_at = 8 * STEP
    stream[damaged_at : damaged_at + 64] = b"\xff" * 64
    content, error = unpack([bytes(stream)])
    assert error is not None
    sound = zlib.decompressobj(31).decompress(bytes(stream[: damaged_at - STEP]))
    assert content.startswith(sound)


def test_a_wrong_checksum_is_an_error() -> None:
    stream = bytearray(pack(text(1000)))
    stream[-5] ^= 1
    _, error = unpack([bytes(stream)])
    assert error is not None
    assert "damaged after" in str(error)
    assert "upload it again" in str(error)


@pytest.mark.parametrize("between", [b"", b"\0" * 600])
def test_a_file_of_many_tiny_members_is_read_like_any_other(between: bytes) -> None:
    member = pack(b"a\n") + between
    content, error = unpack([member * 20_000])
    assert content == b"a\n" * 20_000
    assert error is None


def test_a_bomb_is_refused_before_it_fills_memory() -> None:
    block = bytes(1 << 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(block) for _ in range(80)) + packer.flush()
    written = 0
    gunzip = Gunzip([bomb])
    tracemalloc.start()
    try:
        for content in gunzip:
            written += len(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(gunzip.error, SourceError)
    assert f"over the limit of {MAX_RATIO}" in str(gunzip.error)
    assert written <= 65 << 20
    assert peak < 4 << 20


def test_a_small_file_may_compress_as_well_as_it_likes() -> None:
    content = bytes(20 << 20)
    assert len(pack(content)) * MAX_RATIO < len(content)
    assert unpack([pack(content)]) == (content, None)


@given(st.lists(st.binary(max_size=300), max_size=10))
def test_what_is_packed_is_unpacked(contents: list[bytes]) -> None:
    packer = Gzip()
    stream = b"".join(packer.add(content) for content in contents) + packer.finish()
    assert gzip.decompress(stream) == b"".join(contents)


def test_packed_bytes_depend_on_the_content_alone() -> None:
    def packed() -> bytes:
        packer = Gzip()
        return packer.add(b"where is my card\n" * 100) + packer.finish()

    first = packed()
    assert first == packed()
    assert first[4:8] == bytes(4), "the header holds no time"
