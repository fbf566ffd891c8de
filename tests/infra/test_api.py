import pytest

from tests.infra.synthesised import Json, Synthesised


def methods(stack: Synthesised) -> dict[str, Json]:
    return stack.of_type("AWS::ApiGateway::Method")


def test_callers_sign_with_iam_unless_told_otherwise(plain: Synthesised) -> None:
    assert {each["AuthorizationType"] for each in methods(plain).values()} == {"AWS_IAM"}


def test_with_an_api_key_no_method_answers_without_it(full: Synthesised) -> None:
    assert {each["ApiKeyRequired"] for each in methods(full).values()} == {True}
    [plan] = full.of_type("AWS::ApiGateway::UsagePlan").values()
    assert plan["Throttle"] == {"RateLimit": 100, "BurstLimit": 200}
    assert plan["ApiStages"] == [
        {"ApiId": "Api/RestApi", "Stage": "Api/RestApi/DeploymentStage.prod", "Throttle": {}}
    ]
    [attached] = full.of_type("AWS::ApiGateway::UsagePlanKey").values()
    assert attached["KeyId"] == "Api/RestApi/Key"
    assert full.outputs["ApiKeyId"]


def test_an_api_is_open_only_where_the_description_says_so(
    plain: Synthesised, full: Synthesised, open_to_all: Synthesised
) -> None:
    def is_open(method: Json) -> bool:
        return method["AuthorizationType"] == "NONE" and not method.get("ApiKeyRequired", False)

    assert not any(is_open(each) for each in methods(plain).values())
    assert not any(is_open(each) for each in methods(full).values())
    assert all(is_open(each) for each in methods(open_to_all).values())


@pytest.mark.parametrize("authorised", ["plain", "open_to_all"])
def test_there_is_no_key_where_none_is_asked_for(
    authorised: str, request: pytest.FixtureRequest
) -> None:
    stack: Synthesised = request.getfixturevalue(authorised)

    assert not stack.of_type("AWS::ApiGateway::ApiKey")
    assert "ApiKeyId" not in stack.outputs


def test_the_first_endpoint_answers_what_names_none(full: Synthesised) -> None:
    served = {
        path.removeprefix("Api/RestApi/"): method["Integration"]["Uri"].split("/functions/")[1]
        for path, method in methods(full).items()
    }

    banking = "Endpoints/banking/Api/Function.Arn/invocations"
    topics = "Endpoints/any-topics/Api/Function.Arn/invocations"
    assert served == {
        "Default/ANY": banking,
        "Default/{proxy+}/ANY": banking,
        "Default/endpoints/banking/ANY": banking,
        "Default/endpoints/banking/{proxy+}/ANY": banking,
        "Default/endpoints/any-topics/ANY": topics,
        "Default/endpoints/any-topics/{proxy+}/ANY": topics,
    }


def test_requests_reach_the_functions_as_they_are(plain: Synthesised) -> None:
    assert {each["Integration"]["Type"] for each in methods(plain).values()} == {"AWS_PROXY"}
    [api] = plain.of_type("AWS::ApiGateway::RestApi").values()
    assert api["Name"] == "Tidemill"
    assert api["EndpointConfiguration"] == {"Types": ["REGIONAL"]}


def test_every_request_is_traced_logged_and_counted_against_a_limit(plain: Synthesised) -> None:
    [stage] = plain.of_type("AWS::ApiGateway::Stage").values()

    assert stage["TracingEnabled"] is True
    assert stage["AccessLogSetting"]["DestinationArn"] == "Api/AccessLog.Arn"
    [setting] = stage["MethodSettings"]
    assert (setting["HttpMethod"], setting["ResourcePath"]) == ("*", "/*")
    assert (setting["ThrottlingRateLimit"], setting["ThrottlingBurstLimit"]) == (100, 200)
    # Bodies are the users' texts: nobody else reads them.
    assert not setting["DataTraceEnabled"]
