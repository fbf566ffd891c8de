"""From what was read of a checkpoint to the facts that an artifact tells."""

from tidemill.errors import OptimizeError
from tidemill.optimize.facts import Facts
from tidemill.optimize.loading import graph
from tidemill.optimize.loading.checkpoint import Checkpoint
from tidemill.optimize.loading.choice import Choice
from tidemill.optimize.loading.graph import Graph
from tidemill.optimize.loading.sentence import Sentences

_FEW_TOKENS = 4


def facts(
    checkpoint: Checkpoint,
    chosen: Choice,
    sentences: Sentences | None,
    module: Graph,
    *,
    max_length: int,
) -> Facts:
    """What `tidemill.json` will say of `module`.

    Raises:
        OptimizeError: The model fails, gives another number of logits than there are labels, or
            fewer dimensions than it is to be cut to.
    """
    width = graph.width(module, tokens=min(max_length, _FEW_TOKENS))
    expected = 1 if chosen.task == "ranking" else len(chosen.labels)
    if chosen.task != "feature-extraction" and width != expected:
        raise OptimizeError(
            f"the model gives {width} logits and config.json has {expected} labels; correct id2label"
        )
    encoder = sentences.encoder if sentences else checkpoint
    source = {
        "model": checkpoint.model,
        "revision": checkpoint.revision,
        "architecture": type(module.model).__name__,
        "weights": encoder.dtype(),
        "licence": checkpoint.licence,
    }
    return Facts(
        name=checkpoint.name,
        task=chosen.task,
        problem_type=chosen.problem_type,
        labels=chosen.labels,
        normalize=sentences is not None and sentences.normalize,
        dimensions=width if chosen.task == "feature-extraction" else None,
        default_dimensions=_default_dimensions(sentences, width),
        activation=chosen.activation,
        prompts=sentences.prompts if sentences else {},
        default_prompt_name=sentences.default_prompt_name if sentences else None,
        max_length=max_length,
        inputs=module.names,
        why=chosen.why,
        source={key: value for key, value in source.items() if value is not None},
    )


def _default_dimensions(sentences: Sentences | None, width: int) -> int | None:
    wanted = sentences.default_dimensions if sentences else None
    if wanted is not None and (type(wanted) is not int or not 0 < wanted <= width):
        raise OptimizeError(
            f"config_sentence_transformers.json: truncate_dim {wanted!r} is not one of 1 to {width},"
            " the dimensions of the model"
        )
    return wanted
