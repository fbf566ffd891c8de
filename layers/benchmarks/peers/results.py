"""What came out: rates with their spread, and how many times faster the job is."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from benchmarks.peers.agreement import Agreement
from benchmarks.peers.contestants import HANDLING, JOB, Contestant
from benchmarks.peers.mixes import Mix
from benchmarks.peers.rounds import Round
from tidemill.environment import Environment


@dataclass(frozen=True, slots=True)
class Rate:
    """One contestant on one mix."""

    texts_per_s: float
    """The median of the rounds."""
    spread: float
    """The fastest round less the slowest, as a share of the median."""
    busy: float
    """The share of the cores' time that it used."""
    job_is_faster: float | None
    """How many times the rate `tidemill batch` has; None where that is out."""
    rounds_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MixResult:
    """All of them on one mix."""

    mix: str
    texts: int
    mean_tokens: float
    rates: Mapping[str, Rate]
    handling: float | None
    """The share of the job's processor time that is JSON and hand-over, not the model."""

    @classmethod
    def of(cls, mix: Mix, taken: Mapping[Contestant, Sequence[Round]], cores: int) -> "MixResult":
        """Sum the rounds up."""
        medians = {each: median(r.wall_s for r in rounds) for each, rounds in taken.items()}
        rates = {
            each.name: _rate(len(mix.texts), rounds, medians[each], medians.get(JOB), cores)
            for each, rounds in taken.items()
        }
        return cls(mix.name, len(mix.texts), mix.mean_tokens, rates, _handling(taken))


@dataclass(frozen=True, slots=True)
class Results:
    """A whole run."""

    task: str
    artifact: str
    digest: str
    variant: str
    """What Tidemill ran."""
    cores: int
    machine: Environment
    packages: Mapping[str, Mapping[str, str]]
    """By environment."""
    mixes: Sequence[MixResult]
    startup_s: float | None
    """Of the whole command, with a single text."""
    agreements: Mapping[str, Agreement]
    """With the reference, by contestant."""
    out: Mapping[str, str]
    """Who did not take part, and why."""

    def as_json(self) -> dict[str, Any]:
        """Everything."""
        return asdict(self)


def _rate(
    texts: int, rounds: Sequence[Round], median_s: float, job_s: float | None, cores: int
) -> Rate:
    rates = [texts / each.wall_s for each in rounds]
    rate = texts / median_s
    return Rate(
        texts_per_s=rate,
        spread=(max(rates) - min(rates)) / rate,
        busy=median(each.cpu_s / (each.wall_s * cores) for each in rounds),
        job_is_faster=None if job_s is None else median_s / job_s,
        rounds_s=tuple(each.wall_s for each in rounds),
    )


def _handling(taken: Mapping[Contestant, Sequence[Round]]) -> float | None:
    if JOB not in taken or HANDLING not in taken:
        return None
    job, handling = (median(each.cpu_s for each in taken[name]) for name in (JOB, HANDLING))
    return handling / job
