"""What is measured: cores by lengths by batches, under a name or as the user says."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tidemill.errors import BenchError
from tidemill.pipeline import Mode

GridName = Literal["infinity", "inferentia", "quick"]

_LENGTHS: Final = (8, 16, 32, 64, 128, 256, 384, 512)


@dataclass(frozen=True, slots=True)
class Setting:
    """What one cell is measured with."""

    cores: int
    tokens: int
    batch: int
    """Texts in one call; Tidemill runs each of them by itself."""
    model: str = ""
    """Which one, where a grid has several."""

    @property
    def mode(self) -> Mode:
        """How the pipeline is opened: fewer texts than cores are run one by one on all cores."""
        return "latency" if self.batch < self.cores else "throughput"


@dataclass(frozen=True, slots=True)
class Grid:
    """All cells of a run."""

    name: str
    cores: tuple[int, ...]
    lengths: tuple[int, ...]
    batches: tuple[int, ...]
    seconds: float
    """For each cell; slow ones take longer, since a few calls are the least."""
    models: tuple[str, ...] = ("",)

    def settings(self) -> Iterator[Setting]:
        """In the order in which they are measured; short texts come first."""
        for model in self.models:
            for cores in self.cores:
                for tokens in self.lengths:
                    for batch in self.batches:
                        yield Setting(cores, tokens, batch, model)


# The first is the grid of Infinity's benchmark, the second that of Inferentia2's; `published` has
# the sources. None for cores is all there are.
_CORES: Final[dict[GridName, tuple[int, ...] | None]] = {
    "infinity": (1, 2, 4, 8),
    "inferentia": None,
    "quick": None,
}
_BATCHES: Final[dict[GridName, tuple[int, ...]]] = {
    "infinity": (1, 2, 4, 8, 16, 32),
    "inferentia": (1,),
    "quick": (1, 8),
}
_NAMED_LENGTHS: Final[dict[GridName, tuple[int, ...]]] = {
    "infinity": _LENGTHS,
    "inferentia": (8, 16, 32, 64, 128, 256, 512),
    "quick": (8, 32, 128),
}
_SECONDS: Final[dict[GridName, float]] = {"infinity": 6.0, "inferentia": 4.0, "quick": 5.0}


def grid(
    name: GridName,
    *,
    granted: int,
    max_length: int,
    cores: Sequence[int] | None = None,
    lengths: Sequence[int] | None = None,
    batches: Sequence[int] | None = None,
    seconds: float | None = None,
    models: tuple[str, ...] = ("",),
) -> Grid:
    """The grid called `name`, with what the user says in place of its own.

    Args:
        name: Which grid; of it, what this machine and the model have not is left out.
        granted: Cores that there are.
        max_length: Tokens that the model takes.
        cores: Instead of the grid's.
        lengths: Instead of the grid's, in tokens.
        batches: Instead of the grid's, in texts.
        seconds: For each cell.
        models: Names, where there are several.

    Raises:
        BenchError: The user asks for cores that do not exist or lengths beyond the model.
    """
    _check("--cores", cores, granted, "this process is granted {} core(s)")
    _check("--lengths", lengths, max_length, "the model takes {} tokens")
    _check("--batches", batches, None, "")
    of_grid = _CORES[name] or (granted,)
    fitting = tuple(each for each in _NAMED_LENGTHS[name] if each <= max_length)
    return Grid(
        name=name,
        cores=_sorted(cores) or tuple(each for each in of_grid if each <= granted),
        lengths=_sorted(lengths) or fitting or (max_length,),
        batches=_sorted(batches) or _BATCHES[name],
        seconds=_SECONDS[name] if seconds is None else seconds,
        models=models,
    )


def numbers(option: str, told: str | None) -> tuple[int, ...] | None:
    """The whole numbers of a list such as `8,128`.

    Raises:
        BenchError: It is no such list.
    """
    if told is None:
        return None
    try:
        return tuple(int(each) for each in told.split(","))
    except ValueError as error:
        raise BenchError(
            f"{option} is {told!r} and must be whole numbers with commas between, such as 8,128"
        ) from error


def _check(option: str, asked: Sequence[int] | None, most: int | None, rule: str) -> None:
    for each in asked or ():
        if each < 1:
            raise BenchError(f"{option} has {each}; give whole numbers from 1 up")
        if most is not None and each > most:
            raise BenchError(f"{option} has {each} and {rule.format(most)}; leave it out")


def _sorted(asked: Sequence[int] | None) -> tuple[int, ...]:
    return tuple(sorted(set(asked or ())))
