"""A master key in KMS, from start to start: what was sealed opens again, and with no other key.

Usage: master_key.py PLINTH-BINARY FOLDER MOTO-LOG, with the keys in PLINTH_TEST_KMS_KEYS.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

PLINTH, FOLDER, MOTO_LOG = sys.argv[1:]
ENDPOINT = os.environ["PLINTH_TEST_MOTO_ENDPOINT"]
ONE, OTHER = os.environ["PLINTH_TEST_KMS_KEYS"].split()
DATA = os.path.join(FOLDER, "data")
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "PLINTH_ENVIRONMENT": "prod",
}


def command(*arguments):
    return [PLINTH, *arguments, "--data", DATA]


def serve(keys, endpoint=ENDPOINT):
    listen = ["--listen", "127.0.0.1:0", "--services-listen", "127.0.0.1:0", "--log", "warn"]
    return subprocess.Popen(
        command("serve", *listen, "--kms-endpoint", endpoint),
        env={**os.environ, **ENVIRONMENT, "PLINTH_MASTER_KEY": keys},
        stdin=subprocess.DEVNULL,
        stdout=open(os.path.join(FOLDER, "greeting"), "wb"),
        stderr=open(os.path.join(FOLDER, "log"), "wb"),
    )


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


class Server:
    """A server with these keys; it ends as a service manager ends it."""

    def __init__(self, keys):
        self.process = serve(keys)

    def __enter__(self):
        for _ in range(300):
            url = re.search(r"^ *services *(http\S+)$", read("greeting"), re.MULTILINE)
            if url:
                self.url = url.group(1)
                return self
            assert self.process.poll() is None, read("log")
            time.sleep(0.2)
        raise AssertionError("the server did not start: " + read("log"))

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(30) == 0, read("log")

    def wait_for(self, line):
        for _ in range(150):
            with urllib.request.urlopen(self.url + "/metrics", timeout=30) as answer:
                if line in answer.read().decode():
                    return
            time.sleep(0.2)
        raise AssertionError(f"no {line}: " + read("log"))

    def make_endpoint(self, token, key):
        body = {"url": "https://hooks.example.com/" + key, "eventTypes": ["tenant.created"]}
        request = urllib.request.Request(
            self.url + "/ops/v1.0/webhooks/endpoints",
            json.dumps(body).encode(),
            {
                "Authorization": "Bearer " + token,
                "Content-Type": "application/json",
                "Idempotency-Key": key,
            },
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read(), answer.headers.get("Idempotent-Replayed")


def refused(keys, endpoint=ENDPOINT):
    """What a start says that must fail."""
    process = serve(keys, endpoint)
    assert process.wait(90) != 0, "it started with " + keys
    return read("log") + read("greeting")


def asked():
    with open(MOTO_LOG, encoding="utf-8") as log:
        return sum("POST / " in line for line in log)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    said = refused("kms:alias/plinth")
    assert "describe-key" in said, said
    said = refused("kms:" + ONE[:-12] + "0" * 12)
    assert "NotFoundException" in said and "master key" in said, said
    said = refused("kms:" + ONE, "http://127.0.0.1:9")
    assert "a way to the endpoint" in said, said

    with Server("kms:" + ONE) as server:
        made = subprocess.run(
            command("token", "--email", "o@example.com", "--role", "owner", "--tenant", "acme"),
            env={**os.environ, **ENVIRONMENT},
            check=True,
            capture_output=True,
            text=True,
        )
        token = made.stdout.strip()
        first, _ = server.make_endpoint(token, "first")
        assert b"whsec_" in first, first
        before = asked()
        for number in range(40):
            server.make_endpoint(token, f"more-{number}")
        more = asked() - before
        assert more == 0, f"KMS was asked {more} times by 40 requests"

    # The token's key and the kept answer were sealed, each under the key of an account.
    with Server("kms:" + ONE) as server:
        again, replayed = server.make_endpoint(token, "first")
        assert (again, replayed) == (first, "true"), (again, replayed)

    said = refused("kms:" + OTHER)
    assert "kms-" + ONE.rsplit("/")[-1] in said and "PLINTH_MASTER_KEY" in said, said

    with Server(f"kms:{OTHER},kms:{ONE}") as server:
        again, replayed = server.make_endpoint(token, "first")
        assert (again, replayed) == (first, "true"), (again, replayed)
        server.wait_for('plinth_job_runs_total{name="wrap-account-keys",outcome="success"} 1')

    # The one before is needed no longer.
    with Server("kms:" + OTHER) as server:
        again, replayed = server.make_endpoint(token, "first")
        assert (again, replayed) == (first, "true"), (again, replayed)
    print("What was sealed under a key of KMS opens with it alone, after a restart too.")


main()
