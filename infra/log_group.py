"""A log group that forgets."""

from typing import cast

import aws_cdk as cdk
from aws_cdk import aws_logs as logs
from constructs import Construct


def log_group(scope: Construct, construct_id: str, *, retention_days: int) -> logs.LogGroup:
    """Return a log group that keeps its events for `retention_days` and goes with the stack."""
    group = logs.LogGroup(scope, construct_id, removal_policy=cdk.RemovalPolicy.DESTROY)
    # The CDK's enumeration has its periods in words (ONE_MONTH), and no number to look one up by.
    resource = cast("logs.CfnLogGroup", group.node.default_child)
    resource.retention_in_days = retention_days
    return group
