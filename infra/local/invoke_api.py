"""Lambda's Invoke API, which the emulator calls in place of running functions itself."""

import re
import time
from collections.abc import Mapping
from uuid import uuid4

from infra.local.http_server import JsonHandler, LoopbackServer
from infra.local.invocation import Invocation
from infra.local.pool import Pool

PATH = "/2015-03-31/functions/{name}/invocations"
INVOCATIONS = re.compile(PATH.format(name="([^/]+)"))


class InvokeApi:
    """Routes each call to the pool of the function that its path names."""

    def __init__(self, pools: Mapping[str, Pool]) -> None:
        self._pools = pools
        self._server = LoopbackServer(self._handler())

    def url(self, name: str) -> str:
        """Return where a function is invoked."""
        return f"http://{self._server.address}{PATH.format(name=name)}"

    def close(self) -> None:
        """Take no more calls."""
        self._server.close()

    def _handler(self) -> type[JsonHandler]:
        pools = self._pools

        class Handler(JsonHandler):
            def do_POST(self) -> None:  # noqa: N802 -- http.server's name
                event = self.body()
                path = INVOCATIONS.fullmatch(self.path)
                pool = pools.get(path[1]) if path else None
                if pool is None:
                    self.reply_not_found()
                    return
                answer = pool.invoke(
                    Invocation(
                        event=event,
                        request_id=self.headers.get("X-Amzn-Lambda-Request-Id") or str(uuid4()),
                        deadline_ms=int((time.time() + pool.function.timeout_s) * 1000),
                    )
                )
                # Lambda says 200 to a function error, and tells it in a header. The emulator goes by the status.
                self.reply(500 if answer.failed else 200, answer.body)

        return Handler
