"""The same labels and scores as transformers' own pipeline."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from transformers import pipeline

from tests.layers.optimize.checkpoints import MAX_LENGTH, Architecture, checkpoint
from tests.layers.optimize.exported import exported
from tests.layers.optimize.texts import EVERY
from tidemill.answers import Prediction
from tidemill.optimize.quiet import quiet
from tidemill.pipeline import Pipeline

KINDS: Mapping[str, tuple[Architecture, str | None]] = {
    "unsaid": ("bert", None),
    "single label": ("roberta", "single_label_classification"),
    "multi label": ("xlm-roberta", "multi_label_classification"),
    "regression": ("deberta-v3", "regression"),
}
PAIRS = [{"text": text, "text_pair": pair} for text, pair in zip(EVERY, EVERY[::-1], strict=True)]

Ask = Callable[[Any, Mapping[str, Any]], list[dict[str, Any]]]


@pytest.fixture(scope="module", params=KINDS)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Ask, Ask]]:
    """transformers and ours, each from an input and parameters to labels with scores."""
    folder = tmp_path_factory.mktemp("parity")
    architecture, problem_type = KINDS[request.param]
    labels = ("stars",) if request.param == "regression" else ("no", "maybe", "yes")
    source = checkpoint(
        folder / "checkpoint",
        architecture,
        labels=labels,
        model_max_length=MAX_LENGTH,
        config={"problem_type": problem_type},
    )
    with quiet():
        classifier: Any = pipeline("text-classification", model=str(source), device="cpu")

    def theirs(inputs: Any, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:  # noqa: ANN401
        with quiet():
            found: list[dict[str, Any]] = classifier(inputs, truncation=True, **parameters)
        return found

    with Pipeline.open(exported(source, folder / "artifact"), cores=1) as opened:

        def ours(inputs: Any, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:  # noqa: ANN401
            [answer] = opened.predict([inputs], parameters)
            assert isinstance(answer, Prediction), answer
            assert isinstance(answer.output, list)
            return answer.output

        yield theirs, ours


def check(both: tuple[Ask, Ask], inputs: object, **parameters: Any) -> None:  # noqa: ANN401
    theirs, ours = (ask(inputs, parameters) for ask in both)
    assert [entry["label"] for entry in ours] == [entry["label"] for entry in theirs]
    scores = [entry["score"] for entry in theirs]
    assert [entry["score"] for entry in ours] == pytest.approx(scores, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("top_k", [None, 1, 2])
def test_scores_of_texts_are_transformers_own(both: tuple[Ask, Ask], top_k: int | None) -> None:
    for text in EVERY:
        check(both, text, top_k=top_k)


def test_scores_of_pairs_are_transformers_own(both: tuple[Ask, Ask]) -> None:
    for pair in PAIRS:
        check(both, pair, top_k=None)


@pytest.mark.parametrize("function", ["softmax", "sigmoid", "none"])
def test_scores_by_any_function_are_transformers_own(both: tuple[Ask, Ask], function: str) -> None:
    for text in EVERY:
        check(both, text, top_k=None, function_to_apply=function)
