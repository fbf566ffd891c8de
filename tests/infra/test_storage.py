from tests.infra.synthesised import Synthesised

BUCKET = "Storage/Bucket"


def test_only_the_account_reads_the_bucket(plain: Synthesised) -> None:
    bucket = plain.of_type("AWS::S3::Bucket")[BUCKET]

    assert bucket["PublicAccessBlockConfiguration"] == {
        "BlockPublicAcls": True,
        "BlockPublicPolicy": True,
        "IgnorePublicAcls": True,
        "RestrictPublicBuckets": True,
    }
    assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}


def test_objects_are_encrypted_at_rest(plain: Synthesised) -> None:
    bucket = plain.of_type("AWS::S3::Bucket")[BUCKET]

    [rule] = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}


def test_objects_travel_by_tls_1_2_or_not_at_all(plain: Synthesised) -> None:
    statements = [
        statement
        for _, statement in plain.statements("AWS::S3::BucketPolicy")
        if statement["Effect"] == "Deny" and statement["Action"] == "s3:*"
    ]

    assert [statement["Condition"] for statement in statements] == [
        {"Bool": {"aws:SecureTransport": "false"}},
        {"NumericLessThan": {"s3:TlsVersion": 1.2}},
    ]
    assert all(
        statement["Resource"] == ["Storage/Bucket.Arn", "Storage/Bucket.Arn/*"]
        for statement in statements
    )


def test_a_versioned_bucket_forgets_old_versions_of_jobs_too(plain: Synthesised) -> None:
    bucket = plain.of_type("AWS::S3::Bucket")[BUCKET]

    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    jobs, uploads = bucket["LifecycleConfiguration"]["Rules"]
    assert jobs == {
        "Id": "jobs",
        "Status": "Enabled",
        "Prefix": "jobs/",
        "ExpirationInDays": 30,
        "NoncurrentVersionExpiration": {"NoncurrentDays": 30},
    }
    assert uploads == {
        "Id": "unfinished-uploads",
        "Status": "Enabled",
        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
    }


def test_an_unversioned_bucket_is_as_described(full: Synthesised) -> None:
    bucket = full.of_type("AWS::S3::Bucket")[BUCKET]

    assert "VersioningConfiguration" not in bucket
    jobs, _ = bucket["LifecycleConfiguration"]["Rules"]
    assert jobs["ExpirationInDays"] == 5
    assert "NoncurrentVersionExpiration" not in jobs


def test_the_bucket_outlives_the_stack_unless_told_otherwise(
    plain: Synthesised, full: Synthesised
) -> None:
    assert plain.resource(BUCKET)["DeletionPolicy"] == "Retain"
    assert full.resource(BUCKET)["DeletionPolicy"] == "Delete"


def test_only_inputs_are_announced_and_whatever_they_are_called(plain: Synthesised) -> None:
    [notification] = [
        properties["NotificationConfiguration"]
        for properties in plain.of_type("Custom::S3BucketNotifications").values()
    ]

    assert notification == {
        "QueueConfigurations": [
            {
                "Events": ["s3:ObjectCreated:*"],
                "QueueArn": "Intake/Queue.Arn",
                "Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": "input/"}]}},
            }
        ]
    }
