"""A template, read by the paths of constructs instead of generated ids."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aws_cdk as cdk
from aws_cdk.assertions import Template

# A template is JSON of many shapes; a test that reads a wrong one fails, which is what a type would do.
Json = Any


class Synthesised:
    """What CloudFormation would be told.

    "Storage/Bucket" stands for a Ref to that construct's resource, and "Storage/Bucket.Arn" for a GetAtt.
    """

    def __init__(self, stack: cdk.Stack, *, outdir: Path) -> None:
        document = Template.from_stack(stack).to_json()
        self.path = outdir / stack.template_file
        self.outputs: dict[str, Json] = document["Outputs"]
        self._paths = {
            logical_id: resource["Metadata"]["aws:cdk:path"]
            .removeprefix(f"{stack.node.id}/")
            .removesuffix("/Resource")
            for logical_id, resource in document["Resources"].items()
        }
        self._resources: dict[str, Json] = {
            self._paths[logical_id]: self._resolve(resource)
            for logical_id, resource in document["Resources"].items()
        }

    def resource(self, path: str) -> Json:
        """Return one resource, with its policies and metadata."""
        return self._resources[path]

    def of_type(self, kind: str) -> dict[str, Json]:
        """Return the properties of every resource of a kind, "AWS::SQS::Queue", by path."""
        return {
            path: resource.get("Properties", {})
            for path, resource in self._resources.items()
            if resource["Type"] == kind
        }

    def statements(self, kind: str) -> Iterator[tuple[str, Json]]:
        """Yield every statement of policies of a kind, "AWS::IAM::Policy", with the path of its policy."""
        for path, policy in self.of_type(kind).items():
            for statement in policy["PolicyDocument"]["Statement"]:
                yield path, statement

    def allowed(self, function: str) -> set[tuple[str, str]]:
        """Return each action that a function's role allows, with the resource."""
        return {
            (action, resource)
            for path, statement in self.statements("AWS::IAM::Policy")
            if path.startswith(f"{function}/Role/")
            for action in as_list(statement["Action"])
            for resource in as_list(statement["Resource"])
        }

    def images(self) -> dict[str, Json]:
        """Return the images to build, by endpoint, as `cdk deploy` reads them."""
        assets = json.loads(self.path.with_suffix("").with_suffix(".assets.json").read_text())
        return {
            asset["displayName"].split("/")[1]: asset["source"]
            for asset in assets["dockerImages"].values()
        }

    def _resolve(self, value: Json) -> Json:
        match value:
            case {"Ref": str(logical_id)}:
                return self._paths.get(logical_id, logical_id)
            case {"Fn::GetAtt": [logical_id, attribute]}:
                return f"{self._paths[logical_id]}.{attribute}"
            case {"Fn::Join": [separator, [*parts]]}:
                return separator.join(str(self._resolve(part)) for part in parts)
            case dict():
                return {key: self._resolve(item) for key, item in value.items()}
            case list():
                return [self._resolve(item) for item in value]
            case _:
                return value


def as_list(value: Json) -> list[Json]:
    """Return the items of what is one item or a list of them."""
    return value if isinstance(value, list) else [value]
