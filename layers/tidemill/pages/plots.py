"""Plots as SVG, in the colours of the page around them: `.s0` to `.s7` for the variants."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

COLOURS = 8

_WIDTH, _HEIGHT = 400, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 26, 44
_ROOM = 0.06
_APART = 1.0001
_MOST_TICKS = 6
# What a number of three digits needs from the middle of one to that of the next.
_LABEL = 32

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Axis:
    """From values to places on the page."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    logarithmic: bool

    def at(self, value: float) -> float:
        """Where `value` is."""
        low, high, here = self.low, self.high, value
        if self.logarithmic:
            low, high, here = log10(low), log10(high), log10(here)
        return self.start + (here - low) / (high - low) * (self.end - self.start)


def lines(series: Mapping[str, Points], *, title: str, across: str, up: str) -> str:
    """A line with markers for each series, both axes logarithmic; all values are above 0."""
    points = [point for each in series.values() for point in each]
    lengths = sorted({x for x, _ in points})
    horizontal = _logarithmic([x for x, _ in points], _LEFT, _WIDTH - _RIGHT, ticks=lengths)
    vertical = _logarithmic([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    drawn = []
    for number, (name, each) in enumerate(series.items()):
        path = " ".join(f"{horizontal.at(x):.1f},{vertical.at(y):.1f}" for x, y in each)
        drawn.append(f'<polyline class="line {_style(number)}" points="{path}"/>')
        drawn.extend(
            _marker(
                number, horizontal.at(x), vertical.at(y), f"{name}: {x:g} {across}, {y:.3g} {up}"
            )
            for x, y in each
        )
    return _plot(drawn, horizontal, vertical, title=title, across=across, up=up)


def scatter(
    points: Mapping[str, tuple[float, float]],
    *,
    title: str,
    across: str,
    up: str,
    rule: tuple[str, float] | None = None,
) -> str:
    """A marker for each series; across logarithmic, up not. `rule` is a level with its name."""
    levels = [y for _, y in points.values()] + ([rule[1]] if rule else [])
    horizontal = _logarithmic([x for x, _ in points.values()], _LEFT, _WIDTH - _RIGHT)
    vertical = _linear(levels, _HEIGHT - _BOTTOM, _TOP)
    drawn = []
    if rule:
        name, level = rule
        y = vertical.at(level)
        drawn.append(
            f'<line class="rule" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        drawn.append(_text(_WIDTH - _RIGHT - 4, y - 5, name, "end"))
    drawn.extend(
        _marker(number, horizontal.at(x), vertical.at(y), f"{name}: {x:,.4g} {across}, {y:.4g}")
        for number, (name, (x, y)) in enumerate(points.items())
    )
    return _plot(drawn, horizontal, vertical, title=title, across=across, up=up)


def swatch(number: int) -> str:
    """The marker of series `number`, for a legend."""
    return (
        f'<svg class="swatch" viewBox="0 0 14 14" aria-hidden="true">{_shape(number, 7, 7)}</svg>'
    )


def _plot(
    drawn: Sequence[str], horizontal: Axis, vertical: Axis, *, title: str, across: str, up: str
) -> str:
    parts = [*_grid(horizontal, vertical), *drawn]
    parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, across, "middle"))
    parts.append(_text(4, 14, up, "start"))
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )


def _grid(horizontal: Axis, vertical: Axis) -> Iterator[str]:
    for value, shown in zip(vertical.ticks, _shown(vertical), strict=True):
        y = vertical.at(value)
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _text(_LEFT - 6, y + 4, shown, "end")
    last = horizontal.ticks[-1]
    for value in horizontal.ticks:
        x = horizontal.at(value)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>'
        # The last one is always told: how far the plot goes.
        if value == last or horizontal.at(last) - x > _LABEL:
            yield _text(x, _HEIGHT - _BOTTOM + 16, f"{value:,.10g}", "middle")


def _shown(axis: Axis) -> list[str]:
    """The ticks in words; on an even axis all with as many digits."""
    short = [f"{value:,.10g}" for value in axis.ticks]
    if axis.logarithmic:
        return short
    digits = max(len(each.partition(".")[2]) for each in short)
    return [f"{value:,.{digits}f}" for value in axis.ticks]


def _logarithmic(
    values: Sequence[float], start: float, end: float, *, ticks: Sequence[float] | None = None
) -> Axis:
    low, high = min(values), max(values)
    # A single value, or as good as one, stands in the middle of a factor of two.
    room = (high / low) ** _ROOM if high > low * _APART else 2**0.5
    low, high = low / room, high * room
    return Axis(low, high, start, end, tuple(ticks or _round_steps(low, high)), logarithmic=True)


def _round_steps(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten; the powers alone where those would be many."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        steps = [factor * 10.0**power for power in powers for factor in factors]
        inside = [step for step in steps if low <= step <= high]
        if len(inside) <= _MOST_TICKS:
            break
    # In a narrow range there may be no round step at all.
    return inside if len(inside) > 1 else _even_steps(low, high)


def _linear(values: Sequence[float], start: float, end: float) -> Axis:
    low, high = min(values), max(values)
    room = (high - low) * 2 * _ROOM or 0.01
    low, high = low - room, high + room
    return Axis(low, high, start, end, tuple(_even_steps(low, high)), logarithmic=False)


def _even_steps(low: float, high: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten, three to six of them."""
    power = 10.0 ** floor(log10((high - low) / 3))
    step = next(
        each
        for each in (power, 2 * power, 5 * power, 10 * power)
        if (high - low) / each < _MOST_TICKS
    )
    first = ceil(low / step)
    return [round(number * step, 12) for number in range(first, floor(high / step) + 1)]


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _marker(number: int, x: float, y: float, told: str) -> str:
    return f"<g>{_shape(number, x, y)}<title>{escape(told)}</title></g>"


def _shape(number: int, x: float, y: float) -> str:
    """Not by colour alone: four shapes take turns."""
    style = f'class="marker {_style(number)}"'
    match number % 4:
        case 0:
            return f'<circle {style} cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
        case 1:
            return f'<rect {style} x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'
        case 2:
            return f'<path {style} d="M{x:.1f} {y - 5.5:.1f}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"/>'
        case _:
            return f'<path {style} d="M{x:.1f} {y - 5:.1f}l5 9h-10z"/>'


def _style(number: int) -> str:
    return f"s{number % COLOURS}"
