"""What is done to a template before the emulator sees it."""

import json
from pathlib import Path

from infra.local.deployment import _drop_metric_math


def test_alarms_on_several_metrics_are_taken_out_and_nothing_else(tmp_path: Path) -> None:
    alarm = {"Type": "AWS::CloudWatch::Alarm", "Properties": {"MetricName": "Errors"}}
    several = {"Type": "AWS::CloudWatch::Alarm", "Properties": {"Metrics": [{"Id": "m1"}]}}
    bucket = {"Type": "AWS::S3::Bucket"}
    template = tmp_path / "Tidemill.template.json"
    resources = {"Alarm": alarm, "Several": several, "Bucket": bucket}
    template.write_text(json.dumps({"Resources": resources, "Outputs": {}}))

    _drop_metric_math(template)

    assert json.loads(template.read_bytes()) == {
        "Resources": {"Alarm": alarm, "Bucket": bucket},
        "Outputs": {},
    }
