"""From a `tidemill.toml` to a Deployment."""

import re
from pathlib import Path

from infra.config.endpoints import read_endpoints
from infra.config.source import Source
from infra.config.table import Table
from infra.config.values import Authorisation, Deployment, Storage

STACK_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
# The only periods that CloudWatch Logs accepts.
# fmt: off
RETENTION_DAYS = (
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731,
    1096, 1827, 2192, 2557, 2922, 3288, 3653,
)
# fmt: on


def load(path: Path) -> Deployment:
    """Read the deployment that a file describes; a ConfigError says what to correct in it."""
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
        endpoints=read_endpoints(document, folder=path.parent),
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
