"""What a scenario is written with: requests that print themselves, checks that say what was found,
people who register and log in, a mailbox that is read, and a receiver of webhooks."""

import email
import http.client
import http.server
import json
import pathlib
import re
import subprocess
import threading
import time
import urllib.parse

PATIENCE_SECONDS = 30


class Answer:
    """What a request was answered with."""

    def __init__(self, status, headers, text):
        self.status, self.headers = status, headers
        self.text = text
        is_json = "json" in (headers.get("content-type") or "")
        self.json = json.loads(text) if text and is_json else None

    def __getitem__(self, name):
        return self.json[name]

    @property
    def error(self):
        return self.json["error"]


class Steps:
    """Counts what was asked and checked, and stops at the first thing that is wrong."""

    def __init__(self, url):
        self.url = urllib.parse.urlsplit(url)
        self.requests = self.checks = 0

    def title(self, text):
        print(f"\n{text}")

    def request(self, method, path, token=None, body=None, expect=200, code=None, **headers):
        """One request on a connection of its own, as curl makes it. Header names have `_` for `-`."""
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=60)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["authorization"] = f"Bearer {token}"
        if body is not None:
            sent["content-type"] = "application/json"
            body = json.dumps(body)
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        answer = Answer(response.status, response.headers, response.read().decode())
        connection.close()
        self.requests += 1
        named = f" {answer.error['code']}" if answer.status >= 400 and answer.json else ""
        print(f"  {method} {shortened(path)} → {answer.status}{named}")
        if answer.status != expect:
            raise AssertionError(f"{expect} was expected: {answer.text}")
        if code:
            self.equal(answer.error["code"], code, "the error's code")
        return answer

    def get(self, path, token=None, **options):
        return self.request("GET", path, token, **options)

    def post(self, path, token=None, body=None, **options):
        return self.request("POST", path, token, body, **options)

    def put(self, path, token=None, body=None, **options):
        return self.request("PUT", path, token, body, **options)

    def patch(self, path, token=None, body=None, **options):
        return self.request("PATCH", path, token, body, **options)

    def delete(self, path, token=None, **options):
        return self.request("DELETE", path, token, **options)

    def equal(self, found, wanted, what):
        self.checks += 1
        if found != wanted:
            raise AssertionError(f"{what} should be {wanted!r}, and is {found!r}")

    def true(self, holds, what):
        self.checks += 1
        if not holds:
            raise AssertionError(f"it should be that {what}")

    def wait_for(self, look, what):
        """What `look` finds, as soon as it finds something."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            found = look()
            if found:
                self.checks += 1
                return found
            time.sleep(0.05)
        raise AssertionError(f"{what} did not come within {PATIENCE_SECONDS} s")


def shortened(path):
    """Identifiers in a path are too long to read: their beginning is enough."""
    return re.sub(r"-([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", r"-\1…", path)


class Server:
    """The server's data folder: who may read it has its tokens and its mails."""

    def __init__(self, plinth, data):
        self.plinth, self.data = plinth, data

    def token(self, role, address):
        command = [self.plinth, "token", "--data", self.data, "--role", role, "--email", address]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def mails(self, address):
        """The texts of the mails to an address, the newest last."""
        found = []
        for path in sorted(pathlib.Path(self.data, "mailbox").glob("*.eml")):
            mail = email.message_from_bytes(path.read_bytes())
            if mail["To"] == address:
                found.append(mail.get_payload(decode=True).decode())
        return found

    def code(self, steps, address, count=1):
        """The code in the mail number `count` to an address."""
        mails = steps.wait_for(
            lambda: (found := self.mails(address))[count - 1 :] and found, f"mail {count} to {address}"
        )
        return re.search(r"Your code is (\S+)", mails[count - 1]).group(1)


class Person:
    """Somebody who registered, proved their address and logged in."""

    def __init__(self, steps, server, name, mails_before=0):
        self.address = f"{name}@example.com"
        password = "a quiet harbour in the fog"
        full = {"email": self.address, "username": name, "name": name.title(), "password": password}
        steps.post("/auth/register", body=full, expect=202)
        proof = {"email": self.address, "code": server.code(steps, self.address, mails_before + 1)}
        steps.post("/auth/verify-email", body=proof, expect=204)
        login = {"name": self.address, "password": password}
        self.token = steps.post("/auth/login", body=login)["accessToken"]


class Receiver:
    """Takes webhooks on a port of this machine."""

    def __init__(self):
        self.events = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.events.append((self.path, json.loads(body)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server.server_port}{path}"

    def event(self, steps, path, kind, tenant):
        """The data of the first event of a type about a tenant that came to a path."""

        def look():
            for at, event in list(self.events):
                if at == path and event["type"] == kind and event["data"]["tenantId"] == tenant:
                    return event["data"]
            return None

        found = steps.wait_for(look, f"{kind} at {path}")
        print(f"  received {kind}")
        return found
