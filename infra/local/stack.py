"""The whole of Tidemill on this machine, for as long as a context lasts."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from infra.config import ConfigError, Deployment, load
from infra.local import deployment, functions, tools
from infra.local.api_client import ApiClient
from infra.local.aws import Clients
from infra.local.emulator import emulator
from infra.local.errors import LocalError, MisuseError
from infra.local.launcher import Launcher, ProcessLauncher


@dataclass(frozen=True, kw_only=True, slots=True)
class LocalStack:
    """A deployed stack, and how to talk to it."""

    endpoint_url: str
    outputs: Mapping[str, str]
    described: Deployment
    clients: Clients
    logs: Path

    @property
    def bucket(self) -> str:
        """The bucket's name."""
        return self.outputs["BucketName"]

    @property
    def api_url(self) -> str:
        """The API's URL, without a slash at its end."""
        # The output is what it would be on AWS: https://<id>.execute-api.<region>.amazonaws.com/<stage>/
        url = urlsplit(self.outputs["ApiUrl"])
        api, stage = url.netloc.split(".")[0], url.path.strip("/")
        return f"{self.endpoint_url}/restapis/{api}/{stage}/_user_request_"

    def api(self) -> ApiClient:
        """Return a new client of the API."""
        return ApiClient(self.api_url)


def say_nothing(_: str) -> None:
    """Take a line of progress and drop it."""


@contextmanager
def local_stack(
    config: Path,
    *,
    port: int | None = None,
    say: Callable[[str], None] = say_nothing,
    wrap: Callable[[Launcher], Launcher] = lambda launcher: launcher,
) -> Iterator[LocalStack]:
    """Deploy what `config` describes into an emulator, and run its functions.

    Args:
        config: A tidemill.toml.
        port: The emulator's; any free one where none is named.
        say: Is told each step as it begins, in a few words.
        wrap: Changes how functions are started.
    """
    if not (deployment.ROOT / "cdk.json").exists():
        raise LocalError(
            f"There is no cdk.json in {deployment.ROOT}: what is deployed is the source tree. "
            "Run this from a clone of the repository."
        )
    config = config.resolve()
    described = _described(config)
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="tidemill-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        say("Getting the CDK's command line (fetched once, from npm)")
        tools.cdk()
        say(
            "Synthesising the app, and getting the AWS emulator meanwhile (fetched once, from PyPI)"
        )
        synthesis = stack.enter_context(
            deployment.synthesis(config, stack=described.name, folder=folder)
        )
        endpoint_url = stack.enter_context(
            emulator(tools.emulator_python(), folder=folder, port=port)
        )
        deployment.bootstrap(endpoint_url, folder=folder)
        synthesis.finish()
        say(f"Deploying the stack {described.name}")
        outputs = deployment.deploy(
            synthesis.assembly, stack=described.name, endpoint_url=endpoint_url, folder=folder
        )
        clients = Clients(endpoint_url)
        say("Putting a process behind each function")
        launcher = wrap(_launcher(described, endpoint_url=endpoint_url, folder=folder))
        stack.enter_context(
            functions.running(clients, stack=described.name, launcher=launcher, logs=folder)
        )
        yield LocalStack(
            endpoint_url=endpoint_url,
            outputs=outputs,
            described=described,
            clients=clients,
            logs=folder,
        )


def _described(config: Path) -> Deployment:
    try:
        return load(config)
    except ConfigError as error:
        raise MisuseError(str(error)) from error


def _launcher(described: Deployment, *, endpoint_url: str, folder: Path) -> ProcessLauncher:
    return ProcessLauncher(
        endpoint_url=endpoint_url,
        artifacts={endpoint.name: endpoint.artifact.resolve() for endpoint in described.endpoints},
        default=described.default.name,
        home=folder,
    )
