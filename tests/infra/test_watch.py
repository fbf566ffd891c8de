import json
from itertools import chain

from tests.infra.synthesised import Json, Synthesised


def alarms(stack: Synthesised) -> dict[str, Json]:
    return {
        path.removeprefix("Watch/Alarms/"): alarm
        for path, alarm in stack.of_type("AWS::CloudWatch::Alarm").items()
    }


def queues_in(alarm: Json) -> set[str]:
    metrics = [each["MetricStat"]["Metric"] for each in alarm["Metrics"] if "MetricStat" in each]
    return {dimension["Value"] for metric in metrics for dimension in metric["Dimensions"]}


def test_every_dead_letter_queue_has_an_alarm(full: Synthesised) -> None:
    watched = {
        name: queues_in(alarm) for name, alarm in alarms(full).items() if name.endswith("Letters")
    }

    assert watched == {
        "IntakeDeadLetters": {"Intake/DeadLetters.QueueName"},
        "FinishDeadLetters": {"Finish/DeadLetters.QueueName"},
        "ShardsBankingDeadLetters": {"Endpoints/banking/Shards/DeadLetters.QueueName"},
        "ShardsAnyTopicsDeadLetters": {"Endpoints/any-topics/Shards/DeadLetters.QueueName"},
    }
    assert set(chain(*watched.values())) == {
        f"{path}.QueueName"
        for path in full.of_type("AWS::SQS::Queue")
        if path.endswith("DeadLetters")
    }


def test_one_dead_letter_is_enough_even_while_it_is_being_buried(plain: Synthesised) -> None:
    alarm = alarms(plain)["ShardsBankingDeadLetters"]

    [sum_of] = [each["Expression"] for each in alarm["Metrics"] if "Expression" in each]
    assert sum_of == "waitingShardsBanking + inFlightShardsBanking"
    names = {
        each["MetricStat"]["Metric"]["MetricName"]
        for each in alarm["Metrics"]
        if "MetricStat" in each
    }
    assert names == {
        "ApproximateNumberOfMessagesVisible",
        "ApproximateNumberOfMessagesNotVisible",
    }
    assert alarm["Threshold"] == 1


def test_work_that_nobody_takes_is_reported(full: Synthesised) -> None:
    ages = {name: alarm for name, alarm in alarms(full).items() if name.endswith("Age")}

    assert {name: alarm["Threshold"] for name, alarm in ages.items()} == {
        "IntakeAge": 15 * 60,
        "FinishAge": 3 * 3600,
        "ShardsBankingAge": 6 * 3600,
        "ShardsAnyTopicsAge": 6 * 3600,
    }
    assert {alarm["MetricName"] for alarm in ages.values()} == {"ApproximateAgeOfOldestMessage"}


def test_every_function_reports_errors_and_throttles(full: Synthesised) -> None:
    watched = {
        (alarm["MetricName"], alarm["Dimensions"][0]["Value"])
        for alarm in alarms(full).values()
        if alarm.get("Namespace") == "AWS/Lambda"
    }

    ours = [
        path for path in full.of_type("AWS::Lambda::Function") if "NotificationsHandler" not in path
    ]
    assert len(ours) == 7
    assert watched == {(metric, path) for metric in ("Errors", "Throttles") for path in ours}


def test_an_api_that_fails_or_is_slow_is_reported(plain: Synthesised) -> None:
    errors, latency = alarms(plain)["ApiErrors"], alarms(plain)["ApiLatency"]

    assert (errors["MetricName"], errors["Statistic"]) == ("5XXError", "Average")
    assert errors["Threshold"] == 0.01
    assert (latency["MetricName"], latency["ExtendedStatistic"]) == ("Latency", "p99")
    assert (latency["Threshold"], latency["EvaluationPeriods"]) == (10_000, 3)


def test_a_buried_shard_is_reported_by_the_figure_the_undertaker_publishes(
    full: Synthesised,
) -> None:
    buried = [alarm for alarm in alarms(full).values() if alarm.get("MetricName") == "ShardsBuried"]

    assert {alarm["Namespace"] for alarm in buried} == {"Scoring"}
    assert [{each["Name"]: each["Value"] for each in alarm["Dimensions"]} for alarm in buried] == [
        {"service": "tidemill-undertaker", "endpoint": "banking"},
        {"service": "tidemill-undertaker", "endpoint": "any-topics"},
    ]


def test_every_alarm_tells_what_is_wrong_and_reports_to_the_topic(full: Synthesised) -> None:
    for alarm in alarms(full).values():
        assert alarm["AlarmDescription"].endswith(".")
        assert alarm["AlarmActions"] == alarm["OKActions"] == ["Watch/Alarms/Topic"]
        assert alarm["TreatMissingData"] == "notBreaching"


def test_alarms_may_publish_to_the_topic_and_only_by_tls(plain: Synthesised) -> None:
    statements = [statement for _, statement in plain.statements("AWS::SNS::TopicPolicy")]

    [allowed] = [statement for statement in statements if statement["Effect"] == "Allow"]
    assert allowed["Action"] == "sns:Publish"
    assert allowed["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert allowed["Condition"]["StringEquals"] == {"aws:SourceAccount": "AWS::AccountId"}
    [refused] = [statement for statement in statements if statement["Effect"] == "Deny"]
    assert refused["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_mail_is_sent_only_to_a_described_address(plain: Synthesised, full: Synthesised) -> None:
    assert not plain.of_type("AWS::SNS::Subscription")
    [subscription] = full.of_type("AWS::SNS::Subscription").values()
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "ops@example.com")


def test_the_dashboard_shows_the_whole_service(full: Synthesised) -> None:
    [dashboard] = full.of_type("AWS::CloudWatch::Dashboard").values()
    widgets = json.loads(dashboard["DashboardBody"])["widgets"]

    assert [widget["properties"]["title"] for widget in widgets] == [
        "API latency, ms",
        "API requests",
        "API errors",
        "Messages in queues",
        "Oldest message, s",
        "Jobs finished",
        "Records scored",
        "Records failed",
        "Compute time of scorers, s",
    ]
