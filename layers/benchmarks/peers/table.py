"""The results, for the terminal."""

from benchmarks.peers.agreement import Agreement
from benchmarks.peers.results import MixResult, Results

_WIDTH = 52


def table(results: Results) -> str:
    """A block for each mix, then agreement, start-up and who is out."""
    where = f"{results.cores} cores of {results.machine.cpu}"
    lines = [f"{results.task}: {results.artifact}, {results.variant}, on {where}"]
    for mix in results.mixes:
        lines += ["", *_mix(mix)]
    if results.startup_s is not None:
        lines += ["", f"The whole command, for a single text: {results.startup_s:.2f} s"]
    if results.agreements:
        lines += ["", f"{'answers beside the reference':{_WIDTH}}cosine: mean    least"]
        lines += [_agreement(name, each) for name, each in results.agreements.items()]
    lines += [f"Left out: {name.strip()}: {reason}" for name, reason in results.out.items()]
    return "\n".join(lines)


def _agreement(name: str, each: Agreement) -> str:
    same = "" if each.same_label is None else f"   same label {each.same_label:.1%}"
    return f"{name:{_WIDTH}}{each.mean_cosine:12.5f}{each.least_cosine:9.5f}{same}"


def _mix(mix: MixResult) -> list[str]:
    title = f"{mix.mix}: {mix.texts:,} texts of {mix.mean_tokens:.0f} tokens"
    lines = [f"{title:{_WIDTH}}  texts/s   spread   cores busy   job is faster"]
    for name, rate in mix.rates.items():
        faster = "" if rate.job_is_faster is None else f"{rate.job_is_faster:.2f} x"
        lines.append(
            f"{name:{_WIDTH}}{rate.texts_per_s:9,.1f}{rate.spread:9.1%}{rate.busy:13.0%}{faster:>16}"
        )
    if mix.handling is not None:
        lines.append(f"JSON and hand-over: {mix.handling:.1%} of the job's processor time")
    return lines
