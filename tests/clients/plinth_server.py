"""A Plinth server, started as a user would start it: on a free port, in a folder of its own."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("PLINTH_BINARY") or REPOSITORY / "target/release/plinth").resolve()
REGION = "us-east-1"
START_SECONDS_MAX = 30


class Server:
    """One process. `with Server() as server:` starts it, and removes its folder at the end."""

    def __init__(self, *arguments, folder=None, address="127.0.0.1:0"):
        self.arguments = [str(argument) for argument in arguments]
        self.address = address
        self.owned = tempfile.mkdtemp(prefix="plinth-clients-") if folder is None else None
        self.folder = Path(folder or Path(self.owned) / "data")
        self.process = None
        self.access_key = self.secret = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        if self.owned:
            shutil.rmtree(self.owned, ignore_errors=True)

    def start(self):
        """Returns when the server has said that it is ready; keeps the access key it has shown."""
        command = [BINARY, "--data", self.folder, "--listen", self.address, *self.arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=environment(),
        )
        self.errors = []
        threading.Thread(target=self._read_errors, daemon=True).start()
        greeting = self._greeting()
        self.url = re.search(r"DynamoDB API +(\S+)", greeting)[1]
        self.port = int(self.url.rsplit(":", 1)[1])
        if secret := re.search(r"^ +secret +(\S+)$", greeting, re.MULTILINE):
            self.access_key = re.search(r"^ +access key +(\S+)$", greeting, re.MULTILINE)[1]
            self.secret = secret[1]

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors.append(line)

    def _greeting(self):
        lines = []
        watch = threading.Timer(START_SECONDS_MAX, self.process.kill)
        watch.start()
        try:
            for line in self.process.stdout:
                lines.append(line)
                if line.startswith("curl "):
                    return "".join(lines)
        finally:
            watch.cancel()
        self.process.wait()
        time.sleep(0.1)
        raise RuntimeError("The server did not start:\n" + "".join(lines + self.errors))

    def stop(self, seconds=30):
        """Asks the process to end, as an operator does, and gives its exit code."""
        if self.process is None:
            return None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process.stdout.close()
            self.process = None

    def access_keys(self, *arguments):
        """Runs `plinth access-keys` on the server's folder; the variables that it prints."""
        command = [BINARY, "access-keys", *arguments, "--data", self.folder]
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
        return dict(line.split("=", 1) for line in ran.stdout.splitlines() if "=" in line)

    def client_environment(self):
        """What an AWS client reads, so that it finds this server without a line of configuration."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        }

    def successes(self):
        """How many requests of each operation have succeeded since the start."""
        with urllib.request.urlopen(self.url + "/metrics") as answer:
            text = answer.read().decode()
        counts = {}
        for kind, operation, value in re.findall(
            r'^plinth_(requests|errors)_total\{.*?operation="(\w+)".*?\} (\d+)', text, re.MULTILINE
        ):
            sign = 1 if kind == "requests" else -1
            counts[operation] = counts.get(operation, 0) + sign * int(value)
        return counts


def environment():
    """This process's environment without settings that would reach the server by accident.

    Services are off: these tests are of the database alone, and several servers run at one time."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PLINTH_")}
    return {**kept, "PLINTH_SERVICES_LISTEN": "off"}
