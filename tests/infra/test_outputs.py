from tests.infra.synthesised import Synthesised


def test_the_outputs_have_ids_that_do_not_change(full: Synthesised) -> None:
    assert full.outputs.keys() == {
        "BucketName",
        "ApiUrl",
        "ApiKeyId",
        "PlannerFunction",
        "FinisherFunction",
        "UndertakerFunction",
        "ApiBankingFunction",
        "ScorerBankingFunction",
        "ApiAnyTopicsFunction",
        "ScorerAnyTopicsFunction",
        "IntakeQueueUrl",
        "IntakeDeadLettersUrl",
        "FinishQueueUrl",
        "FinishDeadLettersUrl",
        "ShardsBankingQueueUrl",
        "ShardsBankingDeadLettersUrl",
        "ShardsAnyTopicsQueueUrl",
        "ShardsAnyTopicsDeadLettersUrl",
    }


def test_nothing_has_a_name_of_its_own(full: Synthesised) -> None:
    named = [
        (kind, name)
        for kind, name in {
            "AWS::S3::Bucket": "BucketName",
            "AWS::SQS::Queue": "QueueName",
            "AWS::Lambda::Function": "FunctionName",
            "AWS::IAM::Role": "RoleName",
            "AWS::Logs::LogGroup": "LogGroupName",
            "AWS::SNS::Topic": "TopicName",
            "AWS::CloudWatch::Alarm": "AlarmName",
            "AWS::CloudWatch::Dashboard": "DashboardName",
            "AWS::ApiGateway::ApiKey": "Name",
        }.items()
        if any(name in properties for properties in full.of_type(kind).values())
    ]

    assert named == []


def test_the_template_is_for_any_account_and_region(full: Synthesised) -> None:
    text = full.path.read_text()

    assert "us-east-1" not in text
    assert "arn:aws:" not in text
