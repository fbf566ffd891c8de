"""The execution environments of one function: none while idle, one more for each call that finds none free."""

import threading
from pathlib import Path

from infra.local.invocation import Answer, Invocation
from infra.local.launcher import Function, Launcher
from infra.local.sandbox import Sandbox


class Pool:
    """Scales a function as Lambda does, up to `most` processes; calls beyond that wait for a free one."""

    def __init__(self, function: Function, *, launcher: Launcher, log: Path, most: int) -> None:
        self.function = function
        self.log = log
        self._launcher = launcher
        self._places = threading.Semaphore(most)
        self._lock = threading.Lock()
        self._idle: list[Sandbox] = []
        self._all: list[Sandbox] = []

    def invoke(self, invocation: Invocation) -> Answer:
        """Run one invocation in an environment that is free or new."""
        if not self._places.acquire(timeout=invocation.seconds_left()):
            return Answer.error("TooManyRequestsException", "Rate Exceeded.")
        try:
            sandbox = self._take()
            try:
                return sandbox.invoke(invocation)
            finally:
                self._give_back(sandbox)
        finally:
            self._places.release()

    def close(self) -> None:
        """End every process."""
        with self._lock:
            for sandbox in self._all:
                sandbox.close()
            self._all.clear()

    def _take(self) -> Sandbox:
        with self._lock:
            while self._idle:
                # The last one used: the others are left to get old, as on AWS.
                sandbox = self._idle.pop()
                if not sandbox.retired:
                    return sandbox
            sandbox = Sandbox(self.function, launcher=self._launcher, log=self.log)
            self._all = [known for known in self._all if not known.retired]
            self._all.append(sandbox)
            return sandbox

    def _give_back(self, sandbox: Sandbox) -> None:
        with self._lock:
            if not sandbox.retired:
                self._idle.append(sandbox)
