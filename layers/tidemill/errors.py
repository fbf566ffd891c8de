"""The error tree: whose fault it is, and whether trying again can help.

    TidemillError
    ├── RecordError            one record's fault; it gets its own error, nobody else notices
    │   ├── InvalidJson        the line is not JSON
    │   ├── Validation         JSON of the wrong shape, or a parameter out of range
    │   ├── Empty              a text with nothing in it
    │   ├── TooLarge           a line or text beyond the size limit
    │   ├── TooLong            more tokens than the model takes, and truncation was declined
    │   ├── NonFinite          the model answered NaN or infinity
    │   └── Buried             its shard failed on every try
    ├── SourceError            a file broken part-way; what came before the break still counts
    ├── ArtifactError          the artifact is not what it says it is
    ├── OptimizeError          the checkpoint cannot be made into an artifact
    ├── BenchError             the benchmark cannot be run as it was asked for
    └── EngineError            the machine failed; the same work may succeed elsewhere or later

A record error's class name is its `type` in every answer, so renaming one changes the wire format.
"""

from typing import ClassVar


class TidemillError(Exception):
    """Any failure that Tidemill foresees; its text names the value, the rule and the way out."""

    retryable: ClassVar[bool] = False

    @property
    def type(self) -> str:
        """The name that answers and manifests carry."""
        return type(self).__name__

    def as_json(self) -> dict[str, str]:
        """The error as answers and manifests carry it."""
        return {"type": self.type, "message": str(self)}


class RecordError(TidemillError):
    """One record cannot be answered; trying it again gives the same error."""


class InvalidJson(RecordError): ...


class Validation(RecordError): ...


class Empty(RecordError): ...


class TooLarge(RecordError): ...


class TooLong(RecordError): ...


class NonFinite(RecordError): ...


class Buried(RecordError): ...


class SourceError(TidemillError):
    """The source broke off; records before the break are answered, what follows is lost."""


class ArtifactError(TidemillError):
    """An artifact was refused; no input can be answered until it is mended."""


class OptimizeError(TidemillError):
    """A checkpoint was refused, or came out of the export with other answers than it went in."""


class BenchError(TidemillError):
    """A benchmark was asked for that this machine, the model or the files there do not allow."""


class EngineError(TidemillError):
    """The engine failed on input that is fine."""

    retryable = True
