from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.pages import plots
from tidemill.pages.plots import lines, scatter, swatch

values = st.floats(1e-4, 1e6)
series = st.dictionaries(
    st.text(
        st.characters(
            codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"
        ),
        min_size=1,
    ),
    st.lists(st.tuples(values, values), min_size=1, max_size=5),
    min_size=1,
    max_size=10,
)

WORDS = {"title": "what & why", "across": "tokens", "up": "ms"}


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def places(svg: ET.Element) -> list[tuple[float, float]]:
    found = []
    for line in svg.iter("polyline"):
        for place in line.attrib["points"].split():
            x, y = place.split(",")
            found.append((float(x), float(y)))
    return found


@given(series)
def test_everything_is_drawn_inside_the_plot(
    drawn: dict[str, list[tuple[float, float]]],
) -> None:
    svg = parsed(lines(drawn, **WORDS))
    found = places(svg)
    assert len(found) == sum(len(points) for points in drawn.values())
    assert all(0 <= x <= 400 and 0 <= y <= 300 for x, y in found)


@given(
    st.dictionaries(st.sampled_from("abcdefghij"), st.tuples(values, st.floats(-1, 1)), min_size=1),
    st.one_of(st.none(), st.tuples(st.just("original"), st.floats(-1, 1))),
)
def test_any_points_make_a_plot(
    points: dict[str, tuple[float, float]], rule: tuple[str, float] | None
) -> None:
    svg = parsed(scatter(points, **WORDS, rule=rule))
    assert len(list(svg.iter("title"))) == len(points)
    assert len([line for line in svg.iter("line") if line.attrib["class"] == "rule"]) == bool(rule)
    labels = [text.text for text in svg.iter("text")]
    assert len(labels) < 25


def test_longer_takes_more_and_is_higher_up() -> None:
    svg = parsed(lines({"a": [(8, 1), (32, 4), (128, 16)]}, **WORDS))
    [first, second, third] = places(svg)
    # Both axes are logarithmic, so equal factors are equal steps.
    assert second[0] - first[0] == pytest.approx(third[0] - second[0], abs=0.2)
    assert first[1] - second[1] == pytest.approx(second[1] - third[1], abs=0.2)
    assert first[1] > third[1]


def test_lengths_and_round_times_are_marked() -> None:
    svg = parsed(lines({"a": [(8, 0.9), (512, 40)]}, **WORDS))
    labels = [text.text for text in svg.iter("text")]
    assert {"8", "512", "1", "2", "5", "10", "20", "tokens", "ms"} <= set(labels)


def test_names_are_escaped() -> None:
    svg = lines({"<b>&": [(8, 1)]}, **WORDS)
    assert "<b>" not in svg
    assert next(parsed(svg).iter("title")).text == "<b>&: 8 tokens, 1 ms"
    assert parsed(svg).attrib["aria-label"] == "what & why"


def test_variants_differ_by_shape_and_colour() -> None:
    drawn = [swatch(number) for number in range(plots.COLOURS)]
    assert len(set(drawn)) == plots.COLOURS
    assert [next(iter(parsed(each))).tag for each in drawn[:4]] == [
        "circle",
        "rect",
        "path",
        "path",
    ]
