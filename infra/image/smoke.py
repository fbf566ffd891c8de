"""Fail the build of an image that could not serve. Runs inside it, as a user without rights.

What to import is named by strings: this file lies in `infra`, which knows the code only by path.
"""

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

NEEDED = (
    "awslambdaric",
    "onnxruntime",
    "orjson",
    "tokenizers",
    "handlers.api",
    "handlers.planner",
    "handlers.scorer",
    "handlers.finisher",
    "handlers.undertaker",
)
# Each would add gigabytes to every cold start, and a handler could come to lean on it unnoticed.
UNWANTED = ("torch", "transformers", "optimum")
SERVICES = ("s3", "sqs", "xray")


def main() -> None:
    """Import what the functions import, reach for what they call, and answer one text."""
    if found := [name for name in UNWANTED if find_spec(name)]:
        sys.exit(f"{', '.join(found)} can be imported in the image; drop it from requirements.txt")
    for name in NEEDED:
        import_module(name)
    # Only the image of a variant that asks for it has this one.
    if find_spec("openvino"):
        import_module("tidemill.engines.openvino")
    # Not there where Tidemill was set up without a compiler; no variant of the image needs it then.
    if library := import_module("tidemill.native").library():
        import_module("tidemill.native.structures").load(library)
    for service in SERVICES:
        import_module("boto3").client(service, region_name="us-east-1")
    artifact = Path(os.environ["TIDEMILL_ARTIFACT"])
    # Opening runs a text through the model, but reads the files of one variant only: the first that
    # this machine can run. The one that is deployed may need another processor.
    import_module("tidemill.artifact").Artifact.open(artifact).verify()
    import_module("tidemill.pipeline").Pipeline.open(artifact)


if __name__ == "__main__":
    main()
