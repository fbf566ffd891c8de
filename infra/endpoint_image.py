"""The container image of one endpoint, which every function that serves it runs."""

from pathlib import Path
from typing import cast

import aws_cdk as cdk
from aws_cdk import aws_ecr_assets as ecr_assets
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.build_context import stage
from infra.config import Architecture, Endpoint, Engine

PLATFORMS = {
    Architecture.ARM64: (ecr_assets.Platform.LINUX_ARM64, lambda_.Architecture.ARM_64),
    Architecture.X86_64: (ecr_assets.Platform.LINUX_AMD64, lambda_.Architecture.X86_64),
}


class EndpointImage(Construct):
    """An image with the artifact in it, built by `cdk deploy` and told apart by its CMD."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint: Endpoint,
        build_args: dict[str, str],
    ) -> None:
        super().__init__(scope, construct_id)
        # Build and function are told apart, and a mismatch is "exec format error" on AWS, not before.
        platform, self.architecture = PLATFORMS[endpoint.architecture]
        # Beside the templates, where `cdk` writes anyway. Every construct lies in an App: a Stage.
        outdir = Path(cast("cdk.Stage", cdk.Stage.of(self)).outdir)
        context = stage(
            endpoint.artifact,
            engine=Engine(endpoint.variant.engine),
            architecture=endpoint.architecture,
            into=outdir / f"context.{endpoint.name}",
        )
        self._asset = ecr_assets.DockerImageAsset(
            self,
            "Image",
            directory=str(context),
            platform=platform,
            build_args=build_args,
        )

    def running(self, handler: str) -> lambda_.DockerImageCode:
        """Return the image as a function's code, and `handler` ("handlers.api.handler") as its CMD."""
        return lambda_.DockerImageCode.from_ecr(
            self._asset.repository, tag_or_digest=self._asset.image_tag, cmd=[handler]
        )
