from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.tokens import Places, Tokens
from tidemill.windows import windows, windows_needed

FIRST, LAST = 1, 2


def located(count: int, *, before: int = 1, after: int = 1) -> Tokens:
    """`count` tokens with ids from 100 up, special ones around them."""
    ids = [FIRST] * before + list(range(100, 100 + count)) + [LAST] * after
    places = Places([(0, 0)] * len(ids), [None] * len(ids), slice(before, before + count))
    return Tokens(ids, [0] * len(ids), truncated=False, places=places)


shapes = st.tuples(st.integers(1, 12), st.integers(0, 60), st.integers(0, 2), st.integers(0, 2))


@given(shapes, st.data())
def test_what_windows_keep_is_the_whole_in_order(
    shape: tuple[int, int, int, int], data: st.DataObject
) -> None:
    room, count, before, after = shape
    stride = data.draw(st.integers(0, room // 2))
    tokens = located(count, before=before, after=after)
    cover = list(windows(tokens, room=room, stride=stride))
    assert len(cover) == windows_needed(tokens, room=room, stride=stride)
    assert [id_ for window in cover for id_ in window.tokens.ids[window.kept]] == tokens.ids
    for window in cover:
        assert len(window.tokens.ids) == len(window.tokens.type_ids)
        assert len(window.tokens.ids) == min(room, count) + before + after
        assert window.tokens.ids[:before] == [FIRST] * before
        assert window.tokens.ids[len(window.tokens.ids) - after :] == [LAST] * after


@given(shapes, st.data())
def test_a_token_is_kept_where_the_nearer_end_is_farthest(
    shape: tuple[int, int, int, int], data: st.DataObject
) -> None:
    room, count, before, after = shape
    stride = data.draw(st.integers(0, room // 2))
    cover = [
        (window.tokens.ids[before : len(window.tokens.ids) - after], window)
        for window in windows(located(count, before=before, after=after), room=room, stride=stride)
    ]

    def context(inside: list[int], id_: int) -> int:
        # There is nothing to miss before the text and after it.
        left = 1000 if inside[0] == 100 else id_ - inside[0]
        right = 1000 if inside[-1] == 99 + count else inside[-1] - id_
        return min(left, right)

    for inside, window in cover:
        for id_ in window.tokens.ids[window.kept]:
            if id_ >= 100:
                best = max(context(other, id_) for other, _ in cover if id_ in other)
                assert context(inside, id_) == best


@given(st.integers(2, 12), st.integers(0, 60), st.data())
def test_neighbours_share_at_least_the_stride(room: int, count: int, data: st.DataObject) -> None:
    stride = data.draw(st.integers(0, room // 2))
    contents = [
        window.tokens.ids[1:-1] for window in windows(located(count), room=room, stride=stride)
    ]
    for one, other in pairwise(contents):
        assert len(set(one) & set(other)) >= stride


def test_tokens_that_fit_are_one_window() -> None:
    tokens = located(14)
    (window,) = windows(tokens, room=14, stride=7)
    assert window.tokens.ids == tokens.ids
    assert window.tokens.ids[window.kept] == tokens.ids


def test_tokens_without_places_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="locate the text"):
        next(windows(Tokens([1], [0], truncated=False), room=1, stride=0))
