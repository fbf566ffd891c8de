import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.errors import Empty, Validation
from tidemill.tasks.inputs import check_parameters, flag, shown, text_or_pair

surrogates = st.characters(categories=["Cs"])


def test_a_string_is_a_text_without_a_pair() -> None:
    assert text_or_pair("card", pairs=True) == ("card", None)
    assert text_or_pair({"text": "card"}, pairs=False) == ("card", None)


def test_a_pair_is_two_texts() -> None:
    pair = {"text": "card", "text_pair": "lost"}
    assert text_or_pair(pair, pairs=True) == ("card", "lost")


def test_a_task_without_pairs_refuses_one_and_says_what_it_takes() -> None:
    with pytest.raises(Validation, match=r"inputs has \['text_pair'\].*; it takes text$"):
        text_or_pair({"text": "card", "text_pair": "lost"}, pairs=False)


@pytest.mark.parametrize(
    ("pairs", "rule"), [(True, 'a string or {"text", "text_pair"}'), (False, "a string")]
)
def test_another_kind_is_told_the_rule(pairs: bool, rule: str) -> None:
    with pytest.raises(Validation) as refused:
        text_or_pair(7, pairs=pairs)
    assert str(refused.value) == f"inputs must be {rule}, not 7"


@given(st.text(max_size=5), surrogates, st.text(max_size=5))
def test_half_of_a_surrogate_pair_is_refused_in_words_that_can_be_written(
    before: str, half: str, after: str
) -> None:
    with pytest.raises((Validation, Empty)) as refused:
        text_or_pair("a" + before + half + after, pairs=True)
    assert f"at character {len(before) + 1}" in str(refused.value)
    orjson.dumps(str(refused.value))


def test_parameters_in_the_list_are_allowed() -> None:
    check_parameters({"truncate": True}, ("top_k", "truncate"))


def test_other_parameters_are_named() -> None:
    with pytest.raises(Validation, match=r"has \['a', 'b'\].* it takes top_k, truncate"):
        check_parameters({"b": 1, "a": 1, "top_k": 1}, ("top_k", "truncate"))


def test_a_flag_is_itself_or_the_default() -> None:
    assert flag({"truncate": False}, "truncate", default=True) is False
    assert flag({}, "truncate", default=True) is True


@pytest.mark.parametrize("value", [None, 0, 1, "true", []])
def test_a_flag_is_nothing_but_true_or_false(value: object) -> None:
    with pytest.raises(Validation, match="must be true or false"):
        flag({"truncate": value}, "truncate", default=True)


def test_values_are_shown_as_json_names_them_and_no_longer_than_a_line() -> None:
    assert [shown(value) for value in (None, True, False, 1, "a")] == [
        "null", "true", "false", "1", "'a'",
    ]  # fmt: skip
    assert len(shown("a" * 1000)) < 70
