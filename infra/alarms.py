"""What wakes somebody up."""

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct


class Alarms(Construct):
    """Alarms that all report to one topic, and the subscription of whoever answers."""

    def __init__(self, scope: Construct, construct_id: str, *, email: str | None) -> None:
        super().__init__(scope, construct_id)
        self.topic = sns.Topic(self, "Topic", enforce_ssl=True)
        self._let_alarms_publish()
        if email is not None:
            self.topic.add_subscription(subscriptions.EmailSubscription(email))
        self._action = actions.SnsAction(self.topic)

    def when(
        self,
        construct_id: str,
        metric: cloudwatch.IMetric,
        *,
        at_least: float,
        says: str,
        periods: int = 1,
    ) -> None:
        """Report `metric` once it is `at_least` that much for so many periods; no data is no alarm."""
        alarm = cloudwatch.Alarm(
            self,
            construct_id,
            metric=metric,
            threshold=at_least,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            evaluation_periods=periods,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
            alarm_description=says,
        )
        alarm.add_alarm_action(self._action)
        alarm.add_ok_action(self._action)

    def _let_alarms_publish(self) -> None:
        # Without a policy the account may publish, alarms included; with one, only whom it names.
        stack = cdk.Stack.of(self)
        alarms = stack.format_arn(
            service="cloudwatch",
            resource="alarm",
            resource_name="*",
            arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
        )
        cloudwatch_alarms = iam.ServicePrincipal(
            "cloudwatch.amazonaws.com",
            conditions={
                "ArnLike": {"aws:SourceArn": alarms},
                "StringEquals": {"aws:SourceAccount": stack.account},
            },
        )
        self.topic.add_to_resource_policy(
            iam.PolicyStatement(
                actions=["sns:Publish"],
                principals=[cloudwatch_alarms],
                resources=[self.topic.topic_arn],
            )
        )
