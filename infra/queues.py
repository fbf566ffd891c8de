"""A queue of work and the dead letters it leaves."""

import aws_cdk as cdk
from aws_cdk import aws_sqs as sqs
from constructs import Construct

# What AWS asks for, so that a delivery which is throttled at first is not made a second time.
VISIBILITY_PER_TIMEOUT = 6
# Throttling counts as a delivery, so that one or two would bury work that never ran.
MAX_RECEIVES = 5
RETENTION = cdk.Duration.days(14)


class WorkQueue(Construct):
    """A queue whose messages are tried several times and then moved to `dead_letters`.

    A message that is still there `late_after` it was sent is a sign that nobody works on the queue.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        consumer_timeout: cdk.Duration,
        late_after: cdk.Duration,
        dead_letter_consumer_timeout: cdk.Duration | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self.late_after = late_after
        self.dead_letters = self._queue(
            "DeadLetters", consumer_timeout=dead_letter_consumer_timeout, dead_letters=None
        )
        self.queue = self._queue(
            "Queue",
            consumer_timeout=consumer_timeout,
            dead_letters=sqs.DeadLetterQueue(
                queue=self.dead_letters, max_receive_count=MAX_RECEIVES
            ),
        )

    def _queue(
        self,
        construct_id: str,
        *,
        consumer_timeout: cdk.Duration | None,
        dead_letters: sqs.DeadLetterQueue | None,
    ) -> sqs.Queue:
        return sqs.Queue(
            self,
            construct_id,
            # S3 cannot send to a queue under the AWS managed KMS key.
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=RETENTION,
            visibility_timeout=consumer_timeout and visibility(consumer_timeout),
            dead_letter_queue=dead_letters,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )


def visibility(consumer_timeout: cdk.Duration) -> cdk.Duration:
    """Return how long a message is hidden from others while it is worked on."""
    return cdk.Duration.seconds(VISIBILITY_PER_TIMEOUT * int(consumer_timeout.to_seconds()))
