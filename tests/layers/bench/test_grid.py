import pytest

from tidemill.bench.grid import Setting, grid, numbers
from tidemill.errors import BenchError


def test_of_the_published_grid_what_does_not_exist_here_is_left_out() -> None:
    made = grid("infinity", granted=2, max_length=128)
    assert made.cores == (1, 2)
    assert made.lengths == (8, 16, 32, 64, 128)
    assert made.batches == (1, 2, 4, 8, 16, 32)
    assert len(list(made.settings())) == 2 * 5 * 6


def test_a_model_shorter_than_any_length_is_measured_at_its_own() -> None:
    assert grid("quick", granted=4, max_length=6).lengths == (6,)


def test_what_the_user_asks_for_takes_the_grids_place_in_order_and_once() -> None:
    made = grid(
        "infinity",
        granted=8,
        max_length=512,
        cores=[8, 2],
        lengths=[9, 9],
        batches=[3],
        seconds=0.5,
    )
    assert (made.cores, made.lengths, made.batches, made.seconds) == ((2, 8), (9,), (3,), 0.5)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"cores": [1, 4]}, r"--cores has 4 and this process is granted 2 core\(s\); leave it out"),
        ({"lengths": [600]}, "--lengths has 600 and the model takes 512 tokens; leave it out"),
        ({"batches": [0]}, "--batches has 0; give whole numbers from 1 up"),
    ],
)
def test_what_cannot_be_measured_is_refused(asked: dict[str, list[int]], words: str) -> None:
    with pytest.raises(BenchError, match=words):
        grid("infinity", granted=2, max_length=512, **asked)  # type: ignore[arg-type]


def test_lists_of_numbers_are_read_and_others_refused() -> None:
    assert numbers("--cores", "1, 2") == (1, 2)
    assert numbers("--cores", None) is None
    with pytest.raises(BenchError, match="--cores is '1;2' and must be whole numbers with commas"):
        numbers("--cores", "1;2")


def test_fewer_texts_than_cores_take_turns_on_all_of_them() -> None:
    assert Setting(cores=4, tokens=8, batch=3).mode == "latency"
    assert Setting(cores=4, tokens=8, batch=4).mode == "throughput"
    assert Setting(cores=1, tokens=8, batch=1).mode == "throughput"
