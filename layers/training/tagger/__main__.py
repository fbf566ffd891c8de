"""From the base model to a checkpoint that tags named entities: `python -m training.tagger OUT`."""

import argparse
from pathlib import Path

import torch
from transformers import AutoTokenizer

from training.base import fetch_base, load_tokenizer
from training.tagger.conll import read, tag_names
from training.tagger.learning import fine_tune, load_base


def main() -> None:
    """Train on the training sentences and write a Hugging Face checkpoint."""
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    sentences = read("train")
    base = fetch_base(arguments.work)
    model = load_base(base, tag_names(sentences), seed=arguments.seed)
    fine_tune(model, load_tokenizer(base), sentences, seed=arguments.seed)
    model.save_pretrained(arguments.out)
    tokenizer = AutoTokenizer.from_pretrained(base)
    # The base's pads and cuts every text to 128 tokens, where the model takes 512.
    tokenizer.backend_tokenizer.no_padding()
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.save_pretrained(arguments.out)
    print(f"wrote {arguments.out}; python -m training.tagger.measure says how good it is")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training.tagger", description=__doc__)
    parser.add_argument("out", type=Path, help="a directory for the checkpoint")
    parser.add_argument(
        "--work", type=Path, default=Path(".cache/training"), help="for the download"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="two are faster, and round to slightly other weights"
    )
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
