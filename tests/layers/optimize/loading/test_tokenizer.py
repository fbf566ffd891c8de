import json
from itertools import pairwise
from pathlib import Path

import pytest
import sentencepiece
from tokenizers import Tokenizer
from transformers import AlbertTokenizer, AutoTokenizer, BertTokenizer

from tests.layers.optimize.checkpoints import ARCHITECTURES, Architecture, checkpoint
from tests.layers.optimize.vocabularies import SENTENCES
from tidemill.errors import OptimizeError
from tidemill.optimize.loading import original, tokenizer
from tidemill.optimize.loading.checkpoint import Checkpoint
from tidemill.optimize.loading.tokenizer import TokenizerFile
from tidemill.optimize.quiet import quiet


def read(folder: Path, *, lowercase: bool = False) -> TokenizerFile:
    found = Checkpoint(folder, "tiny", "tiny", None)
    return tokenizer.read(found, lowercase=lowercase, trust_remote_code=False)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_file_alone_gives_the_ids_of_transformers(
    architecture: Architecture, tmp_path: Path
) -> None:
    written = Tokenizer.from_str(read(checkpoint(tmp_path, architecture)).json.decode())
    assert (written.padding, written.truncation) == (None, None)
    with quiet():
        own = AutoTokenizer.from_pretrained(tmp_path)
        for text, pair in zip(SENTENCES, (None, *SENTENCES[1:]), strict=True):
            assert written.encode(text, pair).ids == own(text, pair)["input_ids"]


def test_the_same_checkpoint_gives_the_same_bytes(tmp_path: Path) -> None:
    checkpoint(tmp_path, "roberta")
    assert read(tmp_path) == read(tmp_path)


def test_truncation_and_padding_in_the_file_are_left_out(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, "bert") / "tokenizer.json"
    altered = Tokenizer.from_file(str(path))
    altered.enable_padding(length=32)
    altered.enable_truncation(8)
    altered.save(str(path))
    ids = Tokenizer.from_str(read(tmp_path).json.decode()).encode(SENTENCES[0]).ids
    assert len(ids) == 18


@pytest.mark.parametrize("lowercase", [True, False])
def test_a_vocabulary_without_a_tokenizer_file_is_converted(
    lowercase: bool, tmp_path: Path
) -> None:
    checkpoint(tmp_path, "bert", lowercase=lowercase)
    (tmp_path / "tokenizer.json").unlink()
    written = Tokenizer.from_str(read(tmp_path).json.decode())
    slow = BertTokenizer.from_pretrained(tmp_path)
    for text, pair in pairwise(SENTENCES):
        expected = slow(text, pair)
        found = written.encode(text, pair)
        assert found.ids == expected["input_ids"]
        assert found.type_ids == expected["token_type_ids"]


def test_a_sentence_piece_model_alone_is_converted(tmp_path: Path) -> None:
    checkpoint(tmp_path, "albert")
    (tmp_path / "tokenizer.json").unlink()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES),
        model_prefix=str(tmp_path / "spiece"),
        vocab_size=120,
        pad_id=0,
        unk_id=1,
        bos_id=2,
        eos_id=3,
        pad_piece="<pad>",
        bos_piece="[CLS]",
        eos_piece="[SEP]",
        user_defined_symbols=["[MASK]"],
        minloglevel=3,
    )
    written = Tokenizer.from_str(read(tmp_path).json.decode())
    with quiet():
        slow = AlbertTokenizer.from_pretrained(tmp_path)
    assert written.encode(SENTENCES[0]).ids == slow(SENTENCES[0])["input_ids"]


def test_texts_are_put_in_lower_case_where_sentence_transformers_does_so(tmp_path: Path) -> None:
    checkpoint(tmp_path, "roberta")
    kept, lowered = (
        Tokenizer.from_str(read(tmp_path, lowercase=lowercase).json.decode())
        for lowercase in (False, True)
    )
    assert kept.encode("My Card").ids != kept.encode("my card").ids
    assert lowered.encode("My Card").ids == kept.encode("my card").ids


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    checkpoint(tmp_path / "small", "bert", config={"vocab_size": 100})
    with pytest.raises(OptimizeError, match="ids up to 238 and the model embeddings for 100"):
        original.load(str(tmp_path / "small"))


def test_a_checkpoint_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    for file in checkpoint(tmp_path, "bert").glob("*"):
        if file.name not in ("config.json", "model.safetensors"):
            file.unlink()
    with pytest.raises(OptimizeError, match="cannot load the tokenizer"):
        read(tmp_path)


def test_a_tokenizer_that_fails_at_a_text_is_refused(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path, "bert", model_max_length=64)
    file = folder / "tokenizer_config.json"
    told = file.read_text(encoding="utf-8").replace('max_length": 64', 'max_length": "64"')
    file.write_text(told, encoding="utf-8")
    with pytest.raises(OptimizeError, match="the tokenizer fails at 'My card"):
        read(folder)


def test_a_tokenizer_that_keeps_the_end_of_a_text_is_refused(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path, "bert")
    file = folder / "tokenizer_config.json"
    settings = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(settings | {"truncation_side": "left"}), encoding="utf-8")
    with pytest.raises(OptimizeError, match="truncation_side is 'left'"):
        read(folder)


def test_a_tokenizer_in_python_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n", encoding="utf-8")
    (tmp_path / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    settings = '{"tokenizer_class": "BertJapaneseTokenizer", "word_tokenizer_type": "basic"}'
    (tmp_path / "tokenizer_config.json").write_text(settings, encoding="utf-8")
    with pytest.raises(OptimizeError, match="BertJapaneseTokenizer has no fast form"):
        read(tmp_path)
