"""Signature Version 4: the right ones are taken, and every way of being wrong is refused."""

import time

import pytest
from signing import Request, stamp

REFUSED = ("UnrecognizedClientException", "The security token included in the request is invalid.")


def test_a_right_signature_is_taken(server):
    answer = Request(server).send()
    assert answer.status == 200 and "TableNames" in answer.json


@pytest.mark.parametrize("separator", [" ", ",", " , "])
def test_the_parts_of_the_header_need_no_commas(server, separator):
    answer = Request(server).send(lambda headers: headers.update(
        authorization=headers["authorization"].replace(", ", separator)
    ))
    assert answer.status == 200


def test_an_unknown_key_and_a_wrong_secret_get_the_same_answer(server):
    wrong = Request(server, secret="x" * 40).send()
    unknown = Request(server, access_key="AKIAAAAAAAAAAAAAAAAA").send()
    assert wrong.status == unknown.status == 400
    assert wrong.body == unknown.body and wrong.error == REFUSED
    varying = {"date", "x-amzn-requestid"}
    headers = [{n: v for n, v in a.headers.items() if n.lower() not in varying} for a in (wrong, unknown)]
    assert headers[0] == headers[1]


def test_no_signature(server):
    def without(headers):
        del headers["authorization"]

    answer = Request(server).send(without)
    assert answer.status == 400
    assert answer.error == (
        "MissingAuthenticationTokenException", "Request is missing Authentication Token",
    )


def replace(name, value):
    return lambda headers: headers.update({name: value})


def edit(old, new):
    """Changes the Authorization header."""
    return lambda headers: headers.update(
        authorization=headers["authorization"].replace(old, new)
    )


SPOILED = {
    "target": {"change": replace("x-amz-target", "DynamoDB_20120810.DescribeLimits")},
    # Far enough that no request of this run has this very second as its own.
    "date": {"change": replace("x-amz-date", stamp(300))},
    "content type": {"change": replace("content-type", "application/json")},
    "host": {"change": replace("host", "localhost")},
    "body": {"body": b'{"Limit": 1}'},
    "query": {"query": "a=b"},
    "region": {"change": edit("us-east-1", "us-east-2")},
    "key": {"change": edit("Credential=AKIA", "Credential=AKIB")},
    "signed headers": {"change": edit("content-type;host", "host")},
    "signature": {"change": lambda headers: headers.update(authorization=headers["authorization"][:-1] + "z")},
    "upper case": {"change": lambda headers: headers.update(
        authorization=headers["authorization"][:-64] + headers["authorization"][-64:].upper()
    )},
}


@pytest.mark.parametrize("part", SPOILED)
def test_a_part_that_was_changed_after_signing(server, part):
    assert Request(server).send().status == 200
    answer = Request(server).send(**SPOILED[part])
    assert answer.status == 400 and answer.error == REFUSED


def test_a_signature_for_another_service(server):
    code, _ = Request(server, service="s3").send().error
    assert code == "InvalidSignatureException"


def test_any_region_is_taken(server):
    assert Request(server, region="eu-west-1").send().status == 200


def test_a_scope_of_another_day(server):
    answer = Request(server).send(edit(stamp()[:8] + "/", "20200101/"))
    assert answer.error[0] == "InvalidSignatureException"


@pytest.mark.parametrize("name", ["host", "x-amz-target", "x-amz-date"])
def test_what_must_be_signed(server, name):
    answer = Request(server, unsigned=(name,)).send()
    assert answer.status == 400 and answer.error[0] == "InvalidSignatureException"


def test_headers_that_come_twice(server):
    for name in ("authorization", "x-amz-date"):
        def twice(headers):
            return [*headers.items(), (name, headers[name])]

        answer = Request(server).send(twice)
        assert answer.status == 400 and answer.error[0].endswith("SignatureException"), answer.body


@pytest.mark.parametrize(
    ("minutes", "text"),
    [(-14, None), (14, None), (-16, "Signature expired: "), (16, "Signature not yet current: ")],
)
def test_the_clock_may_differ_by_15_minutes(server, minutes, text):
    answer = Request(server, date=stamp(minutes * 60)).send()
    if text is None:
        assert answer.status == 200
    else:
        code, message = answer.error
        assert code == "InvalidSignatureException" and message.startswith(text)


def test_an_unsigned_payload(server):
    request = Request(server, headers={"x-amz-content-sha256": "UNSIGNED-PAYLOAD"})
    assert request.send().error[0] == "InvalidSignatureException"


@pytest.mark.parametrize(
    "authorization", ["Basic YTpi", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 Credential", "AWS4-X a=b", "", "\xff"]
)
def test_nonsense(server, authorization):
    answer = Request(server).send(replace("authorization", authorization))
    assert answer.status == 400
    assert answer.error[0] in ("IncompleteSignatureException", "MissingAuthenticationTokenException")


def test_presigned_addresses(server):
    assert Request(server).presigned(60).status == 200
    assert Request(server, date=stamp(-3600)).presigned(7200).status == 200
    expired = Request(server, date=stamp(-120)).presigned(60)
    assert expired.error[0] == "InvalidSignatureException"
    assert expired.error[1].startswith("Signature expired: ")
    assert Request(server).presigned(8 * 86400).error[0] == "InvalidSignatureException"
    longer = lambda query: query.replace("X-Amz-Expires=60", "X-Amz-Expires=600")  # noqa: E731
    assert Request(server).presigned(60, longer).error == REFUSED
    without = lambda query: query.replace("X-Amz-Date=", "X-Amz-Dat=")  # noqa: E731
    assert Request(server).presigned(60, without).error[0] == "IncompleteSignatureException"


def test_session_tokens(server):
    made = server.access_keys("create", "--expires-in", "1h", "--note", "session")
    key = {"access_key": made["AWS_ACCESS_KEY_ID"], "secret": made["AWS_SECRET_ACCESS_KEY"]}
    token = made["AWS_SESSION_TOKEN"]
    assert eventually(lambda: Request(server, **key, token=token).send().status == 200)
    assert Request(server, **key, token=token).presigned(60).status == 200
    assert Request(server, **key).send().error == REFUSED
    assert Request(server, **key, token=token[:-1] + "x").send().error == REFUSED
    assert Request(server, token=token).send().error == REFUSED


def test_a_session_ends(server):
    made = server.access_keys("create", "--expires-in", "2s")
    key = {
        "access_key": made["AWS_ACCESS_KEY_ID"], "secret": made["AWS_SECRET_ACCESS_KEY"],
        "token": made["AWS_SESSION_TOKEN"],
    }
    assert eventually(lambda: Request(server, **key).send().status == 200)
    time.sleep(2.1)
    assert Request(server, **key).send().error == REFUSED


def test_a_key_is_disabled_enabled_and_deleted_while_the_server_runs(server):
    made = server.access_keys("create")
    key = {"access_key": made["AWS_ACCESS_KEY_ID"], "secret": made["AWS_SECRET_ACCESS_KEY"]}
    works = lambda: Request(server, **key).send().status == 200  # noqa: E731
    assert eventually(works)
    server.access_keys("disable", key["access_key"])
    assert eventually(lambda: not works()), "a disabled key stops within a second"
    assert Request(server, **key).send().error == REFUSED
    server.access_keys("enable", key["access_key"])
    assert eventually(works)
    server.access_keys("delete", key["access_key"])
    assert eventually(lambda: not works())


def eventually(holds, seconds=1.0):
    """Whether it comes true within a second, which is what is promised of access keys."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.05)
    return holds()


def test_secrets_are_nowhere_to_be_read(server):
    """Not in the log, and not in a file of the data folder."""
    made = server.access_keys("create", "--expires-in", "1h")
    secrets = [server.secret, made["AWS_SECRET_ACCESS_KEY"], made["AWS_SESSION_TOKEN"]]
    Request(server, secret=secrets[1]).send()
    texts = ["".join(server.errors).encode()]
    texts += [path.read_bytes() for path in server.folder.rglob("*") if path.is_file()]
    for secret in secrets:
        assert not any(secret.encode() in text for text in texts)
