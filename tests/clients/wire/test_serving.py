"""Starting, stopping, TLS: what an operator does to a server."""

import json
import signal
import subprocess
import threading
import time
import urllib.request

import pytest
from botocore.exceptions import SSLError
from conftest import client_of, make_table
from plinth_server import BINARY, Server, environment


def run(*arguments):
    command = [BINARY, *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=20, env=environment())


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_other_machines_need_tls(tmp_path, address):
    ran = run("--data", tmp_path / "data", "--listen", address)
    assert ran.returncode == 1
    assert "without TLS would send items readable over the network" in ran.stderr
    assert "--tls-certificate" in ran.stderr and not (tmp_path / "data").exists()


def test_any_signature_is_for_loopback_only(tmp_path):
    ran = run("--data", tmp_path, "--listen", "0.0.0.0:0", "--insecure-any-signature", "--allow-plain-http")
    assert ran.returncode == 1 and "would open the database to everyone" in ran.stderr


def test_any_signature_is_loud_in_the_log():
    with Server("--insecure-any-signature") as server:
        client = client_of(server, aws_access_key_id="anyone", aws_secret_access_key="anything")
        assert client.list_tables()["TableNames"] == []
        assert any("EVERY REQUEST IS TAKEN" in line for line in server.errors)


def test_two_servers_do_not_share_a_folder(server):
    ran = run("--data", server.folder, "--listen", "127.0.0.1:0")
    assert ran.returncode == 1 and ran.stderr.strip()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"],
        check=True, capture_output=True,
    )
    return certificate, key


def test_tls(certificate):
    file, key = certificate
    with Server("--tls-certificate", file, "--tls-key", key) as server:
        assert server.url.startswith("https://")
        client = client_of(server, verify=str(file))
        make_table(client, "tls")
        assert client.list_tables()["TableNames"] == ["tls"]
        with pytest.raises(SSLError):
            client_of(server).list_tables()
        answer = subprocess.run(
            ["curl", "--silent", "--http2", "--cacert", file, server.url + "/health",
             "--write-out", " %{http_version}"],
            capture_output=True, text=True, check=True,
        ).stdout
        assert '"ok"' in answer and answer.endswith(" 2")
        plain = subprocess.run(
            ["curl", "--silent", server.url.replace("https", "http") + "/health"], capture_output=True
        )
        assert plain.returncode != 0


def test_a_bad_certificate_is_named(tmp_path, certificate):
    bad = tmp_path / "bad.pem"
    bad.write_text("nonsense\n")
    ran = run("--data", tmp_path / "data", "--tls-certificate", bad, "--tls-key", certificate[1])
    assert ran.returncode == 1 and "bad.pem" in ran.stderr


def test_health_and_metrics(server):
    with urllib.request.urlopen(server.url + "/health") as answer:
        assert json.load(answer)["status"] == "ok"
    before = server.successes()["DescribeEndpoints"]
    client_of(server).describe_endpoints()
    assert server.successes()["DescribeEndpoints"] == before + 1


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_what_was_acknowledged_survives_the_end_of_the_server(how):
    """Writers in threads; the server is ended under them; every item that was acknowledged is there."""
    with Server() as server:
        client = client_of(server)
        make_table(client, "load")
        acknowledged, refused = [], []
        enough = threading.Event()

        def write(thread):
            number = 0
            while True:
                name = f"{thread}-{number}"
                try:
                    client.put_item(TableName="load", Item={"pk": {"S": name}, "n": {"N": str(number)}})
                except Exception as error:
                    refused.append(error)
                    return
                acknowledged.append(name)
                number += 1
                if len(acknowledged) > 300:
                    enough.set()

        threads = [threading.Thread(target=write, args=(thread,)) for thread in range(8)]
        for thread in threads:
            thread.start()
        assert enough.wait(20), refused
        server.process.send_signal(how)
        started = time.monotonic()
        code = server.process.wait(30)
        for thread in threads:
            thread.join()
        assert code == (-signal.SIGKILL if how == signal.SIGKILL else 0)
        assert time.monotonic() - started < 10
        server.process.stdout.close()
        server.start()
        client = client_of(server)
        found = {
            item["pk"]["S"]
            for page in client.get_paginator("scan").paginate(TableName="load", ConsistentRead=True)
            for item in page["Items"]
        }
        missing = set(acknowledged) - found
        assert not missing, f"{len(missing)} of {len(acknowledged)} acknowledged writes are lost"
        # A write that was not answered may be there or not: at most one for each writer.
        assert len(found - set(acknowledged)) <= len(threads)


def test_the_key_of_the_first_start_works_after_a_restart():
    with Server() as server:
        make_table(client_of(server), "kept")
        server.stop()
        server.start()
        assert client_of(server).list_tables()["TableNames"] == ["kept"]


def test_an_open_connection_does_not_keep_the_server_from_ending():
    with Server() as server:
        client = client_of(server)
        client.list_tables()
        started = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - started < 5
