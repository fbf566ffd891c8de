import pytest
from torch import nn
from transformers import PretrainedConfig

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.length import longest


class Positions(nn.Module):
    """A table of absolute positions."""

    def __init__(self, rows: int, padding: int | None) -> None:
        super().__init__()
        self.position_embeddings = nn.Embedding(rows, 2, padding_idx=padding)


@pytest.mark.parametrize(("padding", "expected"), [(None, 514), (0, 513), (1, 512)])
def test_positions_up_to_the_paddings_are_no_tokens(padding: int | None, expected: int) -> None:
    found = longest(Positions(514, padding), PretrainedConfig(), tokenizer=10**30, sentences=None)
    assert found == expected


def test_the_table_counts_and_not_what_the_configuration_says_of_it() -> None:
    config = PretrainedConfig(max_position_embeddings=514)
    assert longest(Positions(514, 1), config, tokenizer=None, sentences=None) == 512


def test_a_model_without_a_table_takes_what_its_configuration_says() -> None:
    config = PretrainedConfig(max_position_embeddings=8192)
    assert longest(nn.Module(), config, tokenizer=10**30, sentences=None) == 8192
    assert longest(nn.Module(), config, tokenizer=10**30, sentences=256) == 256


def test_a_length_is_a_whole_number_however_it_is_written() -> None:
    found = longest(nn.Module(), PretrainedConfig(), tokenizer=1e30, sentences=256.0)
    assert (found, type(found)) == (256, int)
    with pytest.raises(OptimizeError, match=r"whole number of tokens and is 256\.5"):
        longest(nn.Module(), PretrainedConfig(), tokenizer=None, sentences=256.5)


def test_a_model_that_says_nothing_is_refused_with_the_way_out() -> None:
    with pytest.raises(OptimizeError, match="set model_max_length in"):
        longest(nn.Module(), PretrainedConfig(), tokenizer=10**30, sentences=None)
