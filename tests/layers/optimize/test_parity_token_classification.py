"""The same entities as transformers' own pipeline, for every kind of tokenizer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, processors
from transformers import AutoModelForTokenClassification, TokenClassificationPipeline, pipeline

from tests.fakes.artifacts import TAGS
from tests.layers.optimize.checkpoints import MAX_LENGTH, Architecture, checkpoint
from tests.layers.optimize.exported import VARIANT, written
from tests.layers.optimize.texts import EVERY, LONG, PLAIN
from tidemill.answers import Prediction
from tidemill.artifact import Artifact
from tidemill.files import TOKENIZER
from tidemill.optimize.loading.original import Original, load
from tidemill.optimize.quiet import quiet
from tidemill.pipeline import Pipeline
from tidemill.tasks import open_task
from tidemill.tokens import TokenizerFile

KINDS: dict[str, Architecture] = {
    "word piece": "bert",
    "word piece, sure of itself": "bert",
    "byte level": "roberta",
    "byte level, trimmed": "roberta",
    "unigram": "xlm-roberta",
    "unigram with segments": "deberta-v3",
}
# One with which every model of these tells every label.
SEED = 13


class ByWordIds(TokenClassificationPipeline):
    """transformers' pipeline, with the tokenizer's words.

    Its own words go by lengths and spaces, which is wrong wherever a token's text is not as long as
    the token (`e` and a combining accent), and where two blanks, a tab or a comma part words.
    """

    def gather_pre_entities(self, sentence: str, *others: Any, **named: Any) -> Any:  # noqa: ANN401
        gathered = super().gather_pre_entities(sentence, *others, **named)
        words = self.tokenizer(sentence, truncation=True).word_ids()
        for entity in gathered:
            index = entity["index"]
            entity["is_subword"] = index > 0 and words[index] == words[index - 1]
        return gathered


class Both:
    """One model in transformers' pipeline and in ours."""

    def __init__(self, folder: Path, ours: Pipeline, *, apart: float) -> None:
        """Read the checkpoint in `folder`; scores may be `apart` by that share of them."""
        with quiet():
            # Attention as it is exported: the other kinds round differently.
            attention = {"attn_implementation": "eager"}
            self._theirs: Any = pipeline(
                "token-classification", model=str(folder), device="cpu", model_kwargs=attention
            )
            self._by_word_ids: Any = ByWordIds(
                model=self._theirs.model, tokenizer=self._theirs.tokenizer
            )
        self.pipeline = ours
        self._apart = apart

    def ours(self, text: str, **parameters: object) -> list[dict[str, Any]]:
        [answer] = self.pipeline.predict([text], parameters)
        assert isinstance(answer, Prediction), answer
        assert isinstance(answer.output, list)
        for entry in answer.output:
            assert entry["word"] == text[entry["start"] : entry["end"]]
        return answer.output

    def check(self, text: str, *, words: bool = False, **parameters: Any) -> int:  # noqa: ANN401
        """Compare the entries for `text`; how many there are."""
        with quiet():
            theirs = (self._by_word_ids if words else self._theirs)(text, **parameters)
        ours = self.ours(text, **parameters)
        assert [_facts(entry, text) for entry in ours] == [_facts(entry, text) for entry in theirs]
        for mine, other in zip(ours, theirs, strict=True):
            assert mine["score"] == pytest.approx(float(other["score"]), rel=self._apart)
        return len(ours)


def _facts(entry: dict[str, Any], text: str) -> tuple[object, ...]:
    start, end = entry["start"], entry["end"]
    # Byte-level and unigram tokenizers count the space before a word in, and transformers tells
    # their offsets as they are: there `text[start:end]` is not the word.
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return entry.get("entity_group"), entry.get("entity"), entry.get("index"), start, end


def _checkpoint(folder: Path, kind: str) -> Path:
    checkpoint(
        folder,
        KINDS[kind],
        "token-classification",
        labels=TAGS,
        model_max_length=MAX_LENGTH,
        seed=SEED,
    )
    if "sure" in kind:
        # Scores that float32 cannot tell from one.
        model = AutoModelForTokenClassification.from_pretrained(folder)
        model.classifier.weight.data *= 20
        model.save_pretrained(folder)
    if "trimmed" in kind:
        # As RoBERTa's own tokenizer has it.
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        start, end = ((token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>"))
        tokenizer.post_processor = processors.RobertaProcessing(
            end, start, trim_offsets=True, add_prefix_space=False
        )
        tokenizer.save(str(folder / TOKENIZER))
    return folder


def _beside_the_original(path: Path, original: Original) -> Pipeline:
    """The artifact with PyTorch for an engine, whose logits are the same to the last bit."""
    artifact = Artifact.open(path)
    return Pipeline(
        artifact,
        tokenizer=TokenizerFile(path / TOKENIZER, artifact.max_length),
        engine=original,
        task=open_task(artifact),
        variant=VARIANT,
    )


@pytest.fixture(scope="module", params=KINDS)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("parity")
    with quiet():
        source = _checkpoint(folder / "checkpoint", request.param)
    original = load(str(source))
    artifact = written(original, folder / "artifact")
    # Among scores that are all one, only the same logits have the same best.
    exact = "sure" in request.param
    opened = _beside_the_original(artifact, original) if exact else Pipeline.open(artifact, cores=1)
    with opened:
        yield Both(source, opened, apart=5e-7 if exact else 2e-4)


@pytest.mark.parametrize("strategy", ["none", "simple"])
@pytest.mark.parametrize("ignored", [["O"], [], ["PER", "B-LOC"]])
def test_tokens_and_their_groups_are_transformers_own(
    both: Both, strategy: str, ignored: list[str]
) -> None:
    entries = [
        both.check(text, aggregation_strategy=strategy, ignore_labels=ignored) for text in EVERY
    ]
    assert any(entries)


@pytest.mark.parametrize("strategy", ["first", "average", "max"])
def test_plain_words_are_transformers_own(both: Both, strategy: str) -> None:
    assert sum(both.check(text, aggregation_strategy=strategy) for text in PLAIN) >= len(PLAIN)


@pytest.mark.parametrize("strategy", ["first", "average", "max"])
def test_words_by_their_numbers_are_transformers_own(both: Both, strategy: str) -> None:
    for text in EVERY:
        both.check(text, words=True, aggregation_strategy=strategy, ignore_labels=[])


def test_the_models_tell_every_label_and_the_texts_every_case(both: Both) -> None:
    told = {
        entry["entity"]
        for text in EVERY
        for entry in both.ours(text, aggregation_strategy="none", ignore_labels=[])
    }
    assert told == set(TAGS)
    answers = [both.pipeline.predict([text])[0] for text in EVERY]
    assert any(answer.truncated for answer in answers if isinstance(answer, Prediction))


@pytest.mark.parametrize("strategy", ["none", "simple", "first", "average", "max"])
def test_windows_change_nothing_where_the_text_fits(both: Both, strategy: str) -> None:
    for text in EVERY:
        [answer] = both.pipeline.predict([text], {"aggregation_strategy": strategy})
        assert isinstance(answer, Prediction)
        if not answer.truncated:
            windowed = both.ours(text, aggregation_strategy=strategy, stride=16)
            assert windowed == answer.output


@pytest.mark.parametrize("text", LONG)
def test_each_token_of_a_long_text_is_the_best_windows(both: Both, text: str) -> None:
    # Not as transformers does it, which takes the longest of overlapping entities, wherever their
    # windows happened to cut them.
    whole = both.pipeline._tokenizer.locate_all(text)
    found = both.ours(text, aggregation_strategy="none", ignore_labels=[], stride=20)
    assert [entry["index"] for entry in found] == list(range(1, len(whole.ids) - 1))
    room, content = MAX_LENGTH - 2, whole.ids[1:-1]
    starts = [*range(0, len(content) - room, room - 20), max(0, len(content) - room)]
    for position, entry in enumerate(found):
        best = min(starts, key=lambda start: abs(2 * (position - start) - room + 1))
        ids = np.array([[whole.ids[0], *content[best : best + room], whole.ids[-1]]])
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        if "token_type_ids" in both.pipeline.artifact.inputs:
            feeds["token_type_ids"] = np.zeros_like(ids)
        logits = both.pipeline.engine.run(feeds)[0, 1 + position - best]
        assert entry["entity"] == TAGS[int(logits.argmax())]
