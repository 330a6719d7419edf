"""The costliest requests of every kind, and how long each keeps another client waiting.

    python -m tests.bench.waits

A daemon with 200 long games in its store and as many in a run gets every path of the OpenAPI
document and every command of the protocol, from a client that no limit slows, while another client
asks for ``protocol_version`` again and again. The table has the longest of its waits beside each
request, in milliseconds, the longest first; the target is `TARGET`.
"""

from __future__ import annotations

import argparse
import base64
import http
import http.client
import json
import random
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import attrs
from sqlalchemy import Connection

from tests.daemon.conftest import ENGINE_COMMAND, PATIENCE, YODDD, Daemon, Peer, serving, until
from tests.daemon.stores import TOKENS, make_store
from tests.support.games import match_line, record_of
from tests.support.programs import Program
from yoddd.daemon.pages.openapi import load_document
from yoddd.kernel import best_position
from yoddd.notation import GameRecord, dump_record
from yoddd.protocol.command import OURS
from yoddd.rules import PASS, Turn, make_rules
from yoddd.store import games
from yoddd.store.database import read_url
from yoddd.store.store import Store
from yoddd.store.values import NewGame

TARGET: Final = 0.1
"""Seconds for which no request keeps another client waiting."""

GAMES: Final = 200
_WALL: Final = "2030-01-31T12:00:00Z"
_LONGEST: Final = 3.0
"""Seconds after which a request that goes on is broken off."""

_LINE: Final = 16_000
"""Bytes of a line that the daemon accepts."""

PATHS: Final = {
    "/api/ladder": "/api/ladder",
    "/api/games": f"/api/games?as=sgf&limit={GAMES}",
    "/api/game/{id}": "/api/game/r1?as=sgf",
    "/api/user/{name}": "/api/user/ann",
    "/api/runs/{name}": "/api/runs/cup",
    "/api/runs/{name}/games/{id}": "/api/runs/cup/games/g1",
    "/api/runs/{name}/playing": "/api/runs/live/playing",
}
"""The request for each path that has parameters; the others are their own."""


@attrs.frozen
class Wait:
    """A request, and the longest time that another client waited beside it, in seconds."""

    request: str
    seconds: float


def _game(seed: int) -> GameRecord:
    """A game of Yodd on hex13 by random turns of one stone or two, to its end."""
    rules, rng = make_rules("yodd", "hex13"), random.Random(seed)
    position = best_position()(rules)
    while not position.is_over:
        stones = position.legal_stones()
        first = rng.choice(stones) if stones else None
        turns = [PASS] if first is None else [Turn.drop(first)]
        if first is not None:
            turns += [Turn.drop(first, second) for second in position.legal_seconds(first)]
        position.play(rng.choice([turn for turn in turns if position.is_legal(turn)]))
    return record_of(position, id=f"r{seed}", black="ann", white="bob", clock="60")


def commands(record: GameRecord) -> dict[str, str]:
    """The costliest request of each command; those that are not here have no argument."""
    half = record.turns[: len(record.turns) // 2]
    turns = " ".join(f"{'bw'[number % 2]} {turn}" for number, turn in enumerate(half))
    many = ",".join(["1a1"] * (_LINE // 4))
    return {
        "known_command": "known_command genmove",
        "game": "game yodd hex13",
        "boardsize": "boardsize hex13",
        "komi": "komi 0",
        "position": "position yodd hex13 " + "1" * _LINE,
        "loadsgf": "loadsgf (;GM[0]" + ";B[a1]" * (_LINE // 8) + ")",
        "drop": f"drop {many}",
        "play": f"play b {many}",
        "gg-undo": "gg-undo 100",
        "legal": "legal turns from=400000 limit=10000",
        "try": f"try {many}",
        "perft": "perft 99",
        "genmove": f"genmove {'bw'[len(half) % 2]}",
        "info_lines": "info_lines on",
        "leaderboard": "leaderboard yodd hex13",
        "get_param": "get_param playouts",
        "kata-get-param": "kata-get-param playouts",
        "set_param": f"set_param playouts {'9' * _LINE}",
        "kata-set-param": f"kata-set-param playouts {'9' * _LINE}",
        "analyze": "analyze 1",
        "review": "review",
        "time_settings": "time_settings 0 1 1",
        "kata-time_settings": "kata-time_settings none",
        "time_left": "time_left b 1 0",
        "gogui-play_sequence": f"gogui-play_sequence {turns}"[:_LINE],
        "attach": "attach waits",
        "match": match_line("ann", "bob", opening=["1a1"] * (_LINE // 7 - 20)),
        "seek": "seek guest board=hex13",
        "login": f"login ann {TOKENS['ann']}",
        "games": "games",
    }


LOBBY: Final = {
    "accept": (["seek black board=hex13 seat=b"], "accept {id} white"),
    "withdraw": (["seek black board=hex13 seat=b"], "withdraw {key}"),
    "put": ([], "put {black} 1a1"),
    "takeback": (["put {black} 1a1"], "takeback {black}"),
    "rematch": (["put {black} resign"], "rematch {black}"),
    "claim": ([], "claim {black}"),
    "resume": ([], "resume {id} {black}"),
    "observe": ([], "observe {id}"),
}
"""By command, the requests before it and the request itself, with the keys of a real game.

A game is offered and accepted before, unless the first request offers one.
"""

REFUSED: Final = {
    "boardsize",
    "claim",
    "drop",
    "final_score",
    "gg-undo",
    "gogui-play_sequence",
    "komi",
    "loadsgf",
    "match",
    "perft",
    "play",
    "position",
    "probe",
    "set_param",
    "kata-set-param",
    "swap",
    "try",
}
"""The commands whose costliest request is one that is refused, or may be."""


def queries(record: GameRecord) -> dict[str, list[dict[str, object]]]:
    """The costliest queries of the analysis engine."""
    turns = list(record.turns)
    every: dict[str, object] = {"id": "a", "game": "yodd", "board": "hex13", "turns": turns}
    count = list(range(len(turns)))
    wait: dict[str, object] = {**every, "analyzeTurns": count, "maxVisits": 10_000_000}
    end: dict[str, object] = {"id": "b", "action": "terminate_all", "turnNumbers": [9] * 5_400}
    return {
        "analysis: every turn of a game": [wait, {"id": "c", "action": "terminate_all"}],
        "analysis: terminate_all with 5,400 numbers": [wait, wait, wait, wait, *[end] * 5],
        "analysis: turns that are none": [{**every, "turns": ["1a1"] * (_LINE // 8)}],
        "analysis: a deep line": [{"id": "d", "options": {"x" * _LINE: ""}}],
    }


def _fill(connection: Connection, record: GameRecord, count: int) -> None:
    """Put so many games into a store."""
    offer = NewGame("yodd", "hex13", "60", "ann", "bob", _WALL)
    for _ in range(count):
        number = games.add_game(connection, offer)
        games.begin_game(connection, number, "ann", "bob", _WALL)
        games.end_game(connection, number, attrs.evolve(record, id=f"r{number}"))


@contextmanager
def daemon_with_games(*options: str, count: int = GAMES) -> Iterator[tuple[Daemon, GameRecord]]:
    """A daemon with so many long games in its store and in a run, and a game of them."""
    record = _game(1)
    with tempfile.TemporaryDirectory() as folder:
        cup = Path(folder, "runs", "cup")
        cup.mkdir(parents=True)
        with (cup / "games.jsonl").open("w") as file:
            for number in range(1, count + 1):
                file.write(dump_record(attrs.evolve(record, id=f"g{number}")) + "\n")
        path = str(make_store(Path(folder, "store")))
        store = Store(read_url(path))
        store.transact(partial(_fill, record=record, count=count))
        store.close()
        ports = ["--http", "tcp:0:interface=127.0.0.1", "--analysis", "tcp:0:interface=127.0.0.1"]
        with (
            serving(*ports, "--store", path, "--runs", str(cup.parent), *options) as daemon,
            _playing(cup.parent / "live"),
        ):
            yield daemon, record


@contextmanager
def _playing(folder: Path) -> Iterator[None]:
    """A tournament that is being played, slowly."""
    slow = " ".join([*ENGINE_COMMAND, "--seed=5", "--fault", "slow", "--delay", "0.5"])
    words = ["match", slow, slow, "--board", "hex3", "--pairs", "50", "--out", str(folder)]
    with Program([*YODDD, *words], stdout=subprocess.DEVNULL) as run:
        until((folder / "plan.json").exists)
        yield
        run.terminate()
        run.rest()


def longest_wait(daemon: Daemon, request: Callable[[], object]) -> float:
    """The longest time that another client waits for an answer while ``request`` is served."""
    prober, found, over = Peer(daemon.port), [0.0], threading.Event()
    prober.ask("protocol_version")

    def probe() -> None:
        while not over.is_set():
            begun = time.monotonic()
            prober.ask("protocol_version")
            found[0] = max(found[0], time.monotonic() - begun)
            over.wait(0.002)

    thread = threading.Thread(target=probe)
    thread.start()
    try:
        time.sleep(0.01)
        with suppress(OSError, EOFError):  # it is broken off, or the daemon closes
            request()
        time.sleep(0.01)
    finally:
        over.set()
        thread.join(PATIENCE)
        prober.close()
    return found[0]


def _http(port: int, path: str, method: str = "GET", **headers: str) -> str:
    """The status of a reply, which must not be an error."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request(method, path, headers=headers)
    reply = connection.getresponse()
    reply.read()
    connection.close()
    if reply.status != http.HTTPStatus.OK:
        raise AssertionError(f"{method} {path}: {reply.status}")
    return reply.headers["Set-Cookie"] or ""


def _watch(port: int) -> None:
    """Read a game in play of the tournament; there is one but for a moment between two."""
    url = f"http://127.0.0.1:{port}/api/runs/live/playing"
    found: list[dict[str, str]] = []
    while not found:
        with urlopen(url, timeout=PATIENCE) as reply:
            found = json.load(reply)["games"]
    _http(port, f"/api/runs/live/playing/{found[0]['id']}")


def _log_in(port: int) -> str:
    """The cookie of a new session."""
    words = base64.b64encode(f"ann:{TOKENS['ann']}".encode()).decode()
    return _http(port, "/api/session", "POST", authorization=f"Basic {words}").partition(";")[0]


def _solve(port: int) -> None:
    _http(port, "/api/puzzles?rating=1000&first=yodd-hex3-0", "POST", cookie=_log_in(port))


def _log_out(port: int) -> None:
    _http(port, "/api/session", "DELETE", cookie=_log_in(port))


def _send(port: int, lines: list[str], *, is_refused: bool = True) -> None:
    """Send lines, the last of them the request, and read what comes for `_LONGEST` seconds.

    A reply, if it comes by then, must be none of a fault, and a refusal only of what is refused.
    """
    peer = Peer(port)
    peer.socket.settimeout(_LONGEST)
    data = b""
    try:
        for line in lines[:-1]:
            peer.ask(line)
        peer.send(f"{lines[-1]}\n")
        peer.socket.shutdown(socket.SHUT_WR)
        with suppress(TimeoutError, ConnectionError):
            while chunk := peer.socket.recv(1 << 16):
                data += chunk
    finally:
        peer.close()
    if b"internal error" in data or (data.startswith(b"?") and not is_refused):
        raise AssertionError(f"{lines[-1]:.60}: {data[:200]!r}")


def _meet(port: int, command: str) -> None:
    """Serve a command of the lobby, in a game of its own."""
    before, line = LOBBY[command]
    ann, bob = Peer(port), Peer(port)
    try:
        game, key = ann.ask("seek black board=hex13 seat=b").removeprefix("= ").split()
        keys = {"id": game, "key": key, "black": key}
        if not before or not before[0].startswith("seek"):
            keys["white"] = bob.ask(f"accept {game} white").removeprefix("= ")
            for one in before:
                ann.ask(one.format(**keys))
        _send(port, [line.format(**keys)], is_refused=command in REFUSED)
    finally:
        ann.close()
        bob.close()


def requests(daemon: Daemon, record: GameRecord) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every path, command and query by its name, with a function that has it served."""
    analysis, pages = daemon.ports
    for path in load_document()["paths"]:
        if path.endswith("/playing/{id}"):
            yield f"GET {path}", partial(_watch, pages)
        else:
            yield f"GET {path}", partial(_http, pages, PATHS.get(path, path))
    yield "POST /api/session", partial(_log_in, pages)
    yield "DELETE /api/session", partial(_log_out, pages)
    yield "POST /api/puzzles", partial(_solve, pages)
    turns = record.turns[: len(record.turns) // 2]
    pairs = " ".join(f"{'bw'[number % 2]} {turn}" for number, turn in enumerate(turns))
    start = ["game yodd hex13", f"gogui-play_sequence {pairs}"]
    known = commands(record)
    peer = Peer(daemon.port)
    # Our own commands have a second name with a prefix.
    names = peer.ask("list_commands").removeprefix("= ").split()
    listed = [name for name in names if not name.startswith(OURS)]
    peer.close()
    for command in listed:
        if command in LOBBY:
            yield command, partial(_meet, daemon.port, command)
            continue
        line = known.get(command, command)
        lines = [line] if command == "attach" else [*start, line]  # that is a first request
        yield command, partial(_send, daemon.port, lines, is_refused=command in REFUSED)
    for name, found in queries(record).items():
        text = "\n".join(json.dumps(query) for query in found)
        yield name, partial(_send, analysis, [text])


def measure(daemon: Daemon, record: GameRecord, bound: float, tries: int = 3) -> list[Wait]:
    """The wait beside each request, the least of some tries while it is above ``bound``.

    What the machine does meanwhile only adds to a wait.
    """
    found = []
    for name, request in requests(daemon, record):
        least = longest_wait(daemon, request)
        for _ in range(tries - 1):
            if least > bound:
                least = min(least, longest_wait(daemon, request))
        found.append(Wait(name, least))
    return sorted(found, key=lambda wait: -wait.seconds)


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with daemon_with_games() as (daemon, record):
        for wait in measure(daemon, record, TARGET):
            print(f"{wait.seconds * 1000:7.1f}  {wait.request}")


if __name__ == "__main__":
    main()
