"""What `gpubook-box serve` is asked for on the command line: refused with a sentence, status 1, or served."""

import http.client
import importlib.metadata
import os
import re
import signal
import ssl
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import boxes
import pytest

from gpu_backend import cli
from gpu_backend.server import command, version
from gpu_backend.server.settings import Settings, Unsettled

TOKEN = "a-token-that-is-long-enough"
EVERYWHERE = ("0", "00.0.0.0", "0x0", "0:0:0::0", "::0", "::ffff:0.0.0.0", "::0.0.0.0", "")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"token": "short"}, "a token has 16 characters or more"),
        ({"token": "with spaces in the midst"}, "a token has"),
        ({"token": "naïve-and-not-ascii-at-all"}, "a token has"),
        ({"host": "0.0.0.0"}, "--host 0.0.0.0 listens at every address, so say by which name"),
        ({"host": "::"}, "--host :: listens at every address"),
        *(({"host": all_of_them}, f"--host {all_of_them} listens at every address") for all_of_them in EVERYWHERE),
        ({"origins": ("https://book.example:99999",)}, "--allow-origin https://book.example:99999: a port is at most"),
        ({"hosts": ("box.example:8787",)}, "--allow-host box.example:8787: write a name"),
        ({"hosts": ("*",)}, "--allow-host *: write a name"),
        ({"hosts": ("https://box.example",)}, "--allow-host https://box.example: write a name"),
        ({"origins": ("*",)}, "--allow-origin *: write scheme://host"),
        ({"origins": ("null",)}, "--allow-origin null: write scheme://host"),
        ({"origins": ("https://book.example/page",)}, "--allow-origin https://book.example/page: write"),
        ({"origins": ("book.example",)}, "--allow-origin book.example: write"),
        ({"port": 70000}, "--port 70000: a port is from 0"),
        ({"deadline_s": 0.0}, "--deadline 0: from 1 to 3600"),
        ({"deadline_s": float("nan")}, "--deadline nan: from 1 to 3600"),
        ({"queue_limit": 0}, "--queue 0: from 1 to 1000"),
        ({"certfile": "x"}, "TLS takes both"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(asked, says):
    with pytest.raises(Unsettled, match="^" + re.escape(says)):
        Settings(**{"token": TOKEN} | asked)


def test_a_missing_certificate_is_named(tmp_path):
    with pytest.raises(Unsettled, match=r"there is no file .*cert"):
        Settings(token=TOKEN, certfile=tmp_path / "cert", keyfile=tmp_path / "key")


def test_what_is_no_certificate_is_named(tmp_path):
    for name in ("cert", "key"):
        (tmp_path / name).write_text("neither")
    with pytest.raises(Unsettled, match=r"--certfile .*cert and --keyfile .*key: .*; right are a certificate and"):
        Settings(token=TOKEN, certfile=tmp_path / "cert", keyfile=tmp_path / "key")


def test_origins_are_compared_as_browsers_send_them():
    asked = ("https://a.example:443", "http://b.example:80", "https://c.example:80", "http://[fd00::1]:80", "http://d")
    sent = {"https://a.example", "http://b.example", "https://c.example:80", "http://[fd00::1]", "http://d"}
    assert Settings(token=TOKEN, origins=asked).pages == sent


def test_a_request_has_ten_seconds():
    """Other tests are in a hurry; the command line does not offer to be."""
    assert Settings(token=TOKEN).request_s == 10


def test_the_version_is_the_packages_and_in_a_checkout_that_is_not_installed_the_projects(monkeypatch):
    assert version.own() == importlib.metadata.version("gpubook")
    monkeypatch.setattr(version, "NAME", "gpubook-that-nobody-installs")
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    assert version.own() == project["version"]


def test_names_are_the_loopbacks_its_own_address_and_those_allowed():
    assert Settings(token=TOKEN).names == {"localhost", "127.0.0.1", "[::1]"}
    assert "192.0.2.7" in Settings(token=TOKEN, host="192.0.2.7").names
    assert "[fd00::7]" in Settings(token=TOKEN, host="fd00::7").names
    everywhere = Settings(token=TOKEN, host="0.0.0.0", hosts=("box.example",))
    assert everywhere.names == {"localhost", "127.0.0.1", "[::1]", "box.example"}
    assert not everywhere.local
    assert Settings(token=TOKEN, host="127.0.0.2").local


def test_the_address_that_is_printed_has_the_token_where_no_server_is_sent_it():
    assert Settings(token=TOKEN).address(8787) == f"http://127.0.0.1:8787/#box?token={TOKEN}"
    assert Settings(token=TOKEN, host="::1").address(1) == f"http://[::1]:1/#box?token={TOKEN}"
    named = Settings(token=TOKEN, host="0.0.0.0", hosts=("box.example",))
    assert named.address(80) == f"http://box.example:80/#box?token={TOKEN}"


@contextmanager
def serve(*arguments, **environment):
    command = [sys.executable, "-m", "gpu_backend", "serve", "--port", "0", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("arguments", "environment", "token"),
    [
        ((), {}, r"[A-Za-z0-9_-]{32}"),
        ((), {command.VARIABLE: TOKEN}, TOKEN),
        (("--token", TOKEN + "2"), {command.VARIABLE: TOKEN}, TOKEN + "2"),
    ],
)
def test_the_token_is_given_or_new_and_ctrl_c_is_a_good_end(arguments, environment, token):
    with serve(*arguments, **environment) as process:
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert re.fullmatch(rf"The GPU box is at http://127\.0\.0\.1:\d+/#box\?token={token} \(Ctrl\+C ends it\)\n", line)
    assert process.returncode == 0
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--host", "0.0.0.0"), "gpubook-box: --host 0.0.0.0 listens at every address"),
        (("--token", "x"), "gpubook-box: a token has 16 characters or more"),
        (("--host", "192.0.2.1"), "gpubook-box: cannot listen at 192.0.2.1, port 0"),
        (("--host", "no.such.host.invalid"), "gpubook-box: cannot listen at no.such.host.invalid, port 0"),
    ],
)
def test_what_cannot_be_served_is_a_sentence_and_status_1(arguments, says):
    with serve(*arguments) as process:
        printed, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert printed == ""
    assert "Traceback" not in said
    assert says in said
    assert "x" * 16 not in said


@pytest.mark.parametrize(
    ("arguments", "warned"),
    [
        ((), False),
        (("--host", "::1"), False),
        (("--host", "0.0.0.0", "--allow-host", "Box.Example"), True),
        (("--host", "192.0.2.7"), True),
    ],
)
def test_a_token_that_goes_unencrypted_is_warned_of(arguments, warned, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr("gpu_backend.server.serve.run", asked.append)
    with pytest.raises(SystemExit) as left:
        cli.main(["serve", *arguments])
    assert left.value.code == 0
    assert ("unencrypted" in capsys.readouterr().err) == warned
    assert asked[0].hosts == (("box.example",) if "Box.Example" in arguments else ())


@pytest.mark.skipif(which("openssl") is None, reason="no openssl to make a certificate")
def test_a_folder_without_a_book_is_told_and_the_box_served(tmp_path):
    with serve("--site", str(tmp_path)) as process:
        assert process.stdout.readline().startswith("The GPU box is at http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    told = f"there is no built book in {tmp_path}; `make site` builds one in _site, --site names another folder"
    assert said == f"gpubook-box: {told}\n"


def test_with_a_certificate_it_speaks_tls_and_its_own_origin_is_https(tmp_path):
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2"]
    subprocess.run([*command, "-subj", "/CN=localhost"], check=True, capture_output=True)
    with boxes.box(certfile=cert, keyfile=key) as box:
        assert box.scheme == "https"
        trusted = ssl.create_default_context(cafile=str(cert))
        trusted.check_hostname = False
        for origin, status in ((f"https://127.0.0.1:{box.port}", 200), (f"http://127.0.0.1:{box.port}", 403)):
            connection = http.client.HTTPSConnection("127.0.0.1", box.port, timeout=60, context=trusted)
            connection.request("GET", "/health", headers={"Authorization": f"Bearer {box.token}", "Origin": origin})
            assert connection.getresponse().status == status
            connection.close()
