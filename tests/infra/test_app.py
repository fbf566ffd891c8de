import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.app import main, new_app
from tests.infra.descriptions import PLAIN, write_deployment

ROOT = Path(__file__).parent.parent.parent


def test_it_needs_neither_docker_nor_node_nor_credentials(tmp_path: Path) -> None:
    config = write_deployment(tmp_path, PLAIN)
    environment = {
        "PATH": "",
        # Where jsii keeps what it has unpacked; nothing else there is looked for.
        "HOME": str(Path.home()),
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "CDK_OUTDIR": str(tmp_path / "cdk.out"),
        "CDK_CONTEXT_JSON": json.dumps({"config": str(config)}),
    }

    subprocess.run([sys.executable, "-m", "infra.app"], cwd=ROOT, env=environment, check=True)

    assert (tmp_path / "cdk.out/Tidemill.template.json").exists()


def test_it_is_the_app_that_cdk_runs() -> None:
    assert json.loads((ROOT / "cdk.json").read_text())["app"] == "python3 -m infra.app"


def test_a_wrong_description_ends_in_its_error_alone(tmp_path: Path) -> None:
    config = write_deployment(tmp_path, "[endpoints]\n")
    app = new_app(outdir=str(tmp_path / "cdk.out"), context={"config": str(config)})

    with pytest.raises(SystemExit, match=r"tidemill\.toml:1: endpoints has no entry"):
        main(app)


def test_the_description_is_beside_cdk_json_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_deployment(tmp_path, PLAIN)
    monkeypatch.chdir(tmp_path)

    main(new_app(outdir=str(tmp_path / "cdk.out")))

    assert (tmp_path / "cdk.out/Tidemill.template.json").exists()
