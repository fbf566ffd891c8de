"""Which architectures can be exported."""

from transformers import PretrainedConfig
from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

from tidemill.errors import OptimizeError
from tidemill.optimize.loading.checkpoint import Checkpoint


def check(checkpoint: Checkpoint, config: PretrainedConfig) -> None:
    """Refuse what is no plain encoder of texts; any other is tried, and the export is checked.

    Raises:
        OptimizeError: A decoder, an encoder with a decoder, quantised weights, or an adapter.
    """
    name = f"{checkpoint.model} ({config.model_type})"
    if checkpoint.has("adapter_config.json"):
        raise OptimizeError(
            f"{name} is an adapter; merge it into its model with peft and save that"
        )
    if getattr(config, "quantization_config", None) is not None:
        raise OptimizeError(
            f"{name} has weights that are quantised already; name the original in 16 or 32 bits"
        )
    if getattr(config, "is_encoder_decoder", False):
        raise OptimizeError(
            f"{name} is an encoder with a decoder; only encoders, such as BERT, can be optimised"
        )
    # Whoever can be trained on masked words sees a text from both sides.
    encodes = config.model_type in MODEL_FOR_MASKED_LM_MAPPING_NAMES or hasattr(config, "auto_map")
    if getattr(config, "is_decoder", False) or not encodes:
        raise OptimizeError(
            f"{name} is a decoder or reads no texts; only encoders, such as BERT, can be optimised"
        )
