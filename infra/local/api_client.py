"""Calls of the deployed API, signed as IAM asks."""

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from infra.local import aws

TIMEOUT_S = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What the API answered; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:  # noqa: ANN401 -- JSON is any
        """Return the body, parsed."""
        return json.loads(self.body)


class ApiClient:
    """Keeps one connection; not for several threads."""

    def __init__(self, url: str) -> None:
        self.url = url
        address = urlsplit(url)
        self._connection = http.client.HTTPConnection(address.netloc, timeout=TIMEOUT_S)
        # The emulator takes any signature, AWS does not: this is how a caller there has to do it.
        self._signer = SigV4Auth(
            Credentials(aws.ACCESS_KEY, aws.SECRET_KEY), "execute-api", aws.REGION
        )

    def get(self, path: str) -> Reply:
        """GET a path below the API's URL."""
        return self.send("GET", path)

    def post(self, path: str, body: object) -> Reply:
        """POST a value as JSON."""
        return self.send("POST", path, json.dumps(body).encode())

    def send(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Reply:
        """Send any request, JSON unless `headers` say otherwise."""
        headers = {"Content-Type": "application/json", **(headers or {})}
        request = AWSRequest(method=method, url=self.url + path, data=body, headers=headers)
        self._signer.add_auth(request)
        target = urlsplit(self.url + path)
        query = f"?{target.query}" if target.query else ""
        self._connection.request(
            method, target.path + query, body=body, headers=dict(request.headers.items())
        )
        answer = self._connection.getresponse()
        return Reply(
            status=answer.status,
            headers={name.lower(): value for name, value in answer.getheaders()},
            body=answer.read(),
        )

    def close(self) -> None:
        """Close the connection; the next call would open another."""
        self._connection.close()
