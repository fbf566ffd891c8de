"""Rules of the security review that a resource does not follow, each with the reason."""

import aws_cdk as cdk
from constructs import IConstruct


def accept(scope: IConstruct, **reasons: str) -> None:
    """Record why `scope` and what is under it break a rule, e.g. `APIG3="..."` for AwsSolutions-APIG3."""
    for rule, reason in reasons.items():
        cdk.Validations.of(scope).acknowledge(
            cdk.Acknowledgment(id=f"AwsSolutions-{rule}", reason=reason)
        )
