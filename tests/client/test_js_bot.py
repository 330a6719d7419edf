"""The JavaScript package's examples for Node.js: a bot of a real daemon, an engine of a match."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.daemon.conftest import serving
from tests.support.games import match_line
from tests.support.js_package import pack
from tests.support.programs import PATIENCE, YODDD, Program

NODE = shutil.which("node")
pytestmark = [
    pytest.mark.process,
    pytest.mark.whole,
    pytest.mark.skipif(NODE is None, reason="no node on the PATH"),
]


def test_bots_of_the_package_play_a_match_over_websocket(tmp_path: Path) -> None:
    assert NODE is not None
    pack(tmp_path / "package")
    bot = [NODE, str(tmp_path / "package/examples/engine.mjs")]
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True)
    if int(version.stdout[1:].split(".")[0]) < 22:
        bot.insert(1, "--experimental-websocket")
    with serving("--http", "tcp:0:interface=127.0.0.1") as daemon, ExitStack() as stack:
        url = f"ws://127.0.0.1:{daemon.ports[0]}/ws"
        for name in ("ann", "bob"):
            stack.enter_context(Program([*bot, "5", url, name], stdout=subprocess.DEVNULL))
        with socket.create_connection(("127.0.0.1", daemon.port)) as client:
            client.settimeout(PATIENCE)
            keys = {"game": "xodd", "board": "square4", "games": 2, "wait": 100}
            client.sendall(f"{match_line('ann', 'bob', **keys)}\n".encode())
            reply = b""
            while not reply.endswith(b"\n\n"):
                reply += client.recv(4096) or pytest.fail(f"closed after {reply!r}")
    records = [line for line in reply.splitlines() if line.startswith(b"record")]
    assert len(records) == 2, reply
    assert all(b'"reason":"groups"' in record.replace(b": ", b":") for record in records), reply


def test_engine_of_the_package_plays_a_match_by_the_clock(tmp_path: Path) -> None:
    pack(tmp_path / "package")
    command = [*YODDD, "match", f"{NODE} {tmp_path}/package/examples/engine.mjs", "builtin:random"]
    command += ["--game", "xodd@square4", "--clock", "move=0.1,margin=20", "--quiet"]
    subprocess.run([*command, "--out", str(tmp_path / "run")], check=True)
    records = (tmp_path / "run/games.jsonl").read_text().splitlines()
    assert [json.loads(record)["reason"] for record in records] == ["groups", "groups"]
