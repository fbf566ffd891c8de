"""One execution environment: a process of a function and the Runtime API that it polls."""

import threading
from pathlib import Path

from infra.local.command import kill_group
from infra.local.invocation import Answer, Invocation
from infra.local.launcher import Function, Launcher
from infra.local.runtime_api import RuntimeApi


class Sandbox:
    """Takes one invocation at a time; once `retired`, none.

    A process that ends or runs out of time is answered for as Lambda does, and is never used again.
    """

    def __init__(self, function: Function, *, launcher: Launcher, log: Path) -> None:
        self._function = function
        self._api = RuntimeApi(function_arn=function.arn)
        self.retired = False
        with log.open("ab") as output:
            self._process = launcher.launch(function, runtime_api=self._api.address, log=output)
        threading.Thread(target=self._watch, daemon=True).start()

    def invoke(self, invocation: Invocation) -> Answer:
        """Return the function's answer, or Lambda's in its place."""
        try:
            return self._api.exchange(invocation)
        except TimeoutError:
            self.close()
            message = f"{invocation.request_id} Task timed out after {self._function.timeout_s}.00 seconds"
            return Answer.error("Sandbox.Timedout", message)

    def close(self) -> None:
        """Kill the process; the watch cleans up after it."""
        self.retired = True
        kill_group(self._process, grace_s=0)

    def _watch(self) -> None:
        code = self._process.wait()
        self.retired = True
        ended = Answer.error("Runtime.ExitError", f"Runtime exited with status {code}")
        self._api.answer(self._api.init_error or ended)
        kill_group(self._process, grace_s=0)
        self._api.close()
        if self._process.stdin is not None:
            self._process.stdin.close()
