"""What a function is told by its environment variables, read when it first runs."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from handlers.job.planning import Route
from tidemill.artifact import STARTER
from tidemill.cores import available_cores

# A Lambda function has one core's worth of time per so many MB.
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
_MB_PER_CORE = 1769


class EnvironmentVariableError(Exception):
    """A variable is missing or not what it should be: the deployment is at fault."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Environment variables by name, with words for those that are missing."""

    variables: Mapping[str, str]

    @classmethod
    def of_process(cls) -> "Environment":
        return cls(os.environ)

    @property
    def bucket(self) -> str:
        return self._required("TIDEMILL_BUCKET")

    @property
    def finish_queue_url(self) -> str:
        return self._required("TIDEMILL_FINISH_QUEUE_URL")

    @property
    def endpoint(self) -> str:
        return self._required("TIDEMILL_ENDPOINT")

    @property
    def artifact(self) -> Path:
        """The artifact's directory; the starter where none is named."""
        return Path(self.variables.get("TIDEMILL_ARTIFACT", STARTER))

    @property
    def variant(self) -> str | None:
        """The variant to run; None for the first that this machine can run."""
        return self.variables.get("TIDEMILL_VARIANT")

    @property
    def memory_mb(self) -> int | None:
        """What the function was given; None outside Lambda."""
        memory_mb = self.variables.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE")
        return None if memory_mb is None else int(memory_mb)

    @property
    def cores(self) -> int:
        """Whole cores: what the function's memory buys, never more than the machine grants."""
        granted = available_cores()
        if self.memory_mb is None:
            return granted
        return max(1, min(granted, round(self.memory_mb / _MB_PER_CORE)))

    @property
    def routes(self) -> dict[str, Route]:
        """Endpoints by name, in the order of the deployment's description."""
        value = self._required("TIDEMILL_ENDPOINTS")
        try:
            return {name: Route(**route) for name, route in orjson.loads(value).items()}
        except (TypeError, ValueError, AttributeError) as error:
            raise EnvironmentVariableError(
                f"TIDEMILL_ENDPOINTS must be JSON of endpoints by name and is {value[:200]!r};"
                " deploy again"
            ) from error

    def _required(self, name: str) -> str:
        value = self.variables.get(name)
        if not value:
            raise EnvironmentVariableError(f"{name} is not set; deploy the function again")
        return value
