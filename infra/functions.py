"""A function: its image and CMD, its role, its log group."""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra import metrics
from infra.endpoint_image import EndpointImage
from infra.exceptions import accept
from infra.log_group import log_group


class ServiceFunction(Construct):
    """One of the service's functions; it may write its log and its traces until it is granted more."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        image: EndpointImage,
        service: str,
        memory_mb: int,
        timeout: cdk.Duration,
        environment: dict[str, str],
        log_retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        log = log_group(self, "Log", retention_days=log_retention_days)
        # The role that the CDK would make may write every log of the account.
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        log.grant_write(role)
        self.function = lambda_.DockerImageFunction(
            self,
            "Function",
            code=image.running(f"handlers.{service}.handler"),
            architecture=image.architecture,
            memory_size=memory_mb,
            timeout=timeout,
            environment={
                "POWERTOOLS_SERVICE_NAME": f"tidemill-{service}",
                "POWERTOOLS_METRICS_NAMESPACE": metrics.namespace(self),
                **environment,
            },
            role=role,
            log_group=log,
            tracing=lambda_.Tracing.ACTIVE,
        )
        accept(role, {"IAM5[Resource::*]": "X-Ray takes traces for no resource in particular"})

    def allow(self, *statements: iam.PolicyStatement) -> None:
        """Grant exactly what the statements say."""
        for statement in statements:
            self.function.add_to_role_policy(statement)

    def work_on(self, queue: sqs.IQueue, *, concurrency: int) -> None:
        """Invoke the function for each message of `queue`, on up to `concurrency` messages at once.

        One message an invocation: it may take the whole time-out, so none waits behind another.
        """
        self.function.add_event_source(
            event_sources.SqsEventSource(
                queue, batch_size=1, report_batch_item_failures=True, max_concurrency=concurrency
            )
        )
