"""Which AWS is talked to: never the user's."""

from pathlib import Path

import pytest

from infra.local.aws import Clients, environment, without_aws


def test_clients_take_nothing_from_the_users_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.write_text(
        "[profile production]\nregion = eu-west-1\nendpoint_url = https://example.com\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "theirs")

    client = Clients("http://127.0.0.1:9").s3

    assert client.meta.endpoint_url == "http://127.0.0.1:9"
    assert client.meta.region_name == "us-east-1"


def test_a_profile_that_does_not_exist_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")

    assert Clients("http://127.0.0.1:9").sqs.meta.endpoint_url == "http://127.0.0.1:9"


def test_programs_are_led_to_the_emulator_past_any_proxy() -> None:
    told = environment("http://127.0.0.1:9")

    assert told["AWS_ENDPOINT_URL"] == "http://127.0.0.1:9"
    assert "127.0.0.1" in told["NO_PROXY"]


def test_variables_that_speak_of_aws_are_left_behind() -> None:
    assert without_aws({"AWS_PROFILE": "x", "CDK_OUTDIR": "y", "PATH": "z"}) == {"PATH": "z"}
