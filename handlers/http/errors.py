"""From an error to a status and a body."""

from tidemill.errors import Empty, EngineError, InvalidJson, TidemillError, TooLarge


class UnsupportedMediaType(TidemillError):  # noqa: N818  names are error types on the wire
    """The body is said to be something else than JSON."""


class NotFound(TidemillError):  # noqa: N818
    """There is nothing at this path."""


class MethodNotAllowed(TidemillError):  # noqa: N818
    """The path exists, for another method."""


class Internal(TidemillError):  # noqa: N818
    """A fault of ours; the log has it."""


_STATUS: dict[type[TidemillError], int] = {
    InvalidJson: 400,
    Empty: 400,
    NotFound: 404,
    MethodNotAllowed: 405,
    TooLarge: 413,
    UnsupportedMediaType: 415,
    Internal: 500,
    EngineError: 503,
}
# JSON of the wrong shape, and texts that cannot be answered.
_OTHERS = 422


def status(error: TidemillError) -> int:
    """The HTTP status for an error."""
    return _STATUS.get(type(error), _OTHERS)


def body(error: TidemillError) -> dict[str, str]:
    """The body for an error, in the form of text-embeddings-inference."""
    # Paths and headers can hold lone surrogates, which are no text that JSON can carry.
    words = str(error).encode("utf-8", "replace").decode()
    return {"error": words, "error_type": error.type}
