"""Jobs under the name that the sample events give them."""

from dataclasses import replace

from handlers.job.plan import Plan, load_plan
from tests.handlers.job.cloud import Cloud

JOB = "0123456789abcdef0123456789abcdef"
KEY = "input/banking/day.jsonl"


def plan_sample_job(cloud: Cloud, content: bytes) -> Plan:
    """Plan a file as the job that the events speak of; its shards wait for those events."""
    job = cloud.planner.plan(cloud.store.upload(KEY, content))
    assert job is not None
    planned = load_plan(cloud.store, job)
    assert planned is not None
    plan = replace(planned, job=JOB)
    cloud.store.put(plan.keys.plan, plan.encode())
    while (delivery := cloud.queues.receive()) is not None:
        cloud.queues.delete(delivery)
    return plan
