"""The CDK app: `python3 -m infra.app`, or `cdk synth` and `cdk deploy`.

Context:
    config: the file that describes the deployment; tidemill.toml where nothing is said.
    base_image: what the endpoints' images start from, instead of the image that their recipe names.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import aws_cdk as cdk

from infra.config import ConfigError, load
from infra.stack import TidemillStack


def new_app(*, outdir: str, context: Mapping[str, object] | None = None) -> cdk.App:
    """Return an empty app, which reports no usage data and takes further context from `cdk`."""
    return cdk.App(analytics_reporting=False, outdir=outdir, context=context)


def build(app: cdk.App) -> TidemillStack:
    """Add the stack that the app's context asks for."""
    # `cdk` runs this in the folder of cdk.json.
    deployment = load(Path(app.node.try_get_context("config") or "tidemill.toml"))
    base_image = app.node.try_get_context("base_image")
    build_args = {"BASE_IMAGE": base_image} if base_image else {}
    return TidemillStack(app, deployment.name, deployment=deployment, build_args=build_args)


def main(app: cdk.App) -> None:
    """Write the templates and assets; a wrong description ends in its error and no traceback."""
    try:
        build(app)
    except ConfigError as error:
        sys.exit(str(error))
    app.synth()


if __name__ == "__main__":
    main(new_app(outdir=os.environ.get("CDK_OUTDIR", "cdk.out")))
