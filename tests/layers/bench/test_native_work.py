from pathlib import Path

from tests.fakes.encoders import encoder
from tidemill.bench.native_work import described
from tidemill.bench.work import Product


def test_every_product_of_a_text_is_counted(tmp_path: Path) -> None:
    path = encoder(hidden=48, inner=80, heads=4, layers=(0, 1), select="mean", head={}).write(
        tmp_path / "model"
    )
    (work,) = described(path, [9])
    assert work.weights == {
        Product(9, 48, 144): 2,
        Product(9, 48, 48): 2,
        Product(9, 48, 80): 2,
        Product(9, 80, 48): 2,
    }
    assert work.attention == 2 * 2 * 9 * 9 * 48


def test_of_the_last_layer_a_head_for_the_first_token_needs_that_alone(
    tmp_path: Path,
) -> None:
    path = encoder(hidden=48, inner=80, heads=4, layers=(0, 1)).write(tmp_path / "model")
    (work,) = described(path, [9])
    assert work.weights == {
        Product(9, 48, 144): 1,
        Product(9, 48, 48): 1,
        Product(9, 48, 80): 1,
        Product(9, 80, 48): 1,
        # A query, that by weights of keys, states by those of values, attention's output, and the head.
        Product(1, 48, 48): 5,
        Product(1, 48, 80): 1,
        Product(1, 80, 48): 1,
        Product(1, 48, 3): 1,
    }
    assert work.attention == 2 * 9 * 9 * 48 + 2 * 9 * 48 * 4


def test_wide_embeddings_and_heads_for_every_token_take_more(tmp_path: Path) -> None:
    path = encoder(width=24, layers=(0, 0, 0), select="every", head={"none": 7}).write(
        tmp_path / "model"
    )
    short, long = described(path, [2, 5])
    assert short.weights[Product(2, 48, 144)] == 3
    assert long.weights[Product(5, 24, 48)] == 1
    assert long.weights[Product(5, 48, 7)] == 1
