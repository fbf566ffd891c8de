"""From a Hugging Face checkpoint to an artifact that is fast here and proven right."""
