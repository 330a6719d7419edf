"""The control socket: requests, refusals, and a client without an answer."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any, cast

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.threads import deferToThread

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.runs.control import (
    Commands,
    ControlPort,
    NotRunning,
    ask_socket,
    command_run,
    is_word,
    parse_setting,
    request_line,
)

COMMANDS: Commands = {
    "status": lambda _: {"running": 1},
    "set": lambda text: {"games": parse_setting(text)},
}


async def ask(path: Path, request: str) -> dict[str, Any]:
    """Ask in a thread, so that this reactor can answer."""
    return cast("dict[str, Any]", await deferToThread(ask_socket, path, *request.split()))


def lines_of(path: Path, data: bytes) -> list[dict[str, Any]]:
    """The answers to ``data``, until the socket closes."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(20)
        peer.connect(str(path))
        peer.sendall(data)
        peer.shutdown(socket.SHUT_WR)
        with peer.makefile("rb") as lines:
            return [json.loads(line) for line in lines]


@ensureDeferred
async def test_control_port_answers_requests_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    port = ControlPort(cast("Reactor", installed), path, COMMANDS)
    assert path.stat().st_mode & 0o777 == 0o600
    assert await ask(path, "status") == {"running": 1}
    assert await ask(path, "set concurrency=4") == {"games": 4}
    with pytest.raises(ValueError, match="expected one of status, set"):
        await ask(path, "dance")
    await port.close()
    assert not path.exists()
    with pytest.raises(NotRunning):
        await ask(path, "status")


@ensureDeferred
async def test_control_port_replaces_a_socket_that_was_left(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    port = ControlPort(cast("Reactor", installed), path, COMMANDS)
    assert await ask(path, "status") == {"running": 1}
    await port.close()


@ensureDeferred
async def test_control_port_works_in_a_folder_whose_name_no_socket_may_have(tmp_path: Path) -> None:
    path = tmp_path / ("long" * 30) / "control.sock"
    path.parent.mkdir()
    port = ControlPort(cast("Reactor", installed), path, COMMANDS)
    assert await ask(path, "status") == {"running": 1}
    await port.close()


ODD = ["", " ", "x\nstop", "x stop", "x\rstop", "x\x00", "x\x1b[0m", "x\u2028stop", "\ud800", "x\t"]


@pytest.mark.parametrize("text", ODD)
def test_request_line_refuses_what_is_no_word(text: str) -> None:
    assert not is_word(text)
    with pytest.raises(ValueError, match="expected a word without spaces"):
        request_line(["playing", text])


def test_request_line_has_a_space_between_its_words() -> None:
    assert request_line(["set", "concurrency=4"]) == b"set concurrency=4\n"
    assert request_line(["playing", "Zürich-1"]) == "playing Zürich-1\n".encode()


@pytest.mark.parametrize(
    "line", [b"", b" status", b"status ", b"status  x", b"status\r", b"status\0", b"status \xff"]
)
@ensureDeferred
async def test_control_port_closes_after_a_line_that_is_no_request(
    tmp_path: Path, line: bytes
) -> None:
    path = tmp_path / "control.sock"
    port = ControlPort(cast("Reactor", installed), path, COMMANDS)
    found = await deferToThread(lines_of, path, b"status\n" + line + b"\nstatus\n")
    assert found == [
        {"running": 1},
        {"error": "expected printable words with a space between them"},
    ]
    await port.close()


@pytest.mark.parametrize("answer", [b"", b"junk\n"])
def test_command_run_without_an_answer_says_nothing_runs(tmp_path: Path, answer: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "control.sock"))
        server.listen()

        def serve() -> None:
            peer, _ = server.accept()
            with peer:
                peer.recv(100)
                peer.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(NotRunning, match=r"control\.sock"):
            command_run(tmp_path, "stop")
        thread.join()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("concurrency=1", 1),
        (" concurrency = 12 ", 12),
        ("concurrency=4096", 4096),
        ("", "expected concurrency=N"),
        ("speed=1", "expected concurrency=N"),
        ("concurrency=-1", "expected concurrency=N"),
        ("concurrency=0", "expected 1 to 4096"),
        ("concurrency=4097", "expected 1 to 4096"),
    ],
)
def test_parse_setting_reads_a_number_of_games(text: str, found: int | str) -> None:
    if isinstance(found, int):
        assert parse_setting(text) == found
        return
    with pytest.raises(ValueError, match=found):
        parse_setting(text)
