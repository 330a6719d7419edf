"""The test engine as a real process: its turns are legal, and each fault is what it says."""

from __future__ import annotations

import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.programs import PATIENCE, Program
from yoddd.notation import parse_turn
from yoddd.protocol.controller import Controller, ControllerFault, Event, Handshake, ReplyReceived
from yoddd.rules import Position, make_rules

pytestmark = [pytest.mark.process, pytest.mark.whole]

ENGINE = Path(__file__).parent / "engine.py"
SILENCE = 0.3
"""Seconds in which nothing must happen."""


class Driven:
    """One engine process behind the real controller, with blocking reads for the test."""

    def __init__(self, process: Program) -> None:
        self.process = process
        self.controller = Controller()

    def read(self, patience: float = PATIENCE) -> bytes | None:
        """Some bytes; empty at the end of the stream, None when none came in time."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            ready = selector.select(patience)
        return os.read(self.process.stdout.fileno(), 65536) if ready else None

    def send(self, command: str) -> None:
        self.process.stdin.write(self.controller.request(command).decode())

    def event(self) -> Event | None:
        """The controller's next event; None at the end of the stream."""
        deadline = time.monotonic() + PATIENCE
        while data := self.read():
            events = self.controller.receive(data)
            if events:
                return events[-1]
            assert time.monotonic() < deadline
        return None

    def ask(self, command: str) -> Event | None:
        self.send(command)
        return self.event()

    def text(self, command: str) -> str:
        reply = self.ask(command)
        assert isinstance(reply, ReplyReceived), reply
        assert reply.ok, reply
        return reply.text


@contextmanager
def driven(*options: str) -> Iterator[Driven]:
    with Program([sys.executable, ENGINE, *options], stdin=True) as process:
        yield Driven(process)


def faulty(fault: str, *options: str) -> tuple[str, ...]:
    return ("--fault", fault, "--turn", "1", *options)


# -- sound play -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "game",
    [
        "yodd hex3",
        "yodd hex3 own_colour=on",
        "xodd square4",
        "odd hex3",
        "odd square3",
        "yoin hex3",
        "yoin hex2 pie=off",
        "product hex2",
    ],
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_genmove_every_turn_is_legal(game: str, seed: int) -> None:
    name, board, *options = game.split()
    rules = make_rules(name, board, dict(option.split("=") for option in options))
    position = Position(rules)
    with driven("--seed", str(seed)) as engine:
        engine.text(f"game {game}")
        engine.text("clear_board")
        while not position.is_over:
            token = engine.text(f"genmove {position.player.letter}")
            turn = parse_turn(token, rules, position.player)
            assert position.illegality(turn) is None, token
            position.play(turn)


def test_seed_same_value_gives_same_game() -> None:
    games = []
    for options in (("--seed", "5"), ("--seed", "5"), ("--seed", "6")):
        with driven(*options) as engine:
            engine.text("boardsize 4")
            games.append([engine.text(f"genmove {player}") for player in "bwbwbw"])
    assert games[0] == games[1] != games[2]


def test_handshake_completes_and_quit_ends_process() -> None:
    with driven("--name", "Nemo") as engine:
        handshake = Handshake()
        while handshake.command is not None:
            reply = engine.ask(handshake.command)
            assert isinstance(reply, ReplyReceived)
            handshake.answer(reply)
        assert handshake.info is not None
        assert handshake.info.name == "Nemo"
        assert handshake.info.problem is None
        assert engine.text("quit") == ""
        assert engine.process.wait(PATIENCE) == 0


def test_engine_end_of_input_ends_process() -> None:
    with driven() as engine:
        engine.process.stdin.close()
        assert engine.process.wait(PATIENCE) == 0


def test_plain_engine_lists_mandatory_commands_only() -> None:
    with driven("--plain") as engine:
        assert "game" not in engine.text("list_commands").split()
        reply = engine.ask("game yodd hex3")
        assert reply == ReplyReceived("game yodd hex3", ok=False, text="unknown command")


def test_connect_dials_and_attaches() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with driven("--connect", address, "--as", "nemo"):
            server.settimeout(PATIENCE)
            connection, _ = server.accept()
            connection.settimeout(PATIENCE)
            with connection, connection.makefile("rb") as lines:
                assert lines.readline() == b"attach nemo\n"
                connection.sendall(b"7 name\n")
                assert lines.readline() == b"=7 Test engine\n"


# -- faults that the controller sees --------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        ("flood", "line over"),
        ("flood-lines", "malformed reply: 'info thinking'"),
        ("malformed", "malformed reply: '1a1'"),
        ("wrong-id", "reply with id 2, expected 1"),
        ("no-id", "reply with id none, expected 1"),
        ("double", "unrequested output: '=1 "),
        ("nul", "NUL byte"),
        ("not-utf8", "not UTF-8"),
        ("huge", "more than 65536 bytes"),
    ],
)
def test_fault_breaking_protocol_is_found_by_controller(fault: str, detail: str) -> None:
    with driven(*faulty(fault)) as engine:
        event = engine.ask("genmove b")
        assert isinstance(event, ControllerFault)
        assert detail in event.detail


def test_fault_banner_is_unrequested_output() -> None:
    with driven(*faulty("banner")) as engine:
        assert engine.event() == ControllerFault(
            "unrequested output: 'Welcome to the test engine!'"
        )


@pytest.mark.parametrize(
    ("fault", "command", "expected"),
    [
        ("illegal", "genmove b", (True, "a1,a1")),
        ("nonsense", "genmove b", (True, "zz99")),
        ("resign", "genmove b", (True, "resign")),
        ("late", "genmove b", (True, "resign")),
        ("refuse-genmove", "genmove b", (False, "illegal move")),
        ("refuse-play", "play b 1c3", (False, "illegal move")),
    ],
)
def test_fault_within_protocol_is_whole_reply(
    fault: str, command: str, expected: tuple[bool, str]
) -> None:
    with driven(*faulty(fault, "--delay", "0.01")) as engine:
        assert engine.ask(command) == ReplyReceived(command, *expected)


def test_fault_of_second_turn_recurs_in_every_game() -> None:
    with driven("--fault", "resign", "--turn", "2") as engine:
        for _ in range(2):
            engine.text("clear_board")
            assert engine.text("genmove b") != "resign"
            assert engine.text("genmove b") == "resign"
            assert engine.text("genmove b") != "resign"


def test_fault_slow_delays_legal_turn() -> None:
    with driven(*faulty("slow", "--delay", "0.1")) as engine:
        began = time.monotonic()
        assert engine.text("genmove b")
        assert time.monotonic() - began >= 0.1


def test_fault_lacks_genmove_is_missing_from_list() -> None:
    with driven(*faulty("lacks-genmove")) as engine:
        assert "genmove" not in engine.text("list_commands").split()


# -- faults that only the operating system sees ---------------------------------------------


@pytest.mark.parametrize(
    ("fault", "status"), [("crash", 3), ("signal", -signal.SIGKILL), ("exit-after-genmove", 0)]
)
def test_fault_ending_process_gives_its_status(fault: str, status: int) -> None:
    with driven(*faulty(fault)) as engine:
        event = engine.ask("genmove b")
        assert (event is None) == (fault != "exit-after-genmove")
        assert engine.process.wait(PATIENCE) == status
        assert ("crashes on cue" in engine.process.error_text()) == (fault == "crash")


@pytest.mark.parametrize(
    ("fault", "command"), [("stall", "genmove b"), ("stall-play", "play b 1c3")]
)
def test_fault_stall_is_silent_until_end_of_input(fault: str, command: str) -> None:
    with driven(*faulty(fault)) as engine:
        engine.text("name")  # it has started, so silence means something
        engine.send(command)
        assert engine.read(SILENCE) is None
        engine.process.stdin.close()
        assert engine.process.wait(PATIENCE) == 0


def test_fault_half_line_is_never_completed() -> None:
    with driven(*faulty("half-line")) as engine:
        engine.send("genmove b")
        assert engine.read() == b"=1 1"
        assert engine.read(SILENCE) is None


def test_fault_ignore_sigterm_outlives_sigterm_and_quit() -> None:
    with driven(*faulty("ignore-sigterm")) as engine:
        assert engine.text("genmove b")
        engine.process.terminate()
        assert engine.text("genmove w")
        assert engine.text("quit") == ""
        with pytest.raises(subprocess.TimeoutExpired):
            engine.process.wait(SILENCE)


def test_fault_grandchild_keeps_pipe_open() -> None:
    with driven(*faulty("grandchild")) as engine:
        engine.send("genmove b")
        assert engine.process.wait(PATIENCE) == 0
        word, pid = engine.process.error_text().split()
        assert word == "grandchild"
        try:
            assert engine.read(SILENCE) is None
        finally:
            os.kill(int(pid), signal.SIGKILL)
        assert engine.read() == b""


def test_readme_lists_every_fault() -> None:
    shown = subprocess.run(
        [sys.executable, ENGINE, "--help"],
        capture_output=True,
        check=True,
        text=True,
        env=os.environ | {"COLUMNS": "1000"},
    )
    listed = shown.stdout.partition("{")[2].partition("}")[0].split(",")
    readme = (ENGINE.parent / "README.md").read_text()
    assert re.findall(r"^\| `([a-z][a-z0-9-]+)` \|", readme, re.MULTILINE) == listed
