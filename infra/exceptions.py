"""Rules of the security review that a resource does not follow, each with the reason."""

import aws_cdk as cdk
from constructs import IConstruct


def accept(scope: IConstruct, reasons: dict[str, str]) -> None:
    """Record why `scope`, or something under it, breaks a rule of the AwsSolutions review.

    A rule with several findings takes one reason for each: "IAM5[Resource::*]".
    """
    for rule, reason in reasons.items():
        acknowledgment = cdk.Acknowledgment(id=f"AwsSolutions-{rule}", reason=reason)
        cdk.Validations.of(scope).acknowledge(acknowledgment)
