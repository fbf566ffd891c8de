"""The Lambda Runtime API, for one process that asks for one event after the other.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

import re
from queue import Empty, Queue

from infra.local.http_server import JsonHandler, LoopbackServer
from infra.local.invocation import Answer, Invocation

VERSION = "/2018-06-01/runtime"
OUTCOME = re.compile(rf"{VERSION}/invocation/([^/]+)/(response|error)")
ACCEPTED = b'{"status":"OK"}'


class RuntimeApi:
    """Hands invocations to whoever polls `address`, one at a time."""

    def __init__(self, *, function_arn: str) -> None:
        self._function_arn = function_arn
        self._events: Queue[Invocation | None] = Queue()
        self._answers: Queue[Answer] = Queue()
        self._current: str | None = None
        self.init_error: Answer | None = None
        self._server = LoopbackServer(self._handler())
        self.address = self._server.address

    def exchange(self, invocation: Invocation) -> Answer:
        """Return the process's answer; TimeoutError when there is none by the deadline."""
        self._current = invocation.request_id
        self._events.put(invocation)
        try:
            return self._answers.get(timeout=invocation.seconds_left())
        except Empty as error:
            raise TimeoutError from error
        finally:
            self._current = None

    def answer(self, answer: Answer) -> None:
        """Answer in the process's place: it has ended."""
        self._answers.put(answer)

    def close(self) -> None:
        """End the polls and the server."""
        self._events.put(None)
        self._server.close()

    def _handler(self) -> type[JsonHandler]:
        api = self

        class Handler(JsonHandler):
            def do_GET(self) -> None:  # noqa: N802 -- http.server's name
                if self.path != f"{VERSION}/invocation/next":
                    self.reply_not_found()
                elif (invocation := api._events.get()) is None:
                    self.close_connection = True
                else:
                    headers = {
                        "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
                        "Lambda-Runtime-Deadline-Ms": str(invocation.deadline_ms),
                        "Lambda-Runtime-Invoked-Function-Arn": api._function_arn,
                        "Lambda-Runtime-Trace-Id": invocation.trace_id,
                    }
                    self.reply(200, invocation.event, headers=headers)

            def do_POST(self) -> None:  # noqa: N802 -- http.server's name
                body = self.body()
                outcome = OUTCOME.fullmatch(self.path)
                if self.path == f"{VERSION}/init/error":
                    # The process is about to end, and the caller hears of it then.
                    api.init_error = Answer(body=body, failed=True)
                elif outcome is None:
                    self.reply_not_found()
                    return
                elif outcome[1] != api._current:
                    # Late: the caller has been told of a time-out.
                    self.reply(400, b'{"errorType":"InvalidRequestID"}')
                    return
                else:
                    api.answer(Answer(body=body, failed=outcome[2] == "error"))
                self.reply(202, ACCEPTED)

        return Handler
