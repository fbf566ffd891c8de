"""`report.html` of a benchmark: one page that needs nothing else, no script and no network."""

from collections.abc import Iterator
from html import escape
from typing import Final

from tidemill.bench import published, report_plots, report_tables
from tidemill.bench.focus import Focus
from tidemill.bench.noise import RULE
from tidemill.bench.summary import Summary
from tidemill.bench.wording import cores
from tidemill.pages.page import document, milliseconds, terms

_METHOD: Final = (
    "A call has so many texts (the batch), all different and all of exactly so many tokens, special"
    " ones included. Tidemill runs each of them by itself, one on each core where there are as many"
    " as cores, and one after another on all cores where there are fewer; the transformers pipeline"
    " gets batch_size. Both sit in processes of their own, pinned to the same cores, and take turns"
    " within every cell. The floor is the model's multiply-adds, attention's own included, as bare"
    " int8 matrix products at the highest rate that this machine was seen to reach; at own shapes"
    " it is the time of just these products, one after another."
)
_RANDOM: Final = (
    "The models have the sizes of those published and random weights, since speed depends on sizes"
    " alone. They are made by {}. Only the model is timed, without tokenizing, as it was published."
    " ViT is not there yet: images are no task of Tidemill."
)
_OTHER_MODEL: Final = (
    "These are figures of DistilBERT (66 million parameters). Beside another model's they say"
    " little; the ratio to transformers of the same model can still be compared."
)


def page(summary: Summary) -> str:
    """The page; names and paths are whatever somebody called them, so all is escaped."""
    name = summary.run["artifact"]["name"] if summary.run["artifact"] else "Random encoders"
    grid = summary.run["settings"]["grid"]["name"]
    parts = [
        f"<h1>{escape(name)}</h1>",
        f'<p class="quiet">{escape(_subtitle(summary, grid))}</p>',
        f'<p class="lead">{escape(lead(summary))}</p>',
    ]
    if summary.results:
        parts += _random_models(summary) if grid == "inferentia" else _one_model(summary)
        parts += ["<h2>Every cell, in milliseconds</h2>", report_tables.all_cells(summary.results)]
    parts += [
        "<h2>How far to trust it</h2>",
        terms(_noise(summary)),
        "<h2>How it was measured</h2>",
        f"<p>{escape(_METHOD)}</p>",
        terms(_details(summary)),
    ]
    return document(title=f"{name}, benchmark", body="\n".join(parts))


def lead(summary: Summary) -> str:
    """The outcome in a sentence or two."""
    told = f"{len(summary.results)} of {summary.wanted} cells are measured"
    if summary.noise is not None and summary.noise.distrusted:
        told += f", {summary.noise.distrusted} of them not to be trusted"
    trusted = [each for each in summary.results if not each.doubts]
    ratios = [each.cell.ratio for each in trusted if each.cell.ratio is not None]
    shares = [each.share for each in trusted if each.share is not None]
    if ratios:
        told += f"; {min(ratios):.1f} to {max(ratios):.1f} times as fast as transformers"
    if shares:
        told += f"; {min(shares):.0%} to {max(shares):.0%} of the floor"
    return f"{told}."


def _subtitle(summary: Summary, grid: str) -> str:
    variant = f"variant {summary.run['artifact']['variant']}, " if summary.run["artifact"] else ""
    return f"{variant}grid {grid}, on {summary.run['machine']['cpu']}"


def _one_model(summary: Summary) -> Iterator[str]:
    focus, infinity = Focus(summary.results), published.infinity()
    yield report_tables.overview(focus)
    yield f'<p class="quiet">Batch {focus.batch}, {cores(focus.cores)}; milliseconds of a call.</p>'
    yield '<div class="plots">'
    yield report_plots.latency_by_length(focus, infinity)
    yield report_plots.ratio(focus, infinity)
    yield report_plots.share_of_floor(focus)
    yield report_plots.throughput(focus)
    yield report_plots.latency_by_batch(focus)
    yield "</div>"
    if focus.cores == infinity.cores and focus.batch == 1:
        yield "<h2>Beside Infinity</h2>"
        yield report_tables.beside_infinity(focus, infinity)
        yield _source(f"{infinity.hardware}. {_OTHER_MODEL}", infinity.source)


def _random_models(summary: Summary) -> Iterator[str]:
    inferentia2 = published.inferentia2()
    names = dict.fromkeys(each.cell.setting.model for each in summary.results)
    models = {
        name: Focus([each for each in summary.results if each.cell.setting.model == name])
        for name in names
    }
    yield f"<p>{escape(_RANDOM.format(summary.run['settings']['models made by']))}</p>"
    yield '<div class="plots">'
    for name, focus in models.items():
        yield report_plots.beside_inferentia2(name, focus, inferentia2)
    yield "</div>"
    yield "<h2>Beside Inferentia2, 95th percentile in milliseconds</h2>"
    yield report_tables.beside_inferentia2(models, inferentia2)
    machines = "; ".join(f"{name}: {told}" for name, told in inferentia2.hardware.items())
    yield _source(machines, inferentia2.source)


def _source(told: str, source: str) -> str:
    return f'<p class="quiet">{escape(told)} Published at {escape(source)}.</p>'


def _noise(summary: Summary) -> Iterator[tuple[str, str]]:
    noise = summary.noise
    if noise is not None:
        yield "Distrusted", f"{noise.distrusted} of {noise.cells} cells, marked (?)"
        first, last = milliseconds(noise.first_ms), milliseconds(noise.last_ms)
        least, most = milliseconds(noise.quietest_ms), milliseconds(noise.slowest_ms)
        told = f"{first} ms at first, {last} ms at last; from {least} to {most} ms"
        yield "The same work", told
    yield "Rule", RULE


def _details(summary: Summary) -> Iterator[tuple[str, str]]:
    machine, settings = summary.run["machine"], summary.run["settings"]
    for number, gops in summary.gops.items():
        yield f"Peak, {cores(number)}", f"{gops:,.0f} billion int8 operations a second"
    if summary.run["artifact"]:
        yield "Artifact", f"{summary.run['artifact']['digest']}"
    if settings["baseline"]:
        yield "Baseline", f"transformers, fp32, {settings['baseline']}"
    for name, ran in summary.measured.items():
        yield name or "Variant", ran.variant
    yield "Each cell", f"{settings['grid']['seconds']:g} s, shared by all that is timed in it"
    yield "Machine", f"{machine['cpu']}, {cores(machine['cores'])} granted"
    yield "Pinned", "yes" if machine["pinned"] else "no: this system has no affinity"
    yield "Features", ", ".join(machine["features"])
    yield "System", machine["system"]
    yield "Packages", ", ".join(f"{name} {each}" for name, each in machine["packages"].items())
