"""Functions run as they are after a deployment, without one."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import orjson
import pytest

from infra.local.invocation import Invocation
from infra.local.launcher import Function, ProcessLauncher
from infra.local.pool import Pool

MakePool = Callable[..., Pool]


@pytest.fixture
def make_pool(tmp_path: Path) -> Iterator[MakePool]:
    """Return what makes the pool of one of `small_functions`."""
    pools: list[Pool] = []
    launcher = ProcessLauncher(
        endpoint_url="http://127.0.0.1:9",
        artifacts={"banking": tmp_path / "artifact"},
        default="banking",
        home=tmp_path,
    )

    def make(
        handler: str, *, module: str = "small_functions", most: int = 1, timeout_s: int = 20
    ) -> Pool:
        function = Function(
            name="small",
            arn="arn:aws:lambda:us-east-1:000000000000:function:small",
            handler=f"tests.infra.local.{module}.{handler}",
            environment={"GREETING": "hello"},
            timeout_s=timeout_s,
            memory_mb=512,
        )
        pool = Pool(function, launcher=launcher, log=tmp_path / "small.log", most=most)
        pools.append(pool)
        return pool

    yield make
    for pool in pools:
        pool.close()


def invocation(event: object = None, *, timeout_s: float = 20) -> Invocation:
    """Return a call that is to be answered within `timeout_s`."""
    return Invocation(
        event=orjson.dumps(event),
        request_id=str(uuid4()),
        deadline_ms=int((time.time() + timeout_s) * 1000),
    )
