import gzip
import os
from pathlib import Path
from typing import get_args

import orjson
import pytest

from tests.layers.optimize.subjects import facts, task_of
from tidemill.artifact import TaskName
from tidemill.errors import OptimizeError
from tidemill.optimize.proving.examples import Example, built_in, read

FIXTURES: dict[TaskName, str] = {
    "text-classification": "classifier",
    "token-classification": "tagger",
    "feature-extraction": "embedder",
    "ranking": "ranker",
}


def written(path: Path, *lines: object) -> Path:
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return path


def test_a_line_is_a_string_or_an_object_with_or_without_a_label(
    classifier: Path, tmp_path: Path
) -> None:
    file = written(
        tmp_path / "calibration.jsonl",
        "card lost",
        {"inputs": "where is my card"},
        {"id": 7, "inputs": {"text": "fee", "text_pair": "card"}, "label": "label-1"},
        {"inputs": "help", "label": None, "parameters": {"top_k": 2}},
    )
    assert read(file, facts(), task_of(classifier)) == [
        Example("card lost"),
        Example("where is my card"),
        Example({"text": "fee", "text_pair": "card"}, "label-1"),
        Example("help", None, {"top_k": 2}),
    ]


def test_blank_lines_are_passed_over_and_still_counted(classifier: Path, tmp_path: Path) -> None:
    file = tmp_path / "calibration.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"inputs": "card", "label": "label-2"}\n\n  \r\n"fee"\n{}\n')
    with pytest.raises(OptimizeError, match="line 5: the record has no"):
        read(file, facts(), task_of(classifier))
    file.write_bytes(file.read_bytes().removesuffix(b"{}\n"))
    assert read(file, facts(), task_of(classifier)) == [
        Example("card", "label-2"),
        Example("fee"),
    ]


def test_a_pipe_is_refused_before_it_is_read(classifier: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OptimizeError, match="pipe is no regular file"):
        read(pipe, facts(), task_of(classifier))


def test_gzip_is_read_too(classifier: Path, tmp_path: Path) -> None:
    file = tmp_path / "calibration.jsonl.gz"
    file.write_bytes(gzip.compress(b'"card"\n"fee"\n'))
    assert read(file, facts(), task_of(classifier)) == [Example("card"), Example("fee")]
    whole = file.read_bytes()
    # In the trailer, and in the middle of a line.
    for cut in (-6, -11):
        file.write_bytes(whole[:cut])
        with pytest.raises(OptimizeError, match="cannot be read: the gzip stream is cut off"):
            read(file, facts(), task_of(classifier))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{", "line 2: the line is not JSON"),
        (b"7", "line 2: the line must be a JSON string or an object"),
        (b'{"text": "card"}', "line 2: the record has no .inputs.; its keys are: text"),
        (b'{"inputs": ""}', "line 2: inputs is empty"),
        (b'{"inputs": 7}', "line 2: inputs must be a string"),
        (b'{"inputs": "card", "labels": "label-1"}', "line 2: the line has labels; it takes"),
        (b'{"inputs": "card", "parameters": {"top": 1}}', "line 2: parameters has \\['top'\\]"),
        (
            b'{"inputs": "card", "label": "LABEL-1"}',
            "'LABEL-1' is none of the model's, which are 'label-0', 'label-1', 'label-2'; mend",
        ),
        (b'{"inputs": "card", "label": 1}', "line 2: label 1 is none of the model's"),
        (b'"' + b"a" * (4 << 20) + b'"', "line 2: the line has 4194306 bytes"),
    ],
)
def test_a_bad_line_is_refused_by_its_number(
    classifier: Path, tmp_path: Path, line: bytes, says: str
) -> None:
    file = tmp_path / "calibration.jsonl"
    file.write_bytes(b'"fine"\n' + line + b"\n")
    with pytest.raises(OptimizeError, match=says):
        read(file, facts(), task_of(classifier))


def test_a_file_that_is_not_there_or_empty_is_refused(classifier: Path, tmp_path: Path) -> None:
    with pytest.raises(OptimizeError, match=r"none\.jsonl cannot be read: No such file"):
        read(tmp_path / "none.jsonl", facts(), task_of(classifier))
    with pytest.raises(OptimizeError, match="has no lines; give at least one"):
        read(written(tmp_path / "empty.jsonl"), facts(), task_of(classifier))


@pytest.mark.parametrize("name", get_args(TaskName))
def test_what_comes_with_tidemill_is_taken_by_every_task(
    request: pytest.FixtureRequest, name: TaskName
) -> None:
    task = task_of(request.getfixturevalue(FIXTURES[name]))
    examples = built_in(facts(name))
    assert len(examples) >= 40
    for example in examples:
        task.request(example.inputs, {})
    assert len({str(example.inputs) for example in examples}) == len(examples)


def texts(name: TaskName) -> list[str]:
    return [str(example.inputs) for example in built_in(facts(name))]


@pytest.mark.parametrize("part", ["https://", "\u0301", "\u200d", "😀", *"ßłğяшشहक的の가"])
def test_the_texts_are_of_many_kinds(part: str) -> None:
    assert any(part in text for text in texts("text-classification"))


@pytest.mark.parametrize("name", get_args(TaskName))
def test_the_texts_are_short_and_long(name: TaskName) -> None:
    words = [len(text.split()) for text in texts(name)]
    assert min(words) <= (20 if name == "ranking" else 2)
    assert max(words) >= (40 if name == "ranking" else 400)
