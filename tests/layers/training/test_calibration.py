from pathlib import Path

import orjson

from training.tagger.calibration import write
from training.tagger.conll import Sentence


def test_a_line_is_a_text_with_its_entities(tmp_path: Path) -> None:
    one = Sentence(("Zoë", "in", "York"), ("B-person", "O", "B-location"))
    write(tmp_path / "dev.jsonl", [one, Sentence(("no", "one"), ("O", "O"))])
    lines = (tmp_path / "dev.jsonl").read_bytes().splitlines()
    assert [orjson.loads(line) for line in lines] == [
        {
            "inputs": "Zoë in York",
            "label": [
                {"entity_group": "person", "start": 0, "end": 3},
                {"entity_group": "location", "start": 7, "end": 11},
            ],
        },
        {"inputs": "no one", "label": []},
    ]
