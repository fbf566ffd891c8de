"""The texts of a run: all contestants get the same ones."""

from collections.abc import Mapping, Sequence

from tidemill.artifact import Artifact
from tidemill.bench.grid import Setting
from tidemill.errors import BenchError
from tidemill.files import TOKENIZER
from tidemill.probes import Probes
from tidemill.tasks import open_task
from tidemill.tokens import TokenizerFile


def inputs_for(artifact: Artifact, settings: Sequence[Setting]) -> Mapping[int, list[object]]:
    """Length in tokens to as many different inputs as the largest batch takes.

    Raises:
        BenchError: The tokenizer makes no text of some length.
    """
    tokenizer = TokenizerFile(artifact.path / TOKENIZER, artifact.max_length)
    probes = Probes(artifact, open_task(artifact), tokenizer)
    most = max(setting.batch for setting in settings)
    made: dict[int, list[object]] = {}
    for tokens in {setting.tokens for setting in settings}:
        found = [probes.inputs(tokens, number) for number in range(most)]
        if None in found:
            raise BenchError(
                f"the model's tokenizer makes no text of exactly {tokens} tokens;"
                f" leave {tokens} out of --lengths"
            )
        made[tokens] = found
    return made
