"""The API: one REST API in front of every endpoint's function."""

import json

import aws_cdk as cdk
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.config import Authorisation
from infra.exceptions import accept
from infra.log_group import log_group

# Well under what an account has by default, 10,000 requests a second and 1000 functions at once, so
# that callers cannot starve the scorers. Above it they get 429, and may try again.
REQUESTS_PER_SECOND = 100
BURST = 200
LOG_POLICY = (
    "Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"
)
# Nothing of the bodies: they are the users' texts.
LOGGED = {
    "request": "$context.requestId",
    "time": "$context.requestTime",
    "ip": "$context.identity.sourceIp",
    "caller": "$context.identity.caller",
    "method": "$context.httpMethod",
    "path": "$context.path",
    "status": "$context.status",
    "bytes": "$context.responseLength",
    "latencyMs": "$context.responseLatency",
    "functionLatencyMs": "$context.integrationLatency",
    "functionError": "$context.integrationErrorMessage",
}


class Api(Construct):
    """A regional REST API that hands each request to a function as it is (Lambda proxy)."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        functions: dict[str, lambda_.IFunction],
        default: str,
        authorisation: Authorisation,
        log_retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        self.rest_api = apigateway.RestApi(
            self,
            "RestApi",
            # CloudWatch tells APIs apart by name alone, and this is one a stack.
            rest_api_name=cdk.Stack.of(self).stack_name,
            endpoint_types=[apigateway.EndpointType.REGIONAL],
            # Without the account's role API Gateway refuses a stage that has an access log.
            cloud_watch_role=True,
            deploy_options=self._stage(log_retention_days),
            default_method_options=_callers(authorisation),
        )
        self.rest_api.node.try_remove_child("Endpoint")  # an output under a generated name
        self._route(self.rest_api.root, functions[default])
        endpoints = self.rest_api.root.add_resource("endpoints")
        for name, function in functions.items():
            self._route(endpoints.add_resource(name), function)
        self.key = self._require_key() if authorisation is Authorisation.API_KEY else None
        self._explain(authorisation)

    def _stage(self, log_retention_days: int) -> apigateway.StageOptions:
        log = log_group(self, "AccessLog", retention_days=log_retention_days)
        return apigateway.StageOptions(
            stage_name="prod",
            tracing_enabled=True,
            throttling_rate_limit=REQUESTS_PER_SECOND,
            throttling_burst_limit=BURST,
            access_log_destination=apigateway.LogGroupLogDestination(log),
            access_log_format=apigateway.AccessLogFormat.custom(json.dumps(LOGGED)),
        )

    def _route(self, resource: apigateway.IResource, function: lambda_.IFunction) -> None:
        integration = apigateway.LambdaIntegration(function, allow_test_invoke=False)
        resource.add_method("ANY", integration)
        resource.add_proxy(default_integration=integration, any_method=True)

    def _require_key(self) -> apigateway.IApiKey:
        key = self.rest_api.add_api_key("Key")
        plan = self.rest_api.add_usage_plan(
            "Plan",
            throttle=apigateway.ThrottleSettings(rate_limit=REQUESTS_PER_SECOND, burst_limit=BURST),
        )
        plan.add_api_key(key)
        plan.add_api_stage(stage=self.rest_api.deployment_stage)
        return key

    def _explain(self, authorisation: Authorisation) -> None:
        accept(
            self,
            {
                "APIG2": "The functions check requests, and say which rule was broken",
                "APIG3": "A web firewall costs by the month, and this service nothing while idle",
                "APIG6": "The access log has every request; an execution log is kept for ever",
                "COG4": "The callers are programs: they sign with IAM, or hold a key",
                f"IAM4[{LOG_POLICY}]": "The role is the account's, and AWS keeps this policy for it",
            },
        )
        if authorisation is not Authorisation.IAM:
            accept(self, {"APIG4": f'The deployment asks for authorisation = "{authorisation}"'})


def _callers(authorisation: Authorisation) -> apigateway.MethodOptions:
    match authorisation:
        case Authorisation.IAM:
            return apigateway.MethodOptions(authorization_type=apigateway.AuthorizationType.IAM)
        case Authorisation.API_KEY:
            return apigateway.MethodOptions(api_key_required=True)
        case Authorisation.NONE:
            return apigateway.MethodOptions(authorization_type=apigateway.AuthorizationType.NONE)
