import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tidemill.artifact import TaskName
from tidemill.errors import OptimizeError
from tidemill.optimize.loading.checkpoint import Checkpoint
from tidemill.optimize.loading.choice import choose

CLASSIFIER: dict[str, Any] = {
    "architectures": ["BertForSequenceClassification"],
    "id2label": {"0": "no", "1": "yes"},
}
SCORER: dict[str, Any] = {
    "architectures": ["BertForSequenceClassification"],
    "id2label": {"0": "LABEL_0"},
}


def described(folder: Path, config: Mapping[str, Any], **others: str) -> Checkpoint:
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    for name, text in others.items():
        (folder / name.replace("_json", ".json").replace("_md", ".md")).write_text(text)
    return Checkpoint(folder, "tiny", "tiny", None)


@pytest.mark.parametrize(
    ("config", "task", "because"),
    [
        (CLASSIFIER, "text-classification", "it is a BertForSequenceClassification; one of 2"),
        (
            {"architectures": ["XLMRobertaForTokenClassification"]},
            "token-classification",
            "it is a XLMRobertaForTokenClassification",
        ),
        ({"architectures": ["MPNetModel"]}, "feature-extraction", "MPNetModel has no classifier"),
        ({"architectures": ["MPNetForMaskedLM"]}, "feature-extraction", "the mean of its token"),
        (
            SCORER | {"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"},
            "ranking",
            "config.json has sbert_ce_default_activation_function; scores as they are",
        ),
        (
            SCORER | {"sentence_transformers": {"version": "5.1.0"}},
            "ranking",
            "config.json has sentence_transformers; scores through a sigmoid",
        ),
        (SCORER, "text-classification", "one label through a sigmoid"),
    ],
)
def test_the_configuration_says_what_a_model_is_for(
    config: Mapping[str, Any], task: TaskName, because: str, tmp_path: Path
) -> None:
    chosen = choose(described(tmp_path, config), None)
    assert chosen.task == task
    assert because in chosen.why
    assert chosen.why.endswith(".")


@pytest.mark.parametrize(
    "card", ["tags:\n- cross-encoder", "tags:\n  - reranker", "pipeline_tag: text-ranking"]
)
def test_a_card_can_say_that_a_model_of_one_label_ranks(card: str, tmp_path: Path) -> None:
    checkpoint = described(tmp_path, SCORER, README_md=f"---\n{card}\n---\n# A model\n")
    assert choose(checkpoint, None).task == "ranking"
    assert choose(described(tmp_path, CLASSIFIER), None).task == "text-classification"


def test_sentence_transformers_modules_make_an_embedder_of_any_architecture(
    tmp_path: Path,
) -> None:
    chosen = choose(described(tmp_path, CLASSIFIER, modules_json="[]"), None)
    assert (chosen.task, chosen.labels) == ("feature-extraction", ())


def test_what_was_asked_for_is_done(tmp_path: Path) -> None:
    checkpoint = described(tmp_path, SCORER)
    ranking = choose(checkpoint, "ranking")
    assert (ranking.task, ranking.activation) == ("ranking", "sigmoid")
    assert ranking.why == "ranking, as --task says; scores through a sigmoid."
    assert choose(checkpoint, "feature-extraction").task == "feature-extraction"


@pytest.mark.parametrize(
    ("config", "problem_type"),
    [
        (CLASSIFIER, "single_label_classification"),
        (
            CLASSIFIER | {"problem_type": "multi_label_classification"},
            "multi_label_classification",
        ),
        (CLASSIFIER | {"problem_type": "regression"}, "regression"),
        (SCORER, "multi_label_classification"),
        (SCORER | {"problem_type": "regression"}, "regression"),
        # Of one label a softmax would always be 1.
        (SCORER | {"problem_type": "single_label_classification"}, "multi_label_classification"),
        (
            SCORER
            | {"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Sigmoid"}},
            "multi_label_classification",
        ),
    ],
)
def test_the_problem_type_is_the_configurations(
    config: Mapping[str, Any], problem_type: str, tmp_path: Path
) -> None:
    chosen = choose(described(tmp_path, config), "text-classification")
    assert chosen.problem_type == problem_type


@pytest.mark.parametrize(
    ("config", "task", "complaint"),
    [
        ({}, None, "names no architectures"),
        ({"architectures": ["BertForQuestionAnswering"]}, None, "BertForQuestionAnswering is for"),
        ({"architectures": "BertModel"}, None, "architectures must be a list of names"),
        ({"architectures": [7]}, None, r"architectures must be a list of names and is \[7\]"),
        (SCORER | {"sentence_transformers": "5.1"}, None, "must be an object and is '5.1'"),
        (CLASSIFIER, "ranking", "has 2 labels and ranking takes one"),
        (CLASSIFIER | {"problem_type": "both"}, None, "problem_type must be one of .* 'both'"),
        (
            SCORER | {"sentence_transformers": {"activation_fn": "own.Activation"}},
            None,
            "the activation own.Activation is neither",
        ),
        (
            SCORER | {"sentence_transformers": {"activation_fn": "torch.nn.modules.Tanh"}},
            None,
            "the activation torch.nn.modules.Tanh is neither",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_way_out(
    config: Mapping[str, Any], task: TaskName | None, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(OptimizeError, match=complaint):
        choose(described(tmp_path, config), task)
