#!/usr/bin/env python3
"""A small engine for the tests: it plays random legal turns and misbehaves on cue.

It needs nothing but the standard library and imports nothing of yoddd: its rules are its own, so
it is a second opinion on every turn. See the README beside it.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import random
import signal
import socket
import string
import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import BinaryIO, Final

LINGER: Final = 60
"""Seconds after which every process of this file has ended by itself."""

BOMB: Final = 400
"""Children that a fork bomb has at most."""

Cells = dict[str, str | None]
Turn = tuple[str, ...]


# -- rules ----------------------------------------------------------------------------------


def hex_neighbours(size: int) -> dict[str, list[str]]:
    """The cells of a hexhex board and what they touch."""
    reach = range(1 - size, size)
    points = {
        (q, r): string.ascii_lowercase[size - 1 - r] + str(q + size - max(0, -r))
        for q, r in product(reach, reach)
        if abs(q + r) < size
    }
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
    return _adjacent(points, steps)


def square_neighbours(size: int) -> dict[str, list[str]]:
    """The cells of a square board and what they touch."""
    points = {
        (x, y): string.ascii_lowercase[x] + str(y + 1) for x, y in product(range(size), repeat=2)
    }
    return _adjacent(points, ((1, 0), (-1, 0), (0, 1), (0, -1)))


def _adjacent(
    points: dict[tuple[int, int], str], steps: tuple[tuple[int, int], ...]
) -> dict[str, list[str]]:
    return {
        label: [points[x + dx, y + dy] for dx, dy in steps if (x + dx, y + dy) in points]
        for (x, y), label in points.items()
    }


class Board:
    """The state of one game."""

    def __init__(self, game: str = "yodd", board: str = "hex5", options: str = "") -> None:
        """An empty board."""
        size = int(board.lstrip("hexsquar-"))
        self.game = game
        self.name = board
        self.shape = board[:3]
        self.own_colour = "own_colour=on" in options or game == "yoin"
        self.can_swap = game == "yoin" and "pie=off" not in options
        self.odd = game in ("yodd", "xodd")
        self.fewest = 2 if game == "product" else 1
        neighbours = hex_neighbours if self.shape == "hex" else square_neighbours
        self.neighbours = neighbours(size)
        self.clear()

    def clear(self) -> None:
        """Begin again."""
        self.cells: Cells = dict.fromkeys(self.neighbours)
        self.turns = 0
        self.tokens: list[str] = []

    def groups(self, stones: Turn = ()) -> int:
        """The number of groups with ``stones`` added."""
        cells = self.cells | {stone[1:]: stone[0] for stone in stones}
        left = {label for label, colour in cells.items() if colour}
        count = 0
        while left:
            count += 1
            frontier = [left.pop()]
            while frontier:
                here = frontier.pop()
                same = [n for n in self.neighbours[here] if n in left and cells[n] == cells[here]]
                left.difference_update(same)
                frontier += same
        return count

    def choose(self, colour: str, rng: random.Random) -> str:
        """A legal turn of ``colour`` (``1`` or ``2``), not quite uniformly at random."""
        if self.can_swap and self.turns == 1 and colour == "2" and rng.random() < 0.5:
            return "swap"
        may_pass = self.odd and self.groups() % 2 == 1
        if may_pass and not self.own_colour and rng.random() < 0.2:
            return "pass"
        for turn in self._candidates(colour, rng):
            if not self.odd or self.groups(turn) % 2 == 1:
                return ",".join(stone[1:] if self.game == "yoin" else stone for stone in turn)
        return "pass" if may_pass else "resign"

    def _candidates(self, colour: str, rng: random.Random) -> Iterator[Turn]:
        empty = [label for label, content in self.cells.items() if content is None]
        stones = [c + label for c in (colour if self.own_colour else "12") for label in empty]
        rng.shuffle(stones)
        pairs = self.turns > 0 and (self.odd or self.fewest > 1)
        for first in stones:
            if self.fewest == 1 or not pairs:
                yield (first,)
            for second in stones if pairs else ():
                if first[1:] != second[1:]:
                    yield (first, second)

    def play(self, colour: str, token: str) -> None:
        """Apply a turn without checking its legality."""
        if token not in ("pass", "swap", "resign"):
            for stone in token.split(","):
                coloured = stone if stone[0] in "12" else colour + stone
                if coloured[1:] not in self.cells:
                    raise ValueError(stone)
                self.cells[coloured[1:]] = coloured[0]
        self.turns += 1
        self.tokens.append(token)


# -- GTP ------------------------------------------------------------------------------------


LARGEST: Final = 25
"""Cells a side of the largest board."""


class BadSize(ValueError):
    """There is no such board."""


def colour_of(player: str) -> str:
    """The digit of a player's colour."""
    return {"b": "1", "black": "1", "w": "2", "white": "2"}[player.lower()]


class Engine:
    """Reads requests, sends replies, and shows its fault in its turn."""

    COMMANDS: tuple[str, ...] = (
        "boardsize",
        "clear_board",
        "game",
        "genmove",
        "list_commands",
        "name",
        "play",
        "protocol_version",
        "quit",
        "set_param",
        "time_left",
        "time_settings",
        "version",
    )

    def __init__(
        self, options: argparse.Namespace, requests: BinaryIO, write: Callable[[bytes], None]
    ) -> None:
        """``requests`` yields lines; ``write`` sends all of its bytes at once."""
        self.requests = requests
        self.write = write
        self.delay: float = options.delay
        self.name: str = options.name
        self.plain: bool = options.plain
        self.fault: str | None = options.fault
        self.turn: int = options.turn
        self.rng = random.Random(options.seed)
        self.board = Board()
        self.until: Path | None = options.until
        self.calls = 0

    def run(self) -> None:
        """Serve until ``quit`` or the end of input."""
        if self.fault in AT_START:
            AT_START[self.fault](self)
        for line in self.requests:
            if not line.endswith(b"\n"):
                break
            words = line.decode("utf-8", "replace").partition("#")[0].split()
            number = words.pop(0) if words and words[0].isdigit() else ""
            if words:
                self.serve(number, words[0].lower(), words[1:])
                if words[0].lower() == "quit":
                    break
        if self.fault in AT_END:
            AT_END[self.fault](self)

    def serve(self, number: str, command: str, args: list[str]) -> None:
        """Answer one request, or show the fault instead."""
        fault = None
        if command == "genmove":
            self.calls += 1
            if self.calls == self.turn:
                fault = IN_GENMOVE.get(self.fault or "")
        handler = getattr(self, f"do_{command}", None)
        if fault is not None:
            fault(self, number)
        elif handler is None or command not in self.listed():
            self.reply(number, "unknown command", sign="?")
        else:
            try:
                text = handler(*args)
            except BadSize:
                self.reply(number, "unacceptable size", sign="?")
            except (TypeError, ValueError, KeyError, IndexError):
                self.reply(number, "syntax error", sign="?")
            else:
                self.reply(number, text)

    def reply(self, number: str, text: str = "", sign: str = "=") -> None:
        """Send one whole reply."""
        self.write(f"{sign}{number} {text}\n\n".encode())

    def listed(self) -> list[str]:
        """The commands that `list_commands` names."""
        hidden = {"game", "set_param", "time_left", "time_settings"} if self.plain else set()
        hidden |= {"genmove"} if self.fault == "lacks-genmove" else set()
        return [name for name in self.COMMANDS if name not in hidden]

    def do_protocol_version(self) -> str:
        return "2"

    def do_name(self) -> str:
        return self.name

    def do_version(self) -> str:
        return "1"

    def do_list_commands(self) -> str:
        return "\n".join(self.listed())

    def do_quit(self) -> str:
        return ""

    def do_game(self, game: str, board: str, *options: str) -> str:
        self.board = Board(game, board, " ".join(options))
        return ""

    def do_boardsize(self, size: str) -> str:
        if not 2 <= int(size) <= LARGEST:
            raise BadSize(size)
        self.board = Board(self.board.game, self.board.shape + size)
        return ""

    def do_clear_board(self) -> str:
        self.board.clear()
        self.calls = 0
        return ""

    def do_set_param(self, name: str, value: str) -> str:
        if name != "seed":
            raise ValueError(name)
        self.rng.seed(int(value))
        return ""

    def do_time_settings(self, *_times: str) -> str:
        return ""

    def do_time_left(self, *_times: str) -> str:
        return ""

    def do_play(self, player: str, token: str) -> str:
        self.board.play(colour_of(player), token)
        return ""

    def do_genmove(self, player: str) -> str:
        if self.fault == "slow":
            time.sleep(self.delay)
        while self.until is not None and not self.until.exists():
            time.sleep(0.01)
        colour = colour_of(player)
        token = self.board.choose(colour, self.rng)
        self.board.play(colour, token)
        return token


# -- faults ---------------------------------------------------------------------------------


def crash(_engine: Engine, _number: str) -> None:
    """Write to stderr and exit with status 3."""
    sys.stderr.write("Traceback: the test engine crashes on cue\n")
    sys.stderr.flush()
    os._exit(3)


def die(_engine: Engine, _number: str) -> None:
    """Die by SIGKILL."""
    os.kill(os.getpid(), signal.SIGKILL)


def stall(engine: Engine, _number: str) -> None:
    """Answer no more; the end of input ends the process."""
    for _line in engine.requests:
        pass


def answering(text: str, sign: str = "=") -> Callable[[Engine, str], None]:
    """Answer so, whatever the game."""
    return lambda engine, number: engine.reply(number, text, sign)


def malformed(engine: Engine, _number: str) -> None:
    """Answer without a sign."""
    engine.write(b"1a1\n\n")


def wrong_id(engine: Engine, number: str) -> None:
    """Answer with the next request's id."""
    engine.reply(str(int(number or "0") + 1), "1a1")


def late(engine: Engine, number: str) -> None:
    """Answer after the delay, this once."""
    time.sleep(engine.delay)
    engine.reply(number, "resign")


def grandchild(_engine: Engine, _number: str) -> None:
    """Leave a child process behind that holds the pipes, and exit with status 0."""
    pid = os.fork()
    if pid == 0:
        time.sleep(LINGER)
    else:
        sys.stderr.write(f"grandchild {pid}\n")
        sys.stderr.flush()
    os._exit(0)


def freeze(engine: Engine, number: str) -> None:
    """Stop like a suspended job, so that SIGTERM has no effect."""
    os.kill(os.getpid(), signal.SIGSTOP)
    stall(engine, number)


def fork_bomb(engine: Engine, number: str) -> None:
    """Start ``BOMB`` children as fast as possible."""
    for _ in range(BOMB):
        if os.fork() == 0:
            time.sleep(LINGER)
            os._exit(0)
    stall(engine, number)


def memory(engine: Engine, number: str) -> None:
    """Take half a GiB of memory."""
    hoard = bytearray(b"x") * (512 * 1024 * 1024)  # written, so that it is resident
    stall(engine, number + str(len(hoard)))


def dial(engine: Engine, number: str) -> None:
    """Resign if it cannot reach the loopback interface, crash if it can."""
    with socket.socket() as listener, socket.socket() as peer:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        try:
            peer.connect(listener.getsockname())
        except OSError:
            engine.reply(number, "resign")
            return
    crash(engine, number)


def banner(engine: Engine) -> None:
    """Write a greeting before the first request."""
    engine.write(b"Welcome to the test engine!\n")


def ignore_sigterm(_engine: Engine) -> None:
    """Ignore SIGTERM, and `linger` at the end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def linger(_engine: Engine) -> None:
    """Stay for a minute after ``quit`` or the end of input."""
    time.sleep(LINGER)


IN_GENMOVE: Final[dict[str, Callable[[Engine, str], None]]] = {
    "crash": crash,
    "signal": die,
    "stall": stall,
    "illegal": answering("a1,a1"),
    "nonsense": answering("zz99"),
    "malformed": malformed,
    "wrong-id": wrong_id,
    "refuse-genmove": answering("illegal move", sign="?"),
    "resign": answering("resign"),
    "late": late,
    "grandchild": grandchild,
    "freeze": freeze,
    "fork-bomb": fork_bomb,
    "memory": memory,
    "dial": dial,
}
AT_START: Final[dict[str, Callable[[Engine], None]]] = {
    "banner": banner,
    "ignore-sigterm": ignore_sigterm,
}
AT_END: Final[dict[str, Callable[[Engine], None]]] = {"ignore-sigterm": linger}
ALWAYS: Final = ("lacks-genmove", "slow")
FAULTS: Final[list[str]] = sorted({*IN_GENMOVE, *AT_START, *AT_END, *ALWAYS})


# -- start ----------------------------------------------------------------------------------


def parse_options(argv: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="A small engine that misbehaves on cue.")
    parser.add_argument("--fault", choices=FAULTS, help="how it misbehaves; not at all if absent")
    parser.add_argument("--turn", type=int, default=1, help="in which genmove of a game")
    parser.add_argument("--seed", type=int, default=1, help="of its random turns")
    parser.add_argument("--delay", type=float, default=0.2, help="seconds, of slow and late")
    parser.add_argument("--name", default="Test engine", help="what it answers to name")
    parser.add_argument("--until", type=Path, help="choose no turn before this file exists")
    parser.add_argument("--lock", type=Path, help="folder where it locks a file, as a JVM does")
    parser.add_argument("--plain", action="store_true", help="list the mandatory commands only")
    parser.add_argument("--connect", metavar="HOST:PORT", help="dial a daemon")
    parser.add_argument("--as", dest="attach", default="tester", help="the name to attach with")
    return parser.parse_args(argv)


def write_stdout(data: bytes) -> None:
    """Send to the controller that started this process."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def lock(path: Path) -> None:
    """Lock a file as long as this process lives; greet as the JVM does where another has it."""
    try:
        fcntl.flock(os.open(path, os.O_CREAT | os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        write_stdout(f"[warning] Cannot use file {path}: it is locked\n".encode())


def main() -> None:
    """Serve on stdin and stdout, or over TCP."""
    options = parse_options()
    if options.lock is not None:
        lock(options.lock / str(os.getpid()))
    if options.connect is None:
        Engine(options, sys.stdin.buffer, write_stdout).run()
        return
    host, _, port = options.connect.rpartition(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(f"attach {options.attach}\n".encode())
        Engine(options, connection.makefile("rb"), connection.sendall).run()


if __name__ == "__main__":
    main()
