"""What reviewers of templates find: AwsSolutions of cdk-nag, and cfn-lint."""

import json
import subprocess
import sys
from pathlib import Path

import aws_cdk as cdk
import pytest
from cdk_nag import AwsSolutionsChecks

from infra.app import build, new_app
from tests.infra.descriptions import FULL, OPEN, PLAIN, write_deployment
from tests.infra.synthesised import Synthesised

ROOT = Path(__file__).parent.parent.parent


def reviewed(folder: Path, description: str) -> cdk.App:
    config = write_deployment(folder, description)
    app = new_app(outdir=str(folder / "cdk.out"), context={"config": str(config)})
    build(app)
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    return app


@pytest.mark.parametrize("description", [PLAIN, FULL, OPEN], ids=["plain", "full", "open"])
def test_the_review_finds_nothing_without_a_reason(tmp_path: Path, description: str) -> None:
    # Findings are printed, and raised as an error.
    reviewed(tmp_path, description).synth()


def test_no_exception_is_older_than_what_it_excuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted: dict[str, str] = {}

    def record(_: cdk.Validations, acknowledgment: cdk.Acknowledgment) -> None:
        accepted[acknowledgment.id] = acknowledgment.reason

    monkeypatch.setattr(cdk.Validations, "acknowledge", record)
    app = reviewed(tmp_path, OPEN)
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()

    [report] = json.loads((tmp_path / "cdk.out/validation-report.json").read_text())[
        "pluginReports"
    ]
    assert accepted.keys() == {found["ruleName"] for found in report["violations"]}
    assert all(reason for reason in accepted.values())


def test_the_templates_are_what_cloudformation_takes(
    plain: Synthesised, full: Synthesised, open_to_all: Synthesised
) -> None:
    templates = [str(stack.path) for stack in (plain, full, open_to_all)]

    # In the repository's root, where the ignored rules are listed with their reasons.
    command = [str(Path(sys.executable).with_name("cfn-lint")), *templates]
    lint = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (lint.stdout + lint.stderr, lint.returncode) == ("", 0)
