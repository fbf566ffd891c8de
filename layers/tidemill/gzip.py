"""Gzip as a stream: several members, broken ends, and bombs."""

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from tidemill.errors import SourceError

# Text compresses 3 to 20 times, repetitive JSON up to about 100; a bomb reaches 1,000.
MAX_RATIO: Final = 200
# Below this a high ratio does no harm.
_HARMLESS_BYTES = 64 << 20
_STEP_BYTES = 1 << 18
_STEP_READ_BYTES = 1 << 14
_GZIP_ONLY = 16 + zlib.MAX_WBITS
MAGIC: Final = b"\x1f\x8b"


class Gunzip:
    """The content of a gzip stream, as much of it as can be had.

    Iterate first, then look at `error`: None, or what cut the stream short.
    """

    def __init__(self, chunks: Iterable[bytes]) -> None:
        """Read compressed bytes from `chunks`."""
        self._chunks = chunks
        self._read = 0
        self._written = 0
        self._complete = 0
        self._member: zlib._Decompress | None = None
        self.error: SourceError | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._members()
        except zlib.error as error:
            self.error = SourceError(
                f"the gzip stream is damaged after {self._written} bytes of content: {error};"
                " upload it again"
            )
        except SourceError as error:
            self.error = error

    def _members(self) -> Iterator[bytes]:
        for data in _steps(self._chunks):
            self._read += len(data)
            yield from self._step(data)
        if self._member is not None:
            raise SourceError(
                f"the gzip stream is cut off after {self._written} bytes of content;"
                " upload it again"
            )

    def _step(self, data: bytes) -> Iterator[bytes]:
        rest = data
        while rest := rest if self._member else self._next_member(rest):
            self._member = member = self._member or zlib.decompressobj(_GZIP_ONLY)
            yield from self._content(member, rest)
            rest = member.unused_data
            if member.eof:
                self._member = None
                self._complete += 1

    def _next_member(self, data: bytes) -> bytes:
        if not self._complete:
            return data
        # The gzip command skips zeros after a member too: tapes and block devices pad with them.
        data = data.lstrip(b"\0")
        if not data.startswith(MAGIC[: len(data)]):
            raise SourceError(
                f"what follows the gzip stream is not gzip, after {self._written} bytes of content;"
                " the records before it are answered"
            )
        return data

    def _content(self, member: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
        content = b""
        # A full step may have left content behind inside the decompressor, with no input left.
        while not member.eof and (data or len(content) == _STEP_BYTES):
            content = member.decompress(data, _STEP_BYTES)
            data = member.unconsumed_tail
            self._written += len(content)
            if self._written > max(_HARMLESS_BYTES, MAX_RATIO * self._read):
                raise SourceError(
                    f"the gzip stream grew {self._written // self._read} times, over the limit of"
                    f" {MAX_RATIO}; upload it uncompressed if it is not a bomb"
                )
            if content:
                yield content


def _steps(chunks: Iterable[bytes]) -> Iterator[bytes]:
    # What follows a member's end is copied for the next member: small steps keep that cheap in a
    # file of many tiny members. Equal steps, since a damaged step is lost as a whole: how the bytes
    # arrived must not decide which records are still answered.
    rest = b""
    for chunk in chunks:
        data = rest + chunk
        whole = len(data) - len(data) % _STEP_READ_BYTES
        for start in range(0, whole, _STEP_READ_BYTES):
            yield data[start : start + _STEP_READ_BYTES]
        rest = data[whole:]
    if rest:
        yield rest


class Gzip:
    """A compressor whose bytes depend on the content alone: no name, no time."""

    def __init__(self) -> None:
        """Start a stream of one member."""
        self._member = zlib.compressobj(6, zlib.DEFLATED, _GZIP_ONLY)

    def add(self, content: bytes) -> bytes:
        """Compressed bytes that are ready; may be none yet."""
        return self._member.compress(content)

    def finish(self) -> bytes:
        """The rest of the stream."""
        return self._member.flush()
