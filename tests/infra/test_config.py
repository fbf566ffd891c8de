from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from infra.config import (
    Architecture,
    Authorisation,
    ConfigError,
    Routes,
    Storage,
    Variant,
    load,
)
from tests.infra.descriptions import FULL, PLAIN, digest_of, manifest, write_deployment


def refusal(folder: Path, description: str) -> str:
    config = write_deployment(folder, description)
    with pytest.raises(ConfigError) as refused:
        load(config)
    return str(refused.value).removeprefix(f"{config}:").replace(f"{folder}/", "")


def test_an_endpoint_and_its_artifact_are_all_that_must_be_described(tmp_path: Path) -> None:
    deployment = load(write_deployment(tmp_path, PLAIN))

    assert deployment.name == "Tidemill"
    assert deployment.authorisation is Authorisation.IAM
    assert deployment.alarm_email is None
    assert deployment.log_retention_days == 30
    assert deployment.storage == Storage(versioned=True, keep=True, expire_jobs_days=30)
    [endpoint] = deployment.endpoints
    assert endpoint.name == "banking"
    assert endpoint.artifact == tmp_path / "artifact"
    assert endpoint.digest == digest_of("artifact")
    assert endpoint.variant == Variant(name="int8", engine="onnx")
    assert endpoint.memory_mb == 1769
    assert endpoint.architecture is Architecture.ARM64
    assert (endpoint.concurrency, endpoint.timeout_s) == (10, 300)
    assert endpoint.routes == Routes(
        one_shard_bytes=1_000_000, shard_bytes=1_000_000, gzip_bytes=4_000_000
    )


def test_everything_that_is_described_is_read(tmp_path: Path) -> None:
    deployment = load(write_deployment(tmp_path, FULL))

    assert deployment.name == "Scoring"
    assert deployment.authorisation is Authorisation.API_KEY
    assert deployment.alarm_email == "ops@example.com"
    assert deployment.log_retention_days == 7
    assert deployment.storage == Storage(versioned=False, keep=False, expire_jobs_days=5)
    banking = deployment.endpoints[0]
    assert banking.memory_mb == 3008
    assert banking.architecture is Architecture.X86_64
    assert (banking.concurrency, banking.timeout_s) == (25, 120)
    assert banking.routes == Routes(
        one_shard_bytes=4_000_000, shard_bytes=2_000_000, gzip_bytes=3_000_000
    )


def test_the_endpoint_that_is_described_first_is_the_default(tmp_path: Path) -> None:
    deployment = load(write_deployment(tmp_path, FULL))

    assert [endpoint.name for endpoint in deployment.endpoints] == ["banking", "any-topics"]
    assert deployment.default.name == "banking"


def test_a_deployment_does_not_change(tmp_path: Path) -> None:
    deployment = load(write_deployment(tmp_path, PLAIN))

    with pytest.raises(FrozenInstanceError):
        deployment.name = "Other"  # type: ignore[misc]


def test_the_repositorys_own_description_is_right() -> None:
    root = Path(__file__).parent.parent.parent

    assert load(root / "tidemill.toml").default.artifact == root / "layers/tidemill/starter"


def test_a_file_written_on_windows_is_read(tmp_path: Path) -> None:
    config = write_deployment(tmp_path, "")
    config.write_bytes(b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode())

    assert load(config).default.name == "banking"


BANKING = '[endpoints.banking]\nartifact = "artifact"\n'
REFUSED = {
    "an unknown section": (
        f"{BANKING}\n[deploment]\n",
        (
            "4: deploment is not known. "
            "Did you mean deployment? Known here: deployment, storage, endpoints."
        ),
    ),
    "an unknown key": (
        f"{BANKING}memory = 512\n",
        (
            "3: endpoints.banking.memory is not known. Did you mean memory_mb? "
            "Known here: artifact, variant, memory_mb, architecture, concurrency, timeout_s, routes."
        ),
    ),
    "a key like no other": (
        f"[storage]\ncolour = 'red'\n{BANKING}",
        "2: storage.colour is not known. Known here: versioned, keep, expire_jobs_days.",
    ),
    "a string for a number": (
        f'{BANKING}memory_mb = "1769"\n',
        (
            "3: endpoints.banking.memory_mb = '1769' is not a whole number from 128 to 10240. "
            "Write e.g. memory_mb = 1769."
        ),
    ),
    "true for a number": (
        f"{BANKING}concurrency = true\n",
        (
            "3: endpoints.banking.concurrency = True is not a whole number from 2 to 1000. "
            "Write e.g. concurrency = 10."
        ),
    ),
    "less than Lambda takes": (
        f"{BANKING}concurrency = 1\n",
        (
            "3: endpoints.banking.concurrency = 1 is not a whole number from 2 to 1000. "
            "Write e.g. concurrency = 10."
        ),
    ),
    "more than Lambda gives": (
        f"{BANKING}\n# a long one\ntimeout_s = 901\n",
        (
            "5: endpoints.banking.timeout_s = 901 is not a whole number from 10 to 900. "
            "Write e.g. timeout_s = 300."
        ),
    ),
    "a value within an inline table": (
        f"{BANKING}routes = {{ one_shard_mb = 0 }}\n",
        (
            "3: endpoints.banking.routes.one_shard_mb = 0 is not a whole number from 1 to 1024. "
            "Write e.g. one_shard_mb = 1."
        ),
    ),
    "a value of more than one line": (
        '[deployment]\nname = """\nTide\nmill"""\n',
        (
            "2: deployment.name = 'Tide\\nmill' is not a string that matches "
            "[A-Za-z][A-Za-z0-9-]{0,99}. "
            'Write e.g. name = "Tidemill".'
        ),
    ),
    "a number for a flag": (
        f"[storage]\nkeep = 1\n{BANKING}",
        "2: storage.keep = 1 is not true or false. Write keep = true or false.",
    ),
    "a processor there is not": (
        f'{BANKING}architecture = "arm"\n',
        (
            "3: endpoints.banking.architecture = 'arm' is not one of arm64, x86_64. "
            'Write architecture = "arm64" or "x86_64".'
        ),
    ),
    "an authorisation there is not": (
        f'[deployment]\nauthorisation = "cognito"\n{BANKING}',
        (
            "2: deployment.authorisation = 'cognito' is not one of iam, api-key, none. "
            'Write authorisation = "iam" or "api-key" or "none".'
        ),
    ),
    "an address that is none": (
        f'[deployment]\nalarm_email = "ops"\n{BANKING}',
        (
            r"2: deployment.alarm_email = 'ops' is not a string that matches [^@\s]+@[^@\s]+\.[^@\s]+. "
            'Write e.g. alarm_email = "ops@example.com".'
        ),
    ),
    "a retention CloudWatch does not have": (
        f"[deployment]\nlog_retention_days = 31\n{BANKING}",
        (
            "2: deployment.log_retention_days = 31 is not a period CloudWatch Logs keeps. "
            "Write one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, "
            "1096, 1827, 2192, 2557, 2922, 3288, 3653."
        ),
    ),
    "a name that cannot stand in a URL": (
        '[endpoints.Banking]\nartifact = "artifact"\n',
        (
            "1: endpoints.Banking is not a name that matches [a-z][a-z0-9-]{0,31}. "
            "Write e.g. [endpoints.banking]."
        ),
    ),
    "two names nobody can tell apart": (
        f'{BANKING}[endpoints.bank-ing]\nartifact = "other"\n',
        "3: endpoints.bank-ing reads the same as banking but for hyphens. Rename one of them.",
    ),
    "the same name twice": (
        BANKING + BANKING,
        (
            "3: not TOML: Cannot declare ('endpoints', 'banking') twice. "
            "Correct this line; https://toml.io shows the syntax."
        ),
    ),
    "no endpoint": (
        "[storage]\nkeep = true\n",
        (
            "1: endpoints has no entry, and nothing can be served without one. "
            'Write [endpoints.<name>] and, under it, artifact = "<folder>".'
        ),
    ),
    "more endpoints than the planner's environment holds": (
        "[endpoints]\n" + "".join(f"e{n}.artifact = 'artifact'\n" for n in range(10)),
        (
            "1: endpoints has 10 entries, and a stack takes 9. "
            "Describe a second stack in a file of its own."
        ),
    ),
    "a value for a table": (
        "endpoints = 'banking'\n",
        "1: endpoints = 'banking' is not a table. Write [endpoints].",
    ),
    "no artifact": (
        "\n[endpoints.banking]\nmemory_mb = 512\n",
        (
            "2: endpoints.banking.artifact is missing. "
            'Write e.g. artifact = "layers/tidemill/starter".'
        ),
    ),
    "an artifact that is not there": (
        '[endpoints.banking]\nartifact = "gone"\n',
        (
            "2: endpoints.banking.artifact = 'gone' is not an artifact: gone/tidemill.json "
            "cannot be read ([Errno 2] No such file or directory: 'gone/tidemill.json'). "
            "Name the folder that holds the artifact's tidemill.json, relative to this file."
        ),
    ),
    "a line that is not TOML": (
        f"{BANKING}memory_mb: 512\n",
        (
            "3: not TOML: Expected '=' after a key in a key/value pair. "
            "Correct this line; https://toml.io shows the syntax."
        ),
    ),
    "a file that ends too soon": (
        f'{BANKING}name = """\n',
        "3: not TOML: Unterminated string. Correct this line; https://toml.io shows the syntax.",
    ),
}


@pytest.mark.parametrize(("description", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_wrong_description_is_refused_with_line_rule_and_way_out(
    tmp_path: Path, description: str, message: str
) -> None:
    assert refusal(tmp_path, description) == message


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 5000 + "]" * 5000])
def test_a_value_that_cannot_be_read_is_refused(tmp_path: Path, value: str) -> None:
    assert "too long or nested too deep" in refusal(tmp_path, f"{BANKING}memory_mb = {value}\n")


@pytest.mark.parametrize(
    "content", ["[", "[]", "{}", '{"format": 3}', '{"format": 2}', "[" * 100_000]
)
def test_an_artifact_without_a_readable_manifest_is_refused(tmp_path: Path, content: str) -> None:
    config = write_deployment(tmp_path, PLAIN)
    (tmp_path / "artifact" / "tidemill.json").write_text(content)

    with pytest.raises(ConfigError, match=r":3: endpoints\.banking\.artifact = .* is not an art"):
        load(config)


def test_a_digest_is_that_of_the_manifests_bytes(tmp_path: Path) -> None:
    config = write_deployment(tmp_path, PLAIN)
    (tmp_path / "artifact" / "tidemill.json").write_text(manifest("artifact") + "\n")

    assert load(config).default.digest != digest_of("artifact")


def test_a_description_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: cannot be read \(No such file or dir"):
        load(tmp_path / "gone.toml")


def test_a_description_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "tidemill.toml"
    config.write_bytes("[storage]\n# für immer\n".encode("latin-1"))

    with pytest.raises(ConfigError, match=r"toml:2: byte 0xfc is not UTF-8, .* Save the file as"):
        load(config)
