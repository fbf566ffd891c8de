"""The endpoints of a deployment, and the artifacts they serve."""

import re
from pathlib import Path

from infra.config.artifact import read_artifact
from infra.config.table import Table
from infra.config.values import Architecture, Endpoint, Routes
from infra.config.variants import choose_variant

MB = 1_000_000
# Names stand in URLs, in S3 keys and in the ids of stack outputs.
NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
ANY = re.compile(r".+")
# The planner's environment lists them all, and Lambda gives an environment 4 kB.
MAX_ENDPOINTS = 9


def read_endpoints(document: Table, *, folder: Path) -> tuple[Endpoint, ...]:
    """Return the endpoints in the order of the file."""
    tables = document.table("endpoints", known=None)
    endpoints: dict[str, Endpoint] = {}
    for name in tables.names():
        if not NAME.fullmatch(name):
            rule = f"is not a name that matches {NAME.pattern}"
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
    if len(endpoints) > MAX_ENDPOINTS:
        problem = f"has {len(endpoints)} entries, and a stack takes {MAX_ENDPOINTS}"
        raise document.fault("endpoints", problem, "Describe a second stack in a file of its own")
    return tuple(endpoints.values())


def _endpoint(tables: Table, name: str, *, folder: Path) -> Endpoint:
    known = (
        "artifact",
        "variant",
        "memory_mb",
        "architecture",
        "concurrency",
        "timeout_s",
        "routes",
    )
    table = tables.table(name, known=known)
    folder /= table.text("artifact", default=None, rule=ANY, example="layers/tidemill/starter")
    artifact = read_artifact(table, folder)
    memory_mb = table.integer("memory_mb", default=1769, low=128, high=10240)
    architecture = table.choice("architecture", default=Architecture.ARM64)
    variant = choose_variant(
        table,
        artifact.variants,
        name=_variant_name(table),
        architecture=architecture,
        memory_mb=memory_mb,
    )
    return Endpoint(
        name=name,
        artifact=folder,
        digest=artifact.digest,
        variant=variant,
        memory_mb=memory_mb,
        architecture=architecture,
        concurrency=table.integer("concurrency", default=10, low=2, high=1000),
        timeout_s=table.integer("timeout_s", default=300, low=10, high=900),
        routes=_routes(table),
    )


def _variant_name(table: Table) -> str | None:
    if "variant" not in table.names():
        return None
    return table.text("variant", default=None, rule=ANY, example="onnx-fp32")


def _routes(table: Table) -> Routes:
    routes = table.table("routes", known=("one_shard_mb", "shard_mb", "gzip_mb"))
    return Routes(
        one_shard_bytes=routes.integer("one_shard_mb", default=1, low=1, high=1024) * MB,
        shard_bytes=routes.integer("shard_mb", default=1, low=1, high=1024) * MB,
        gzip_bytes=routes.integer("gzip_mb", default=4, low=1, high=1024) * MB,
    )
