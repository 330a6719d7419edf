"""The Python clients, blocking and Twisted, against real programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.conftest import PATIENCE, YODDD, Daemon, daemon
from tests.support.programs import run

CLIENTS = Path(__file__).parents[2] / "clients" / "python"
sys.path.insert(0, str(CLIENTS))

from yoddd_client import Client, Refused, SimpleEngine, TimedOut  # noqa: E402 — it is no package

pytestmark = [pytest.mark.process, pytest.mark.whole]

__all__ = ["daemon"]


@pytest.fixture
def engine() -> Iterator[SimpleEngine]:
    with SimpleEngine.popen([*YODDD, "gtp", "--engine", "random"]) as engine:
        yield engine


@pytest.mark.gate
def test_simple_engine_replies_and_refuses(engine: SimpleEngine) -> None:
    assert engine.ask("name") == "yoddd"
    engine.ask("game yodd hex3")
    turn = engine.genmove("b", timeout=PATIENCE)
    assert engine.ask("history") == turn
    with pytest.raises(Refused, match="illegal move: white to move"):
        engine.play("b", "1a1")
    assert len(engine.ask("list_commands").splitlines()) > 40
    assert engine.close(PATIENCE) == 0


def test_ask_for_diagram_keeps_its_indentation(engine: SimpleEngine) -> None:
    engine.ask("game yodd hex3")
    assert engine.ask("showboard").startswith("  e . . . 3\n d")


def test_ask_slow_engine_times_out() -> None:
    with SimpleEngine.popen("sleep 30") as engine:
        with pytest.raises(TimedOut):
            engine.ask("name", timeout=0.1)
        assert engine.close(patience=0.1) != 0


@pytest.mark.gate
def test_client_over_tcp_asks_and_streams(daemon: Daemon) -> None:
    with Client.connect(daemon.address) as client:
        assert client.ask("protocol_version") == "2"
        client.play("b", "1a1")
        with pytest.raises(Refused):
            client.ask("frobnicate")
        lines = client.stream("match absent missing wait=30")
        client.stop()
        assert list(lines) in ([], ["error the match was stopped"])
        assert client.ask("name") == "yoddd"


TWISTED = """
import sys
from twisted.internet.task import react
from twisted.internet.defer import Deferred, gatherResults
sys.path.insert(0, {folder!r})
from yoddd_twisted import Refused, connect

async def talk(reactor):
    client = await connect(reactor, "127.0.0.1", {port})
    print(await gatherResults([client.ask("name"), client.ask("protocol_version")]))
    await client.ask("game yodd hex3")
    await client.ask("info_lines on")
    print((await client.ask("showboard")).splitlines()[0])
    print(len((await client.ask("genmove b")).split(",")))
    try:
        await client.ask("frobnicate")
    except Refused as error:
        print(error)
    heard = []
    stream = client.stream("match a b wait=0", heard.append)
    print(repr(await stream), heard)
    quit = client.ask("quit")
    print(repr(await quit))
    try:
        await client.ask("name")
    except Exception as error:
        print(type(error).__name__)

react(lambda reactor: Deferred.fromCoroutine(talk(reactor)))
"""


@pytest.mark.gate
def test_twisted_client_fires_deferreds(daemon: Daemon) -> None:
    code = TWISTED.format(folder=str(CLIENTS), port=daemon.port)
    done = run(sys.executable, "-c", code)
    assert done.stdout.splitlines() == [
        "['yoddd', '2']",
        "  e . . . 3",
        "1",
        "unknown command: frobnicate",
        "'' ['error not attached: a, b (attached: none)']",
        "''",
        "ConnectionDone",
    ], done.stderr


def test_simple_engine_keeps_what_the_engine_states_about_its_turn() -> None:
    with SimpleEngine.popen([*YODDD, "gtp", "--engine", "uct"]) as engine:
        engine.ask("set_param playouts 20")
        engine.ask("info_lines on")
        turn = engine.genmove("b", PATIENCE)
        assert engine.info.startswith("winrate ")
        assert f"pv {turn}" in engine.info
        engine.ask("history")
        assert engine.info == ""
