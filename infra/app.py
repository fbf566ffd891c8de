"""The CDK app: `python3 -m infra.app`, or `cdk synth` and `cdk deploy`.

Context:
    config: the file that describes the deployment; tidemill.toml where nothing is said.
    base_image: what the endpoints' images start from, instead of the image that their recipe names.
"""

import sys
from pathlib import Path

import aws_cdk as cdk

from infra.config import ConfigError, load
from infra.stack import TidemillStack


def build(app: cdk.App) -> TidemillStack:
    """Add the stack that the app's context asks for."""
    # `cdk` runs this in the folder of cdk.json.
    deployment = load(Path(app.node.try_get_context("config") or "tidemill.toml"))
    base_image = app.node.try_get_context("base_image")
    build_args = {"BASE_IMAGE": base_image} if base_image else {}
    return TidemillStack(app, deployment.name, deployment=deployment, build_args=build_args)


def main() -> None:
    """Write the templates and assets; a wrong description ends in its error and no traceback."""
    # No usage data: no resource that reports which constructs the template was made of.
    app = cdk.App(analytics_reporting=False)
    try:
        build(app)
    except ConfigError as error:
        sys.exit(str(error))
    app.synth()


if __name__ == "__main__":
    main()
