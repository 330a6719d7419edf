"""The configurations of proxies in the documentation, run by the proxies."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from email.message import Message
from pathlib import Path

import pytest

from tests.daemon.conftest import PATIENCE, free_port, make_certificate, serving, until
from tests.support.programs import Program

pytestmark = [pytest.mark.process, pytest.mark.whole]

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "operate-a-server.md"
SITE = "yodd.example"
ENDS = ("", "/", "/x", "//", "%2f", "%2F..%2Fmetrics", ";x", "?x", "/.", "/../metrics", "%00")
BEGINNINGS = ("//metrics", "/./metrics", "/%6detrics", "/METRICS", "/x/../metrics")
"""Variants of the path of the metrics, which a proxy and the daemon might read differently."""


def code(beginning: str) -> str:
    """The block of the guide that begins so."""
    text = GUIDE.read_text(encoding="utf-8")
    (found,) = re.findall(rf"```\w+\n({re.escape(beginning)}.*?)```", text, re.DOTALL)
    return str(found)


def settings(*tables: str) -> list[str]:
    """The options that set the keys of a block of the guide."""
    keys = {} if not tables else tomllib.loads(code(*tables))
    return [
        word
        for name, value in ({"origins": [f"https://{SITE}"]} | keys).items()
        for word in ("--set", f"{name}={json.dumps(value)}")
    ]


def swapped(text: str, changes: dict[str, str]) -> str:
    """The text with each of these words replaced; every one is there."""
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def nginx(folder: Path, port: int, ports: list[int]) -> list[str]:
    site = swapped(
        code("map $http_upgrade"),
        {
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            "/etc/ssl/": f"{folder}/",
            "127.0.0.1:9634": f"127.0.0.1:{ports[-1]}",
        },
    )
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    around = f"events {{}} pid {folder}/pid; error_log stderr; daemon off; master_process off;"
    (folder / "nginx.conf").write_text(f"{around} http {{ access_log off; {places} {site} }}")
    return ["nginx", "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, port: int, ports: list[int]) -> list[str]:
    site = swapped(
        code(f"{SITE} {{"),
        {
            f"{SITE} {{": f"https://{SITE}:{port} {{\ntls {folder}/cert.pem {folder}/key.pem",
            "127.0.0.1:9634": f"127.0.0.1:{ports[-1]}",
        },
    )
    (folder / "Caddyfile").write_text(f"{{\nadmin off\nauto_https off\n}}\n{site}")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def haproxy(folder: Path, port: int, ports: list[int]) -> list[str]:
    lines, board = ports
    changes = {
        "bind :9633": f"bind 127.0.0.1:{free_port()}",
        "bind :443": f"bind 127.0.0.1:{port}",
        "/etc/ssl/yodd.pem": f"{folder}/both.pem",
        "127.0.0.1:9641": f"127.0.0.1:{lines}",
        "9741": str(board),
        # The second daemon, which does not run here.
        "127.0.0.1:9642": f"127.0.0.1:{free_port()}",
        "9742": str(free_port()),
    }
    (folder / "haproxy.cfg").write_text(swapped(code("defaults"), changes))
    return ["haproxy", "-f", str(folder / "haproxy.cfg")]


NEAR = settings("# Behind a proxy on this machine")
Words = Callable[[Path, int, list[int]], list[str]]


@contextmanager
def behind(words: Words, folder: Path, endpoint: str, *options: str) -> Iterator[int]:
    """A daemon behind a proxy: the port of the proxy."""
    program = shutil.which(words.__name__)
    if program is None:
        pytest.skip(f"needs {words.__name__}")
    make_certificate(folder, SITE)
    both = "".join((folder / name).read_text() for name in ("cert.pem", "key.pem"))
    (folder / "both.pem").write_text(both)
    inner = [f"{endpoint}tcp:0:interface=127.0.0.1"] * 2
    with serving("--listen", inner[0], "--http", inner[1], *options) as daemon:
        port = free_port()
        command = words(folder, port, daemon.ports)
        home = os.environ | {"HOME": str(folder)}  # where Caddy keeps what it has adapted
        with Program([program, *command[1:]], stdout=subprocess.DEVNULL, env=home) as process:
            until(lambda: listens(port, process))
            yield port
            process.terminate()
            process.rest()


def listens(port: int, process: Program) -> bool:
    assert process.poll() is None, process.error_text()
    try:
        return ask(port, "/healthz")[0] == http.client.OK
    except (OSError, http.client.HTTPException):
        return False


def ask(port: int, path: str, client: str = "127.0.0.1", **headers: str) -> tuple[int, Message]:
    """Status and headers of the answer to a request for the site, over TLS."""
    with closing(connect(port, client)) as line:
        return send(line, path, **headers)


def connect(port: int, client: str) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    raw = socket.create_connection(("127.0.0.1", port), PATIENCE, (client, 0))
    return context.wrap_socket(raw, server_hostname=SITE)


def send(line: ssl.SSLSocket, path: str, **headers: str) -> tuple[int, Message]:
    sent = {"Host": SITE, **{name.replace("_", "-"): text for name, text in headers.items()}}
    head = "".join(f"{name}: {text}\r\n" for name, text in sent.items())
    line.sendall(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
    with closing(http.client.HTTPResponse(line)) as response:
        response.begin()
        return response.status, response.headers


UPGRADE = {
    "Origin": f"https://{SITE}",
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@pytest.mark.parametrize(
    ("words", "endpoint", "options"),
    [(nginx, "", NEAR), (caddy, "", NEAR), (haproxy, "haproxy:", settings())],
)
def test_proxy_of_the_guide_passes_pages_and_websockets_of_the_client_that_it_names(
    words: Words, endpoint: str, options: list[str], tmp_path: Path
) -> None:
    sets = ("metrics.allow=127.0.0.1", "limits.per_address=3", "limits.exempt=[]")
    options = [*options, *(word for one in sets for word in ("--set", one))]
    with behind(words, tmp_path, endpoint, *options) as port, ExitStack() as held:
        assert ask(port, "/")[0] == 200
        for path in (*(f"/metrics{end}" for end in ENDS), *BEGINNINGS):
            status, _ = ask(port, path, "127.0.0.66")
            assert status in {301, 307, 308, 400, 403, 404}, path
        statuses = []
        for number in range(4):
            line = held.enter_context(closing(connect(port, "127.0.0.66")))
            forged = {"X_Forwarded_For": f"198.51.100.{number}"}
            status, headers = send(line, "/ws", **UPGRADE, **forged)
            statuses.append((status, headers["Sec-WebSocket-Accept"]))
        assert statuses == [(101, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")] * 3 + [(503, None)]
        assert ask(port, "/", "127.0.0.7")[0] == 200
        assert ask(port, "/healthz", "127.0.0.66")[0] == 200
