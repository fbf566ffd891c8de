"""From a `tidemill.toml` to a Deployment."""

import hashlib
import json
import re
from pathlib import Path

from infra.config.source import Source
from infra.config.table import Table
from infra.config.values import (
    Architecture,
    Authorisation,
    Deployment,
    Endpoint,
    Routes,
    Storage,
)

MB = 1_000_000
STACK_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}")
# Endpoint names stand in URLs, in S3 keys and in the ids of stack outputs.
ENDPOINT_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
ANY_TEXT = re.compile(r".+")
# The only periods that CloudWatch Logs accepts.
# fmt: off
RETENTION_DAYS = (
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
)
# fmt: on


def load(path: Path) -> Deployment:
    """Read the deployment that a file describes, or raise a ConfigError that says what to correct."""
    source = Source.read(path)
    sections = ("deployment", "storage", "endpoints")
    document = Table(source, keys=(), values=source.parse(), known=sections)
    known = ("name", "authorisation", "alarm_email", "log_retention_days")
    table = document.table("deployment", known=known)
    return Deployment(
        name=table.text("name", default="Tidemill", rule=STACK_NAME, example="Tidemill"),
        authorisation=table.choice("authorisation", default=Authorisation.IAM),
        alarm_email=_alarm_email(table),
        log_retention_days=_retention(table),
        storage=_storage(document),
        endpoints=_endpoints(document, folder=path.parent),
    )


def _alarm_email(table: Table) -> str | None:
    if "alarm_email" not in table.names():
        return None
    return table.text("alarm_email", default=None, rule=EMAIL, example="ops@example.com")


def _retention(table: Table) -> int:
    key = "log_retention_days"
    days = table.integer(key, default=30, low=RETENTION_DAYS[0], high=RETENTION_DAYS[-1])
    if days not in RETENTION_DAYS:
        allowed = ", ".join(map(str, RETENTION_DAYS))
        raise table.fault(
            key, f"= {days} is not a period CloudWatch Logs keeps", f"Write one of {allowed}"
        )
    return days


def _storage(document: Table) -> Storage:
    table = document.table("storage", known=("versioned", "keep", "expire_jobs_days"))
    return Storage(
        versioned=table.flag("versioned", default=True),
        keep=table.flag("keep", default=True),
        expire_jobs_days=table.integer("expire_jobs_days", default=30, low=1, high=3650),
    )


def _endpoints(document: Table, *, folder: Path) -> tuple[Endpoint, ...]:
    tables = document.table("endpoints", known=None)
    endpoints: dict[str, Endpoint] = {}
    for name in tables.names():
        if not ENDPOINT_NAME.fullmatch(name):
            rule = f"is not a name that matches {ENDPOINT_NAME.pattern}"
            raise tables.fault(name, rule, "Write e.g. [endpoints.banking]")
        squeezed = name.replace("-", "")
        if squeezed in endpoints:
            twin = endpoints[squeezed].name
            raise tables.fault(
                name, f"reads the same as {twin} but for hyphens", "Rename one of them"
            )
        endpoints[squeezed] = _endpoint(tables, name, folder=folder)
    if not endpoints:
        way_out = 'Write [endpoints.<name>] and, under it, artifact = "<folder>"'
        raise document.fault(
            "endpoints", "has no entry, and nothing can be served without one", way_out
        )
    return tuple(endpoints.values())


def _endpoint(tables: Table, name: str, *, folder: Path) -> Endpoint:
    known = ("artifact", "memory_mb", "architecture", "concurrency", "timeout_s", "routes")
    table = tables.table(name, known=known)
    artifact = folder / table.text(
        "artifact", default=None, rule=ANY_TEXT, example="layers/tidemill/starter"
    )
    return Endpoint(
        name=name,
        artifact=artifact,
        digest=_digest(table, artifact),
        memory_mb=table.integer("memory_mb", default=1769, low=128, high=10240),
        architecture=table.choice("architecture", default=Architecture.ARM64),
        concurrency=table.integer("concurrency", default=10, low=2, high=1000),
        timeout_s=table.integer("timeout_s", default=300, low=10, high=900),
        routes=_routes(table),
    )


def _digest(table: Table, artifact: Path) -> str:
    """Return the sha256 of the artifact's manifest, which itself lists the sha256 of every other file."""
    try:
        manifest = (artifact / "tidemill.json").read_bytes()
        if not isinstance(json.loads(manifest), dict):
            raise ValueError("not a JSON object")  # noqa: TRY301, TRY004 -- one way out for every unreadable manifest
    except (OSError, ValueError) as error:
        problem = f"= '{artifact}' is not an artifact: its tidemill.json cannot be read ({error})"
        way_out = "Name the folder that holds tidemill.json, relative to this file"
        raise table.fault("artifact", problem, way_out) from error
    return hashlib.sha256(manifest).hexdigest()


def _routes(table: Table) -> Routes:
    routes = table.table("routes", known=("one_shard_mb", "shard_mb"))
    return Routes(
        one_shard_bytes=routes.integer("one_shard_mb", default=16, low=1, high=1024) * MB,
        shard_bytes=routes.integer("shard_mb", default=8, low=1, high=1024) * MB,
    )
