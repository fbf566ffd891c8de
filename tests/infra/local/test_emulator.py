"""The emulator's start and end."""

import socket
import stat
import urllib.request
from pathlib import Path

import pytest

from infra.local import tools
from infra.local.aws import Clients
from infra.local.emulator import emulator
from infra.local.errors import LocalError


def test_a_port_that_is_taken_is_said_so(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with (
            pytest.raises(LocalError, match=f"Port {port} cannot be had"),
            emulator(Path("python"), folder=tmp_path, port=port),
        ):
            pass


def test_an_emulator_that_dies_as_it_starts_says_why(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'no module named ministack'\nexit 1\n")
    python.chmod(python.stat().st_mode | stat.S_IXUSR)

    with (
        pytest.raises(LocalError, match=r"ended as it started(.*\n)*no module named ministack"),
        emulator(python, folder=tmp_path),
    ):
        pass


@pytest.mark.e2e
def test_it_answers_on_the_loopback_and_is_gone_afterwards(tmp_path: Path) -> None:
    with emulator(tools.emulator_python(), folder=tmp_path) as url:
        with urllib.request.urlopen(f"{url}/_ministack/health", timeout=5) as response:
            assert response.status == 200
        port = int(url.rpartition(":")[2])

    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("asked", "answered"), [("bytes=3-5", b"345"), ("bytes=8-", b"89"), ("bytes=-1", b"9")]
)
def test_a_range_of_a_version_is_that_range(tmp_path: Path, asked: str, answered: bytes) -> None:
    with emulator(tools.emulator_python(), folder=tmp_path) as url:
        s3 = Clients(url).s3
        s3.create_bucket(Bucket="files")
        s3.put_bucket_versioning(Bucket="files", VersioningConfiguration={"Status": "Enabled"})
        older = s3.put_object(Bucket="files", Key="key", Body=b"0123456789")["VersionId"]
        s3.put_object(Bucket="files", Key="key", Body=b"abcdefghij")

        found = s3.get_object(Bucket="files", Key="key", VersionId=older, Range=asked)

        assert found["Body"].read() == answered
        assert found["ContentRange"].endswith("/10")
