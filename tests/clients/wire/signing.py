"""Requests signed by hand, so that a test can spoil any part of one."""

import hashlib
import hmac
import http.client
import json
import time
from dataclasses import dataclass, field
from urllib.parse import quote

JSON = "application/x-amz-json-1.0"


def stamp(offset_seconds=0):
    """The time as SigV4 writes it."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + offset_seconds))


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        """The exception's name and text."""
        body = self.json
        return body["__type"].split("#")[1], body.get("message", body.get("Message"))


@dataclass
class Request:
    """What is signed. What is sent may differ: see `send`."""

    server: object
    operation: str = "ListTables"
    body: bytes = b"{}"
    access_key: str = None
    secret: str = None
    token: str = None
    date: str = field(default_factory=stamp)
    region: str = "us-east-1"
    service: str = "dynamodb"
    query: str = ""
    unsigned: tuple = ()
    headers: dict = field(default_factory=dict)

    def __post_init__(self):
        self.access_key = self.access_key or self.server.access_key
        self.secret = self.secret or self.server.secret
        self.headers = {
            "host": f"127.0.0.1:{self.server.port}",
            "content-type": JSON,
            "x-amz-target": f"DynamoDB_20120810.{self.operation}",
            **self.headers,
        }

    @property
    def scope(self):
        return f"{self.date[:8]}/{self.region}/{self.service}/aws4_request"

    def signed_names(self, headers):
        return ";".join(sorted(name for name in headers if name not in self.unsigned))

    def signature(self, headers, query, body_hash):
        names = self.signed_names(headers)
        lines = "".join(f"{name}:{headers[name]}\n" for name in names.split(";"))
        canonical = "\n".join(["POST", "/", query, lines, names, body_hash])
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        text = "\n".join(["AWS4-HMAC-SHA256", self.date, self.scope, digest])
        key = ("AWS4" + self.secret).encode()
        for part in self.scope.split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        return hmac.digest(key, text.encode(), "sha256").hex()

    def signed_headers(self):
        headers = {**self.headers, "x-amz-date": self.date}
        if self.token:
            headers["x-amz-security-token"] = self.token
        body_hash = hashlib.sha256(self.body).hexdigest()
        signature = self.signature(headers, self.query, body_hash)
        headers["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self.access_key}/{self.scope}, "
            f"SignedHeaders={self.signed_names(headers)}, Signature={signature}"
        )
        return headers

    def send(self, change=None, body=None, query=None):
        """Signs and sends; `change` may alter the headers, `body` and `query` what is sent."""
        headers = self.signed_headers()
        if change:
            headers = change(headers) or headers
        query = self.query if query is None else query
        return exchange(self.server, headers, self.body if body is None else body, query)

    def presigned(self, expires_seconds, change=None):
        """Sends with the signature in the address."""
        signed = self.signed_names(self.headers)
        parameters = {
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
            "X-Amz-Credential": f"{self.access_key}/{self.scope}",
            "X-Amz-Date": self.date,
            "X-Amz-Expires": str(expires_seconds),
            "X-Amz-SignedHeaders": signed,
        }
        if self.token:
            parameters["X-Amz-Security-Token"] = self.token
        query = "&".join(
            f"{name}={quote(value, safe='-_.~')}" for name, value in sorted(parameters.items())
        )
        signature = self.signature(self.headers, query, hashlib.sha256(self.body).hexdigest())
        query += f"&X-Amz-Signature={signature}"
        if change:
            query = change(query)
        return exchange(self.server, self.headers, self.body, query)


def exchange(server, headers, body, query=""):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        connection.putrequest("POST", "/" + (f"?{query}" if query else ""), skip_host=True)
        for name, value in headers.items() if isinstance(headers, dict) else headers:
            connection.putheader(name, value)
        if not any(name == "content-length" for name in dict(headers)):
            connection.putheader("content-length", str(len(body)))
        connection.endheaders()
        try:
            connection.send(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # The server may answer before it has read everything.
        answer = connection.getresponse()
        return Answer(answer.status, dict(answer.headers), answer.read())
    finally:
        connection.close()
