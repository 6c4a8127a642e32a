"""Bodies of every bad kind: refused with the right exception, and the server goes on."""

import gzip
import http.client
import json
import socket
import subprocess
import time
import zlib

import pytest
from signing import JSON, Request, exchange

KEY = {"pk": {"S": "a"}}


@pytest.fixture(autouse=True)
def the_server_goes_on(server):
    yield
    assert Request(server).send().status == 200


def send(server, body, operation="PutItem", **headers):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request(server, operation, body, headers=headers).send()


def test_answers_have_type_checksum_and_id(server):
    for answer in (Request(server).send(), send(server, {})):
        assert answer.headers["content-type"] == JSON
        assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)
        assert len(answer.headers["x-amzn-requestid"]) == 52


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"nonsense", b"{}}", b'{"a":}', b"\xff\xfe", b'{"TableName": "a" "b"}', b"[" * 100_000,
     b'{"a":' * 100_000, b'"\\ud800"', b"\x00"],
)
def test_what_is_not_json(server, body):
    answer = send(server, body)
    assert answer.status == 400
    assert answer.json == {"__type": "com.amazon.coral.service#SerializationException"}


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"5", b"true"])
def test_json_of_another_shape(server, body):
    assert send(server, body).error[0] == "SerializationException"


def test_deep_nesting_is_refused(server, table):
    value = {"S": "x"}
    for _ in range(60):
        value = {"L": [value]}
    answer = send(server, {"TableName": table, "Item": {**KEY, "v": value}})
    assert answer.error[0] in ("ValidationException", "SerializationException")


def test_huge_numbers(server, table):
    digits = "9" * 100_000
    answer = send(server, {"TableName": table, "Item": {**KEY, "v": {"N": digits}}})
    assert answer.error == (
        "ValidationException",
        "1 validation error detected: Attempting to store more than 38 significant digits in a Number",
    )
    for number in ("1e400", "1" * 400, "-1e999999999"):
        body = f'{{"TableName": "{table}", "Limit": {number}}}'.encode()
        answer = send(server, body, "Scan")
        assert answer.status == 400, number
        assert answer.error[0] in ("SerializationException", "ValidationException")


def test_the_last_of_two_equal_names_counts(server, table):
    body = f'{{"TableName": "nowhere", "TableName": "{table}", "Key": {{"pk": {{"S": "b"}}}}}}'
    assert send(server, body.encode(), "GetItem").json == {}


def test_unknown_members_are_ignored(server, table):
    assert send(server, {"TableName": table, "Key": KEY, "Unknown": {"a": 1}}, "GetItem").status == 200


def test_compressed_bodies(server, table):
    plain = json.dumps({"TableName": table, "Item": KEY}).encode()
    compressed = gzip.compress(plain)
    assert send(server, compressed, **{"content-encoding": "gzip"}).status == 200
    parts = gzip.compress(plain[:20]) + gzip.compress(plain[20:])
    assert send(server, parts, **{"content-encoding": "gzip"}).status == 200
    for body in (plain, compressed[:-4], compressed + b"x", b""):
        assert send(server, body, **{"content-encoding": "gzip"}).status == 400
    # What is signed is what is sent.
    request = Request(server, "PutItem", plain, headers={"content-encoding": "gzip"})
    assert request.send(body=compressed).error[0] == "UnrecognizedClientException"
    answer = send(server, plain, **{"content-encoding": "br"})
    assert answer.status == 415


def test_strangers_have_nothing_decompressed(server):
    """The signature is over what is sent, so it is checked before anything is decompressed."""
    bomb = gzip.compress(bytes(64 << 20))
    request = Request(server, body=bomb, secret="wrong", headers={"content-encoding": "gzip"})
    assert request.send().error[0] == "UnrecognizedClientException"


def test_a_body_in_chunks_and_one_that_waits_for_a_nod(server, table):
    body = json.dumps({"TableName": table, "Item": {"pk": {"S": "chunks"}}}).encode()
    headers = Request(server, "PutItem", body).signed_headers()
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:])) + b"0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(f"POST / HTTP/1.1\r\n{head}transfer-encoding: chunked\r\n\r\n".encode() + chunks)
        assert connection.recv(1000).startswith(b"HTTP/1.1 200")
        waiting = f"expect: 100-continue\r\ncontent-length: {len(body)}\r\n\r\n"
        connection.sendall(f"POST / HTTP/1.1\r\n{head}{waiting}".encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 100")
        connection.sendall(body)
        assert connection.recv(1000).startswith(b"HTTP/1.1 200")


def test_a_body_that_unfolds_beyond_16_megabytes(server):
    bomb = gzip.compress(bytes(64 << 20))
    started = time.monotonic()
    answer = send(server, bomb, **{"content-encoding": "gzip"})
    assert answer.status == 413 and time.monotonic() - started < 5


def test_17_megabytes(server, table):
    item = {"TableName": table, "Item": {**KEY, "v": {"S": "x" * (17 << 20)}}}
    assert send(server, item).status == 413


def test_17_megabytes_in_chunks(server):
    """Without a length that could be refused at once."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(
            b"POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-amz-json-1.0\r\n"
            b"x-amz-target: DynamoDB_20120810.PutItem\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        piece = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        try:
            for _ in range(18):
                connection.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_ten_megabytes_are_taken(server, table):
    puts = [
        {"PutRequest": {"Item": {"pk": {"S": f"large-{n}"}, "v": {"S": "x" * 400_000}}}}
        for n in range(25)
    ]
    answer = send(server, {"RequestItems": {table: puts}}, "BatchWriteItem")
    assert answer.json == {"UnprocessedItems": {}}


def test_content_types(server):
    for kind in ("text/plain", "application/x-amz-json-1.1", "application/x-www-form-urlencoded", ""):
        answer = send(server, {}, "ListTables", **{"content-type": kind})
        assert answer.status == 404 and b"UnknownOperationException" in answer.body
    for kind in ("application/json", "application/x-amz-json-1.0; charset=utf-8"):
        assert send(server, {}, "ListTables", **{"content-type": kind}).status == 200


@pytest.mark.parametrize(
    "target",
    ["", "PutItem", "DynamoDB_20120810", "DynamoDB_20120810.", "DynamoDB_20111205.PutItem",
     "DynamoDB_20120810.putitem", "DynamoDB_20120810.Unknown"],
)
def test_targets(server, target):
    answer = Request(server, headers={"x-amz-target": target}).send()
    assert answer.status == 400
    assert answer.json == {"__type": "com.amazon.coral.service#UnknownOperationException"}


def test_no_target(server):
    answer = exchange(server, {"host": "a", "content-type": JSON}, b"{}")
    assert answer.json == {"__type": "com.amazon.coral.service#UnknownOperationException"}


def test_other_paths_and_methods(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(b"PUT /nothing HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 404")


@pytest.mark.parametrize("sent", [0, 10])
def test_truncated_bodies(server, table, sent):
    """The connection ends before the body does: nothing is written."""
    body = json.dumps({"TableName": table, "Item": {"pk": {"S": "truncated"}}}).encode()
    headers = Request(server, "PutItem", body).signed_headers()
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"POST / HTTP/1.1\r\n{head}content-length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(head + body[:sent])
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(1000)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400")
    found = send(server, {"TableName": table, "Key": {"pk": {"S": "truncated"}}}, "GetItem")
    assert found.json == {}


def test_long_headers_are_refused(server):
    for head in (b"x: " + b"y" * 20_000, b"\r\n".join(b"x%d: y" % n for n in range(150))):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nhost: a\r\n" + head + b"\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 431")


def test_silent_connections_hurt_nobody(server):
    """Five hundred clients that have sent half a header; another one is served as if alone."""
    silent = []
    try:
        for _ in range(500):
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.sendall(b"POST / HTTP/1.1\r\nhost: ")
            silent.append(connection)
        started = time.monotonic()
        assert Request(server).send().status == 200
        assert time.monotonic() - started < 2
    finally:
        for connection in silent:
            connection.close()


def curl(server, *options):
    user = f"{server.access_key}:{server.secret}"
    command = [
        "curl", "--silent", "--show-error", server.url + "/", "--user", user,
        "--aws-sigv4", "aws:amz:us-east-1:dynamodb", "--header", f"content-type: {JSON}",
        "--header", "x-amz-target: DynamoDB_20120810.ListTables", "--data", "{}",
        "--write-out", " %{http_version} %{http_code}", *options,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_http_2_with_prior_knowledge(server, table):
    answer = curl(server, "--http2-prior-knowledge")
    assert table in answer and answer.endswith(" 2 200")


def test_http_1_with_curl(server, table):
    answer = curl(server, "--http1.1")
    assert table in answer and answer.endswith(" 1.1 200")


def test_requests_of_one_connection(server):
    """Two at once, without waiting for the first answer, and in the right order."""
    def plain(operation):
        request = Request(server, operation)
        lines = "".join(f"{name}: {value}\r\n" for name, value in request.signed_headers().items())
        return f"POST / HTTP/1.1\r\n{lines}content-length: 2\r\n\r\n{{}}".encode()

    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(plain("ListTables") + plain("DescribeLimits"))
        received = b""
        while b"AccountMax" not in received:
            received += connection.recv(10_000)
    assert received.index(b"TableNames") < received.index(b"AccountMax")


def bodies_in_memory(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return next(int(line.split()[1]) for line in text.splitlines()
                if line.startswith("plinth_request_bodies_bytes "))


@pytest.mark.parametrize("known", [True, False])
def test_a_strangers_large_body_takes_no_memory(server, known):
    """Whoever has no key could otherwise keep all the room for bodies, at one byte a second."""
    half = b" " * (4 << 20)
    request = Request(server, "PutItem", half + half)
    if not known:
        request.access_key = "AKIAUNKNOWNUNKNOWN00"
    headers = {**request.signed_headers(), "content-length": str(len(half) * 2)}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\n" + lines.encode() + b"\r\n" + half)
        time.sleep(0.5)
        held = bodies_in_memory(server)
        assert (held >= len(half)) == known, held
        connection.sendall(half)
        answer = connection.recv(4096).decode()
        name = "SerializationException" if known else "UnrecognizedClientException"
        assert name in answer, answer
