"""The same entities as transformers' own pipeline, for models and tokenizers made on the spot."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from string import ascii_letters
from typing import Any

import numpy as np
import pytest
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from tests.fakes.artifacts import TAGS
from tidemill.answers import Prediction
from tidemill.artifact import Artifact
from tidemill.engines import Engine, Feeds, Outputs
from tidemill.pipeline import Pipeline
from tidemill.tasks import open_task
from tidemill.tokens import TokenizerFile

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

pytestmark = pytest.mark.filterwarnings("ignore")

MAX_LENGTH = 48
# One with which every model of these tells every label.
SEED = 8
PLAIN = [
    "Ada Lovelace met Charles Babbage in London",
    "the quick brown fox jumps over the lazy dog near Cambridge",
    "Überweisung nach Zürich und Köln",
    "unbelievably antidisestablishmentarianism floccinaucinihilipilification",
]
ODD = [
    "one  two   three",
    "Ada Lovelace, of London, met Mr. Babbage's engine (1843).",
    "\U0001f600 \U0001f469\u200d\U0001f4bb Ada\U0001f600Lovelace \U0001f1e9\U0001f1ea",
    "私は東京に住んでいます。Ada lives in 東京都",
    "cafe\u0301 nai\u0308ve e\u0301\u0302 re\u0301sume\u0301 in Zu\u0308rich",
    "  white \t space\n\n around \u00a0 it\u3000 ",
    "नमस्ते दुनिया สวัสดีชาวโลก שלום עולם",
    "a",
    "!!! ... ---",
    "\u200b\u200bzero\u200bwidth",
    "don't won't I'm they'll e-mail@example.com https://example.com/a?b=c",
    "Ada Lovelace met Charles Babbage in London " * 20,
    "東京" * 60,
]
EVERY = PLAIN + ODD


class TorchEngine(Engine):
    """The model itself, so that only what comes before and after it is compared."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401
        self._model = model

    def run(self, feeds: Feeds) -> Outputs:
        with torch.no_grad():
            logits = self._model(**{name: torch.tensor(ids) for name, ids in feeds.items()}).logits
        outputs: Outputs = logits.numpy()
        return outputs


class Both:
    """One model in transformers' pipeline and in ours."""

    def __init__(self, tokenizer: Tokenizer, model: Any, tagger: Path, folder: Path) -> None:  # noqa: ANN401
        named = {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
        fast = transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, model_max_length=MAX_LENGTH, pad_token="[PAD]", **named
        )
        inputs = ("input_ids", "attention_mask")
        fast.model_input_names = list(inputs)
        model.eval()
        self._theirs = transformers.TokenClassificationPipeline(model=model, tokenizer=fast)
        self._by_word_ids = _by_word_ids()(model=model, tokenizer=fast)
        tokenizer.no_truncation()
        tokenizer.save(str(folder / "tokenizer.json"))
        artifact = replace(Artifact.open(tagger), max_length=MAX_LENGTH, inputs=inputs)
        self.pipeline = Pipeline(
            artifact,
            tokenizer=TokenizerFile(folder / "tokenizer.json", MAX_LENGTH),
            engine=TorchEngine(model),
            task=open_task(artifact),
            variant="torch",
        )

    def ours(self, text: str, **parameters: object) -> list[dict[str, Any]]:
        [answer] = self.pipeline.predict([text], parameters)
        assert isinstance(answer, Prediction), answer
        assert isinstance(answer.output, list)
        for entry in answer.output:
            assert entry["word"] == text[entry["start"] : entry["end"]]
        return answer.output

    def check(self, text: str, *, words: bool = False, **parameters: Any) -> int:  # noqa: ANN401
        """Compare the entries for `text`; how many there are."""
        theirs = (self._by_word_ids if words else self._theirs)(text, **parameters)
        ours = self.ours(text, **parameters)
        assert [_facts(entry, text) for entry in ours] == [_facts(entry, text) for entry in theirs]
        for mine, other in zip(ours, theirs, strict=True):
            # Rounded to seven digits.
            assert mine["score"] == pytest.approx(float(other["score"]), rel=5e-7)
        return len(ours)


def _by_word_ids() -> Any:  # noqa: ANN401
    """transformers' pipeline, with the tokenizer's words in place of lengths and spaces."""

    class ByWordIds(transformers.TokenClassificationPipeline):  # type: ignore[misc]
        def gather_pre_entities(self, sentence: str, *others: Any, **named: Any) -> Any:  # noqa: ANN401
            gathered = super().gather_pre_entities(sentence, *others, **named)
            words = self.tokenizer(sentence, truncation=True).word_ids()
            for entity in gathered:
                index = entity["index"]
                entity["is_subword"] = index > 0 and words[index] == words[index - 1]
            return gathered

    return ByWordIds


def _facts(entry: dict[str, Any], text: str) -> tuple[object, ...]:
    start, end = entry["start"], entry["end"]
    # White space that byte-level tokenizers may count in.
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return entry.get("entity_group"), entry.get("entity"), entry.get("index"), start, end


def _word_piece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tokenizer.train_from_iterator(
        EVERY[:-2], trainers.WordPieceTrainer(vocab_size=220, special_tokens=special)
    )
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def _byte_level(*, trim: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=380,
        special_tokens=["[CLS]", "[PAD]", "[SEP]", "[UNK]"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    # As in a vocabulary of full size, no word begins with a space that is a token of its own.
    beginnings = [f" {letter}" for letter in f"{ascii_letters}Ü"] * 50
    tokenizer.train_from_iterator([*EVERY[:-2], *beginnings], trainer)
    tokenizer.post_processor = processors.RobertaProcessing(
        ("[SEP]", 2), ("[CLS]", 0), trim_offsets=trim, add_prefix_space=False
    )
    return tokenizer


@pytest.fixture(
    scope="module", params=["bert", "bert, sure of itself", "roberta", "roberta, untrimmed"]
)
def both(
    request: pytest.FixtureRequest, tagger: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Both]:
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    sizes: dict[str, Any] = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "initializer_range": 0.4,
        "id2label": dict(enumerate(TAGS)),
        "label2id": {tag: number for number, tag in enumerate(TAGS)},
    }
    if request.param.startswith("bert"):
        tokenizer = _word_piece()
        config = transformers.BertConfig(
            vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=MAX_LENGTH, **sizes
        )
        model = transformers.BertForTokenClassification(config)
    else:
        tokenizer = _byte_level(trim="untrimmed" not in request.param)
        config = transformers.RobertaConfig(
            vocab_size=tokenizer.get_vocab_size(),
            max_position_embeddings=MAX_LENGTH + 2,
            pad_token_id=1,
            **sizes,
        )
        model = transformers.RobertaForTokenClassification(config)
    if "sure" in request.param:
        # Scores that float32 cannot tell from one.
        with torch.no_grad():
            model.classifier.weight *= 20
    made = Both(tokenizer, model, tagger, tmp_path_factory.mktemp("parity"))
    yield made
    made.pipeline.close()


@pytest.mark.parametrize("strategy", ["none", "simple"])
@pytest.mark.parametrize("ignored", [["O"], [], ["PER", "B-LOC"]])
def test_tokens_and_their_groups_are_transformers_own(
    both: Both, strategy: str, ignored: list[str]
) -> None:
    entries = [
        both.check(text, aggregation_strategy=strategy, ignore_labels=ignored) for text in EVERY
    ]
    assert sum(entries) > len(EVERY)


@pytest.mark.parametrize("strategy", ["first", "average", "max"])
def test_plain_words_are_transformers_own(both: Both, strategy: str) -> None:
    assert sum(both.check(text, aggregation_strategy=strategy) for text in PLAIN) > len(PLAIN)


@pytest.mark.parametrize("strategy", ["first", "average", "max"])
@pytest.mark.parametrize("ignored", [["O"], []])
def test_words_by_their_numbers_are_transformers_own(
    both: Both, strategy: str, ignored: list[str]
) -> None:
    for text in EVERY:
        both.check(text, words=True, aggregation_strategy=strategy, ignore_labels=ignored)


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


def test_each_token_of_a_long_text_is_the_best_windows(both: Both) -> None:
    text = ODD[-2]
    whole = both.pipeline._tokenizer.locate_all(text)
    assert whole.places is not None
    found = both.ours(text, aggregation_strategy="none", ignore_labels=[], stride=20)
    assert [entry["index"] for entry in found] == list(range(1, len(whole.ids) - 1))
    room, content = MAX_LENGTH - 2, whole.ids[1:-1]
    starts = [*range(0, len(content) - room, room - 20), len(content) - room]
    for position, entry in enumerate(found):
        best = min(starts, key=lambda start: abs(2 * (position - start) - room + 1))
        ids = np.array([[whole.ids[0], *content[best : best + room], whole.ids[-1]]])
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        logits = both.pipeline._engine.run(feeds)[0, 1 + position - best]
        assert entry["entity"] == TAGS[int(logits.argmax())]
