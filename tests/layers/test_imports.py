"""What a process loads to answer a text: a start from cold pays for every module."""

import subprocess
import sys

HEAVY = [
    "torch",
    "transformers",
    "optimum",
    "huggingface_hub",
    "boto3",
    "botocore",
    "aws_lambda_powertools",
    "aws_cdk",
    "pydantic",
    "typer",
    "rich",
]
PROGRAM = """
import sys
from tidemill.pipeline import Pipeline
with Pipeline.open(cores=1) as pipeline:
    answers = pipeline.predict(["My card has not arrived yet"])
print(answers[0].output[0]["label"])
print(*sorted(name for name in sys.modules if "." not in name))
"""


def test_answering_a_text_loads_no_training_library_no_aws_and_no_command_line() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    label, modules = run.stdout.splitlines()
    assert label
    assert run.stderr == ""
    assert {"numpy", "onnxruntime", "orjson", "tokenizers"} <= set(modules.split())
    assert not set(HEAVY) & set(modules.split())


def test_naming_the_package_loads_no_engine() -> None:
    program = "import sys, tidemill; print('onnxruntime' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "False\n"
