"""Three nodes with one PostgreSQL store: one lobby, takeover of games, fencing numbers."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import attrs
import pytest

from tests.daemon.conftest import PATIENCE, YODDD, Peer
from tests.daemon.stores import make_store
from tests.support.postgres import database, postgres
from yoddd.notation.records import load_record, replay
from yoddd.store import games
from yoddd.store.database import read_url
from yoddd.store.store import Store
from yoddd.store.values import GameRow, State

__all__ = ["database", "postgres"]

pytestmark = [pytest.mark.process, pytest.mark.stress, pytest.mark.timeout(240)]

LEASE = 6.0
BOUND = 60.0
"""Seconds that anything may take on a loaded machine."""

OPENING = ("1d4", "1e2,2a2", "2d1,2d3", "1b2,2c5", "1c4,2c2", "2a1,2e3")
"""Legal turns in sequence on hex3; a pass is legal after any odd number of groups."""


@attrs.define(eq=False)
class Node:
    """A node of the fleet, as a process."""

    process: subprocess.Popen[bytes]
    port: int
    peers: list[Peer] = attrs.Factory(list)

    def peer(self) -> Peer:
        peer = Peer(self.port)
        peer.socket.settimeout(BOUND)
        self.peers.append(peer)
        return peer

    @property
    def state(self) -> str:
        """The state of the process, a letter as in /proc: R, S, T…"""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8")
        return stat.rpartition(")")[2].split()[0]

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)


@contextmanager
def serving(store: str, link: str, log: Path) -> Iterator[Node]:
    keys = {"fleet.listen": link, "fleet.lease": LEASE, "drain": 0, "http": ""}
    options = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [*YODDD, "serve", "--listen", "tcp:0:interface=127.0.0.1", "--store", store, *options],
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    assert process.stdout is not None
    match = re.fullmatch(rb"listening on tcp:(\d+):.*\n", process.stdout.readline())
    server = Node(process, int(match[1]) if match else 0)
    try:
        assert match is not None, "it does not start"
        yield server
    finally:
        for peer in server.peers:
            peer.close()
        process.kill()  # which also ends a suspended process
        process.communicate(timeout=PATIENCE)
        sys.stdout.write(log.read_text(encoding="utf-8"))  # pytest shows it if the test fails


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    make_store(database)
    opened = Store(read_url(database))
    yield opened
    opened.close()


def until(found: Callable[[], str | None]) -> str:
    """Poll ``found`` and return its first result that is not empty."""
    deadline = time.monotonic() + BOUND
    while time.monotonic() < deadline:
        result = found()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError("no result in time")


def row(store: Store, game: str) -> GameRow:
    found = store.read(lambda c: games.find_game(c, int(game[1:])))
    assert found is not None
    return found


@attrs.define
class Human:
    """A user who plays one game, over any connection."""

    name: str
    store: Store
    game: str = ""
    key: str = ""
    acknowledged: dict[int, str] = attrs.Factory(dict)
    peer: Peer | None = None

    def ask(self, request: str) -> str:
        assert self.peer is not None
        return self.peer.ask(request)

    def log_in(self, server: Node) -> None:
        self.peer = server.peer()
        assert self.ask(f"login {self.name} token-of-{self.name}") == "= "

    def resume(self) -> None:
        def once() -> str | None:
            reply = self.ask(f"resume {self.game}")
            return reply.removeprefix("= ") if reply.startswith("= ") else None

        self.key = until(once)

    def put(self, number: int, token: str) -> None:
        """Play a turn, and retry: a node on a loaded machine may lose its lease."""

        def once() -> str | None:
            reply = self.ask(f"put {self.key} {token}")
            if reply == "= ":
                self.acknowledged[number] = token
                return reply
            if len(row(self.store, self.game).turns) >= number:
                return "stored, but not acknowledged"
            self.resume()
            return None

        until(once)


def begin(caller: Human, invited: Human) -> str:
    """Start a rated game that ``caller`` offers to ``invited``, each over their own connection."""
    until(lambda: "ok" if f"{invited.name} person" in caller.ask("who") else None)
    offered = caller.ask(f"seek {caller.name} against={invited.name} rated=yes board=hex3 seat=b")
    assert offered.startswith("= r"), offered
    game, caller.key = offered.split()[1:]
    accepted = invited.ask(f"accept {game} {invited.name}")  # at once: it is published everywhere
    assert accepted.startswith("= "), accepted
    invited.key = accepted.removeprefix("= ")
    caller.game = invited.game = game
    return game


def play(caller: Human, invited: Human, turns: tuple[str, ...], first: int = 1) -> None:
    for number, token in enumerate(turns, first):
        (caller if number % 2 else invited).put(number, token)


def watched(peer: Peer, game: str, turns: int) -> list[str]:
    """Return the first ``turns`` tokens that a spectator receives."""
    peer.send(f"observe {game}\n")
    assert peer.line() == "= "
    found: list[str] = []
    while len(found) < turns:
        line = peer.line()
        assert not line.startswith("error"), line
        if line.startswith("turn "):
            found.append(line.split()[2])
    return found


def check_finished(store: Store, game: str, players: tuple[Human, ...]) -> None:
    def over() -> str | None:
        return "over" if row(store, game).state is State.OVER else None

    until(over)
    found = row(store, game)
    tokens = [turn.token for turn in found.turns]
    assert [turn.number for turn in found.turns] == list(range(1, len(tokens) + 1))
    acknowledged = {n: token for one in players for n, token in one.acknowledged.items()}
    assert {n: tokens[n - 1] for n in acknowledged} == acknowledged
    assert found.record is not None
    record = load_record(found.record)
    assert list(record.turns) == tokens
    assert record.reason == "groups"
    replay(record)


def test_fleet_one_node_killed_and_one_late_goes_on_as_one_server(
    database: str, store: Store, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        first, second, third = (
            stack.enter_context(serving(database, "tcp:0:interface=127.0.0.1", tmp_path / name))
            for name in ("first", "second", "third")
        )
        ann, bob = Human("ann", store), Human("bob", store)
        ann.log_in(second)
        bob.log_in(third)
        game = begin_and_watch(first, ann, bob)
        check_engine(ann, third)
        check_lobby(ann, first, second)
        check_kill(game, (ann, bob), (first, second, third))
        check_late(Human("cid", store), Human("box", store), first, third)


def begin_and_watch(first: Node, ann: Human, bob: Human) -> str:
    """Check that the first node lists ann of the second and bob of the third."""
    watcher = first.peer()
    until(lambda: "ok" if {"ann person", "bob person"} <= who(watcher) else None)
    game = begin(ann, bob)
    until(lambda: "ok" if f"{game} playing" in watcher.ask("games") else None)
    play(ann, bob, OPENING[:3])
    assert watched(first.peer(), game, 3) == list(OPENING[:3])
    return game


def check_engine(ann: Human, third: Node) -> None:
    """Check that an engine that attaches at the third node plays at the first."""
    engine = third.peer()
    engine.send("attach box token=token-of-box\n")
    until(lambda: "ok" if ann.ask("attached") == "= box" else None)
    offered = ann.ask("seek ann against=box board=hex2")
    assert re.fullmatch(r"= t\d+ 1\.\S+", offered), offered
    assert engine.line().endswith("protocol_version")
    *_, key = offered.split()
    assert ann.ask(f"put {key} resign") == "= "
    engine.close()


def check_lobby(ann: Human, first: Node, second: Node) -> None:
    """Check that offers are withdrawn, and log-ins replaced, over any node."""
    watcher = first.peer()
    *_, key = ann.ask("seek ann board=hex2").split()
    assert watcher.ask(f"withdraw {key}") == "= "
    assert watcher.ask(f"withdraw {key}") == "? syntax error: no game has this key"
    assert watcher.ask("withdraw 99.x").startswith("? busy: process 99 is gone")
    old = second.peer()
    assert old.ask("login cid token-of-cid") == "= "
    assert first.peer().ask("login cid token-of-cid") == "= "
    assert old.rest() == b""


def check_kill(game: str, players: tuple[Human, Human], servers: tuple[Node, Node, Node]) -> None:
    """Kill the node that has the game: the oldest takes it over, and both users resume it."""
    ann, bob = players
    first, second, third = servers
    watching = first.peer()
    watched(watching, game, 3)
    second.send(signal.SIGKILL)
    assert watching.reply().splitlines()[-1].startswith("error busy: process")
    ann.log_in(first)
    ann.resume()
    bob.resume()
    play(ann, bob, OPENING[3:], 4)
    play(ann, bob, ("pass", "pass"), len(OPENING) + 1)
    check_finished(ann.store, game, players)
    assert watched(third.peer(), game, 8) == [*OPENING, "pass", "pass"]


def check_late(cid: Human, box: Human, first: Node, third: Node) -> None:
    """Suspend the third node, which has a game, for longer than its lease."""
    cid.log_in(third)
    box.log_in(first)
    game = begin(cid, box)
    play(cid, box, OPENING[:2])
    third.send(signal.SIGSTOP)
    until(lambda: "stopped" if third.state == "T" else None)
    assert cid.peer is not None
    cid.peer.send(f"put {cid.key} {OPENING[2]}\n")  # waits in the socket of the stale owner
    box.resume()  # succeeds once the game is taken over
    third.send(signal.SIGCONT)
    assert cid.peer.reply().startswith("? busy: another process has taken over")
    assert len(row(cid.store, game).turns) == 2
    cid.resume()  # over the same connection: the third still serves it
    play(cid, box, OPENING[2:], 3)
    play(cid, box, ("pass", "pass"), len(OPENING) + 1)
    check_finished(cid.store, game, (cid, box))


def who(peer: Peer) -> set[str]:
    return set(peer.ask("who").removeprefix("= ").splitlines())


def test_fleet_offer_is_listed_at_the_other_node_when_seek_has_answered(
    database: str, store: Store, tmp_path: Path
) -> None:
    del store
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(serving(database, "tcp:0:interface=127.0.0.1", tmp_path / name))
            for name in ("first", "second")
        )
        caller, watcher = first.peer(), second.peer()
        for _ in range(20):
            game, key = caller.ask("seek dora board=hex2").split()[1:]
            assert f"{game} open" in watcher.ask("games")
            assert caller.ask(f"withdraw {key}") == "= "
