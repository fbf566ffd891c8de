"""Every function of a deployed stack, run by processes of this machine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.local.aws import Clients
from infra.local.invoke_api import InvokeApi
from infra.local.launcher import Function, Launcher
from infra.local.pool import Pool

# The emulator posts an event to this address in place of starting a container.
PROXY_VARIABLE = "MINISTACK_LAMBDA_PROXY_URL"
# Of messages from one queue, the least that can be asked for.
LEAST_CONCURRENCY = 2


@contextmanager
def running(clients: Clients, *, stack: str, launcher: Launcher, logs: Path) -> Iterator[None]:
    """Run the functions of `stack`, each with the configuration it was deployed with and its own file in `logs`.

    Nothing about them differs in the template: that they run here is told to the emulator afterwards.
    """
    functions = [read(clients, name) for name in names(clients, stack)]
    # More processes than cores would only take turns.
    most = os.cpu_count() or 1
    pools = {
        function.name: Pool(
            function, launcher=launcher, log=logs / f"{function.name}.log", most=most
        )
        for function in functions
    }
    api = InvokeApi(pools)
    try:
        for function in functions:
            _pace(clients, function, most=most)
            _redirect(clients, function, api.url(function.name))
        yield
    finally:
        api.close()
        for pool in pools.values():
            pool.close()


def names(clients: Clients, stack: str) -> Iterator[str]:
    """Yield the stack's functions that are container images; those of the CDK's own run within the emulator."""
    for page in clients.stacks.get_paginator("list_stack_resources").paginate(StackName=stack):
        for resource in page["StackResourceSummaries"]:
            if resource["ResourceType"] != "AWS::Lambda::Function":
                continue
            name = resource["PhysicalResourceId"]
            found = clients.functions.get_function_configuration(FunctionName=name)
            if found["PackageType"] == "Image":
                yield name


def read(clients: Clients, name: str) -> Function:
    """Return a deployed function."""
    found = clients.functions.get_function_configuration(FunctionName=name)
    return Function(
        name=found["FunctionName"],
        arn=found["FunctionArn"],
        handler=found["ImageConfigResponse"]["ImageConfig"]["Command"][0],
        environment=found.get("Environment", {}).get("Variables", {}),
        timeout_s=found["Timeout"],
        memory_mb=found["MemorySize"],
    )


def _redirect(clients: Clients, function: Function, url: str) -> None:
    clients.functions.update_function_configuration(
        FunctionName=function.name,
        Environment={"Variables": {**function.environment, PROXY_VARIABLE: url}},
    )


def _pace(clients: Clients, function: Function, *, most: int) -> None:
    """Keep queues from handing over more than is worked on: what waits here, its time-out is running already."""
    found = clients.functions.list_event_source_mappings(FunctionName=function.name)
    for mapping in found["EventSourceMappings"]:
        deployed = mapping["ScalingConfig"]["MaximumConcurrency"]
        clients.functions.update_event_source_mapping(
            UUID=mapping["UUID"],
            ScalingConfig={"MaximumConcurrency": min(deployed, max(most, LEAST_CONCURRENCY))},
        )
