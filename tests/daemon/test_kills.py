"""kill -9 under load: nothing that was acknowledged is missing, nothing is there twice.

``YODDD_KILLS`` says how often the daemon is killed, 3 times by default:
``YODDD_KILLS=200 pytest -o watchdog=0 tests/daemon/test_kills.py`` takes ten minutes.
"""

from __future__ import annotations

import json
import os
import random
import re
import threading
import time
from contextlib import suppress
from pathlib import Path

import attrs
import pytest

from tests.daemon.conftest import PATIENCE, YODDD, Peer, until
from tests.daemon.stores import make_store
from tests.support.programs import Program
from yoddd.notation import format_turn, parse_position, parse_turn
from yoddd.notation.records import load_record, replay
from yoddd.rules import Position, PositionLike, TurnKind, make_rules
from yoddd.store import games
from yoddd.store.database import read_url
from yoddd.store.store import Store
from yoddd.store.values import State

pytestmark = [pytest.mark.process, pytest.mark.whole, pytest.mark.invariant]

KILLS = int(os.environ.get("YODDD_KILLS", "3"))
LONG = 8  # turns, after which players pass where they can
LOST = (OSError, EOFError)

if KILLS > 50:
    pytestmark.append(pytest.mark.timeout(3600))


@attrs.define
class Server:
    """A daemon that is killed and started again on the same port and store.

    Attributes:
        game: what is played, on hex3.
    """

    store: str
    game: str = "yodd"
    port: int = 0
    process: Program | None = None
    players: list[Player] = attrs.Factory(list)

    def start(self) -> None:
        endpoint = f"tcp:{self.port}:interface=127.0.0.1"
        command = [*YODDD, "serve", "--listen", endpoint, "--no-http", "--store", self.store]
        self.process = Program(command)
        match = re.fullmatch(r"listening on tcp:(\d+):.*\n", self.process.stdout.readline())
        assert match is not None, self.process.rest()
        self.port = int(match[1])

    def kill(self) -> None:
        assert self.process is not None
        with self.process:
            pass  # its end kills it


@attrs.define
class Player:
    """Plays game after game against the partner, and notes every turn that was acknowledged.

    Attributes:
        acknowledged: the tokens by game and number of the turn.
        begun: the games whose begin was acknowledged.
    """

    server: Server
    name: str
    partner: str
    is_host: bool
    stop: threading.Event
    rng: random.Random
    acknowledged: dict[tuple[str, int], str] = attrs.Factory(dict)
    begun: set[str] = attrs.Factory(set)
    problem: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                with suppress(*LOST):
                    self._connected(Peer(self.server.port))
                time.sleep(0.02)
        except BaseException as error:
            self.problem = error
            raise

    def _connected(self, peer: Peer) -> None:
        peer.socket.settimeout(5)
        try:
            assert peer.ask(f"login {self.name} token-of-{self.name}") == "= "
            while not self.stop.is_set():
                mine = peer.ask("resume").removeprefix("= ").split()
                if mine:
                    self._play(peer, mine[0])
                elif self.is_host:
                    self._host(peer)
                else:
                    self._take(peer)
        finally:
            peer.close()

    def _host(self, peer: Peer) -> None:
        terms = f"rated=yes game={self.server.game} board=hex3 seat=b"
        reply = peer.ask(f"seek {self.name} against={self.partner} {terms}")
        if not reply.startswith("= "):
            return
        game, key = reply.split()[1:]
        deadline = time.monotonic() + 3
        while game not in (begun := peer.ask("resume").split()[1:]):
            # An offer from before a lost connection may be accepted instead of this one.
            if begun or self.stop.is_set() or time.monotonic() > deadline:
                peer.ask(f"withdraw {key}")
                return
        self.begun.add(game)

    def _take(self, peer: Peer) -> None:
        for line in peer.ask("games").removeprefix("= ").splitlines():
            game, state, *_ = line.split()
            if state == "open" and self.partner in line.split():
                reply = peer.ask(f"accept {game} {self.name}")
                if reply.startswith("= "):
                    self.begun.add(game)
                return

    def _play(self, peer: Peer, game: str) -> None:
        """Follow the game from its start and put a turn whenever it is ours."""
        reply = peer.ask(f"resume {game}")
        if not reply.startswith("= "):
            return
        key = reply.removeprefix("= ")
        lines = [line.split() for line in peer.ask("games").removeprefix("= ").splitlines()]
        past = next(int(words[6]) for words in lines if words[0] == game)
        watcher = Peer(self.server.port)
        watcher.socket.settimeout(5)
        try:
            watcher.send(f"observe {game}\n")
            assert watcher.line() == "= "
            position = parse_position(watcher.line().removeprefix("position "))
            assert watcher.line().startswith(f"game {game} ")
            # A turn may be put only once the past is known: it could be legal there as well.
            if all(self._heard(watcher, position) for _ in range(past)):
                self._follow(peer, watcher, key, game, position)
        finally:
            watcher.close()

    def _follow(
        self, peer: Peer, watcher: Peer, key: str, game: str, position: PositionLike
    ) -> None:
        mine = "b" if self.is_host else "w"
        while not self.stop.is_set():
            if position.player.letter == mine and not position.is_over:
                self._put(peer, key, game, position)
            if not self._heard(watcher, position):
                return

    def _heard(self, watcher: Peer, position: PositionLike) -> bool:
        """Play the next turn that the watcher is told of; False at the end of the game."""
        line = watcher.line()
        if not line.startswith("turn "):
            return False
        _, _, token, _ = line.split()
        position.play(parse_turn(token, position.rules, position.player))
        return True

    def _put(self, peer: Peer, key: str, game: str, position: PositionLike) -> None:
        number, turns = position.number, list(position.legal_turns())
        ends = [turn for turn in turns if turn.kind is TurnKind.PASS]
        chosen = ends[0] if ends and number > LONG else self.rng.choice(turns)
        token = format_turn(chosen, position.rules)
        if peer.ask(f"put {key} {token}") == "= ":
            assert (game, number) not in self.acknowledged
            self.acknowledged[game, number] = token


def test_kill_keeps_every_acknowledged_turn_once(tmp_path: Path) -> None:
    server = Server(str(tmp_path / "s"))
    play_and_kill(server, pairs=4, kills=KILLS)
    check(server.store, server.players)


def play_and_kill(server: Server, pairs: int, kills: int) -> None:
    """Let pairs of players play at a daemon that is killed again and again."""
    rng = random.Random(20261121)
    names = [f"p{number}" for number in range(2 * pairs)]
    make_store(server.store, tuple(names))
    stop = threading.Event()
    server.start()
    try:
        players = server.players = [
            Player(server, name, names[n ^ 1], n % 2 == 0, stop, random.Random(n))
            for n, name in enumerate(names)
        ]
        threads = [threading.Thread(target=player.run, daemon=True) for player in players]
        for thread in threads:
            thread.start()
        for _ in range(kills):
            before = sum(len(player.acknowledged) for player in players)
            until(lambda: sum(len(one.acknowledged) for one in players) >= before + 8)  # noqa: B023 — at once
            time.sleep(rng.random() * 0.2)
            server.kill()
            server.start()
        before = sum(len(player.acknowledged) for player in players)
        until(lambda: sum(len(one.acknowledged) for one in players) > before)
        stop.set()
        for thread in threads:
            thread.join(PATIENCE)
        assert [player.problem for player in players if player.problem] == []
    finally:
        stop.set()
        server.kill()


def check(where: str, players: list[Player]) -> None:
    store = Store(read_url(where))
    begun = {game for player in players for game in player.begun}
    assert begun
    for player in players:
        for (game, number), token in player.acknowledged.items():
            row = store.read(lambda c: games.find_game(c, int(game[1:])))  # noqa: B023 — at once
            assert row is not None
            assert row.turns[number - 1].token == token, (game, number)
    for game in begun:
        row = store.read(lambda c: games.find_game(c, int(game[1:])))  # noqa: B023 — at once
        assert row is not None
        assert row.state is not State.OPEN
        assert [turn.number for turn in row.turns] == list(range(1, len(row.turns) + 1))
        position = Position(make_rules(players[0].server.game, "hex3"))
        for turn in row.turns:
            position.play(parse_turn(turn.token, position.rules, position.player))
        if row.record is not None:
            record = load_record(row.record)
            assert record.turns == tuple(turn.token for turn in row.turns)
            replay(record)
            assert json.loads(row.record)["winner"] == row.winner
    store.close()
