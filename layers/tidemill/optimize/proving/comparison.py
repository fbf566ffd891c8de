"""A candidate's outputs against the reference's, text by text, by the measures of the task."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tidemill.engines import Outputs
from tidemill.optimize.facts import Facts
from tidemill.optimize.proving import task_measures
from tidemill.optimize.proving.pairs import Accuracy, Cosine, Moves, pairs_of
from tidemill.optimize.proving.workload import Prepared


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was measured; None where the task or the examples do not have such a thing.

    A text for which the candidate answers NaN or infinity has another label than the reference and
    is wrong; in moves, cosines and correlations, which it would make NaN too, it does not count.
    One for which the reference does so is left out altogether.
    """

    compared: int
    """Texts, or of ranking queries."""
    non_finite: int
    """Of them: the candidate answers NaN or infinity."""
    reference_non_finite: int
    """Left out: the reference answers NaN or infinity."""
    tie: float | None = None
    """How much less likely than its best the reference may find a label that is still the same."""
    agreement: float | None = None
    """Share of texts with the same label (multi label: the same set above 0.5), of tokens with the
    same label, or of queries with the same best text."""
    moved: Moves | None = None
    """Probabilities; of regression, and of ranking without an activation, the score itself."""
    cosine: Cosine | None = None
    span_f1: float | None = None
    """Of the candidate's entities, the reference's taken for right."""
    rank_correlation: float | None = None
    """Spearman's, mean over the queries whose texts the reference tells apart."""
    correlation: float | None = None
    """Lin's concordance over all texts; of a regression with several outputs, the lowest."""
    accuracy: Accuracy | None = None

    def as_json(self) -> dict[str, Any]:
        """The measures that there are."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def compare(
    facts: Facts,
    prepared: Sequence[Prepared],
    reference: Sequence[Outputs],
    candidate: Sequence[Outputs],
    *,
    tie: float = 0.0,
) -> Comparison:
    """Measure `candidate` against `reference`.

    Args:
        facts: Of the model.
        prepared: What was computed.
        reference: Outputs of every run of `prepared`, in order, batch dimension 1.
        candidate: The same from the candidate.
        tie: Where the reference's best label is no more than this likelier than the candidate's,
            either is the same; of multi label, where a label's probability is so close to a half.
    """
    pairs = list(pairs_of(prepared, reference, candidate))
    usable = [pair for pair in pairs if pair.usable]
    counts = Comparison(
        tie=tie or None,
        compared=len(usable),
        non_finite=sum(not pair.ok for pair in usable),
        reference_non_finite=len(pairs) - len(usable),
    )
    if not usable:
        return counts
    match facts.task, facts.problem_type:
        case "text-classification", "regression":
            measures = task_measures.regression(usable)
        case "text-classification", _:
            measures = task_measures.classification(facts, usable, tie)
        case "token-classification", _:
            measures = task_measures.tagging(facts, usable, tie)
        case "feature-extraction", _:
            measures = {"cosine": task_measures.cosines(usable, facts.default_dimensions)}
        case _:
            measures = task_measures.ranking(facts, usable)
    return replace(counts, **measures)
