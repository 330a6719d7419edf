#!/usr/bin/env python3
"""Engines that break one rule each, as authors of first engines do: ``broken.py FAULT``.

FAULT is one of `REPLIES` behind which ``@COMMAND`` names the request that is answered so, or one of
`INPUT`, `TURNS`, `TIMES` and `COMMANDS`. It is the engine of ``engine.py`` otherwise.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Callable
from typing import Final

if __name__ == "__main__":
    from engine import Engine, write_stdout  # type: ignore[import-not-found]
else:
    from tests.programs.engine import Engine, write_stdout

Reply = Callable[[str, str, str], str]

REPLIES: Final[dict[str, Reply]] = {
    "no-empty-line": lambda sign, number, text: f"{sign}{number} {text}\n",
    "no-line-end": lambda sign, number, text: f"{sign}{number} {text}",
    "cr-only": lambda sign, number, text: f"{sign}{number} {text}\r\r",
    "backslash-n": lambda sign, number, text: f"{sign}{number} {text}\\n\\n",
    "no-id": lambda sign, _number, text: f"{sign} {text}\n\n",
    "id-apart": lambda sign, number, text: f"{sign} {number} {text}\n\n",
    "next-id": lambda sign, number, text: f"{sign}{int(number or 0) + 1} {text}\n\n",
    "no-sign": lambda _sign, number, text: f"{number} {text}\n\n",
    "colon": lambda sign, number, text: f"{sign}{number}: {text}\n\n",
    "prompt": lambda sign, number, text: f"> {sign}{number} {text}\n\n",
    "debug-before": lambda sign, number, text: f"thinking\n{sign}{number} {text}\n\n",
    "debug-behind": lambda sign, number, text: f"{sign}{number} {text}\n\nbest {text}\n",
    "twice": lambda sign, number, text: f"{sign}{number} {text}\n\n" * 2,
    "nul": lambda sign, number, text: f"{sign}{number} {text}\0\n\n",
    "latin-1": lambda sign, number, text: f"{sign}{number} {text} \xe9\n\n",
    "huge": lambda sign, number, text: f"{sign}{number} {text}\n{'debug output ' * 20000}\n\n",
    "bare": lambda _sign, _number, text: f"{text}\n",
}


class Broken(Engine):  # type: ignore[misc]
    """The engine with one fault."""

    def __init__(self, fault: str, *, slow: float) -> None:
        """Serve on standard input and output."""
        options = argparse.Namespace(
            delay=slow,
            name="Broken",
            plain=fault not in TIMES,
            fault="lacks-genmove" if fault == "lacks-genmove" else None,
            turn=1,
            seed=2,
            won=None,
            until=None,
        )
        super().__init__(options, sys.stdin.buffer, write_stdout)
        self.broken, _, self.where = fault.partition("@")
        self.command = ""
        self.seconds: float | None = None

    def run(self) -> None:
        """Serve, unless the fault is in how the input is read."""
        INPUT.get(self.broken, Engine.run)(self)

    def serve(self, number: str, command: str, args: list[str]) -> None:
        """Answer one request, or show the fault."""
        self.command = command
        if command == self.where and self.broken in DEEDS:
            DEEDS[self.broken](self, number)
        else:
            super().serve(number, command, args)

    def reply(self, number: str, text: str = "", sign: str = "=") -> None:
        """Send one whole reply, or one that breaks a rule of framing."""
        if self.broken == "int-id" and number:
            number = str(int(number))
        if self.broken in REPLIES and self.command == self.where:
            self.write(REPLIES[self.broken](sign, number, text).encode("latin-1"))
        elif self.broken == "all-unknown" and sign == "?":
            super().reply(number, "")
        elif self.broken == "other-error" and sign == "?":
            super().reply(number, "error 17", sign)
        else:
            super().reply(number, text, sign)

    def listed(self) -> list[str]:
        """The commands that it lists."""
        lacks = self.broken.removeprefix("lacks-")
        return [name for name in super().listed() if name != lacks]

    def do_protocol_version(self) -> str:
        return "1" if self.broken == "version-1" else "2"

    def do_list_commands(self) -> str:
        separator = "\n\n" if self.broken == "empty-lines-between" else "\n"
        return separator.join(self.listed())

    def do_name(self) -> str:
        return "" if self.broken == "nameless" else "Broken"

    def do_boardsize(self, size: str) -> str:
        if self.broken == "ignores-boardsize":
            return ""
        return str(super().do_boardsize(size))

    def do_clear_board(self) -> str:
        if self.broken == "ignores-clear" and self.board.turns:
            return ""
        return str(super().do_clear_board())

    def do_time_settings(self, *times: str) -> str:
        main, period, stones = (float(one) for one in times)
        self.seconds = period if stones else (main or None)
        return ""

    def do_time_left(self, *times: str) -> str:
        self.seconds = float(times[1])
        return ""

    def do_play(self, player: str, turn: str) -> str:
        if self.broken == "ignores-play":
            return ""
        if self.broken == "refuses-pairs" and "," in turn:
            raise ValueError(turn)
        if self.broken == "refuses-pass" and turn == "pass":
            raise ValueError(turn)
        return str(super().do_play(player, turn))

    def do_genmove(self, player: str) -> str:
        if self.broken in TIMES and self.seconds is not None:
            time.sleep(TIMES[self.broken])
        token = str(super().do_genmove(player))
        return TURNS[self.broken](self, token) if self.broken in TURNS else token


# -- turns ----------------------------------------------------------------------------------


def first_cells(engine: Broken, colour: str, count: int) -> str:
    """So many cells from the first one on, each with a stone of one colour."""
    return ",".join(colour + cell for cell in list(engine.board.cells)[:count])


def even(engine: Broken, token: str) -> str:
    """A turn that makes the number of groups even, where there is one."""
    board = engine.board
    board.turns -= 1
    for stone in token.split(","):
        board.cells[stone[1:]] = None
    for cell, content in board.cells.items():
        if content is None and board.groups((f"1{cell}",)) % 2 == 0:
            return f"1{cell}"
    return "1a1"


def words(stone: str) -> str:
    """A stone with the name of its colour."""
    return ("black " if stone[0] == "1" else "white ") + stone[1:]


TURNS: Final[dict[str, Callable[[Broken, str], str]]] = {
    "no-comma": lambda _, token: f"{token.split(',')[0]} 2b2",
    "semicolon": lambda _, token: f"{token.split(',')[0]};2b2",
    "plus": lambda _, token: f"{token.split(',')[0]}+2b2",
    "spelled-colour": lambda _, token: words(token),
    "letter-colour": lambda _, token: "b" + token[1:].upper(),
    "colour-behind": lambda _, token: token[1:3] + "1",
    "colour-3": lambda _, token: "3" + token[1:],
    "off-board": lambda _, _token: "1z9",
    "cell-0": lambda _, _token: "1a0",
    "number-only": lambda _, _token: "12",
    "point": lambda _, _token: "(0,0)",
    "first-pair": lambda _, _token: "1a1,2c3",
    "same-cell": lambda _, _token: "1a1,1a1",
    "three-stones": lambda engine, _token: first_cells(engine, "1", 3),
    "always-a1": lambda _, _token: "1a1",
    "even": even,
    "pass-first": lambda _, _token: "pass",
    "swap": lambda _, _token: "swap",
    "resign": lambda _, _token: "resign",
    "null": lambda _, _token: "None",
    "empty": lambda _, _token: "",
    "trailing-comma": lambda _, token: token + ",",
    "sentence": lambda _, token: f"I play {token}",
    "quoted": lambda _, token: f'"{token}"',
}

TIMES: Final = {"late-1.3": 1.3, "late-2.6": 2.6}
"""Seconds of each turn under a clock, of which it has one."""


# -- what it does instead of an answer --------------------------------------------------------


def hang(_engine: Broken, _number: str) -> None:
    """Fall silent."""
    sys.stdin.buffer.read()


def close_output(engine: Broken, _number: str) -> None:
    """Close standard output and go on reading."""
    os.close(1)
    sys.stdin.buffer.read()
    engine.seconds = None


def crash(_engine: Broken, _number: str) -> None:
    """Raise an exception."""
    raise RuntimeError("broken on cue")


def leave(engine: Broken, number: str) -> None:
    """Answer and end."""
    engine.reply(number, "2")
    os._exit(0)


DEEDS: Final[dict[str, Callable[[Broken, str], None]]] = {
    "hang": hang,
    "close-output": close_output,
    "crash": crash,
    "exit": lambda _, _number: os._exit(0),
    "exit-1": lambda _, _number: os._exit(1),
    "leave": leave,
    "refuse": lambda engine, number: Engine.reply(engine, number, "cannot", "?"),
    "silent": lambda _, _number: None,
}


# -- input ------------------------------------------------------------------------------------


def buffered(engine: Broken) -> None:
    """Write to a buffer that is flushed at the end, as one that is never flushed."""
    engine.write = sys.stdout.buffer.write
    Engine.run(engine)


def reads_all(engine: Broken) -> None:
    """Read the whole input before the first answer."""
    engine.requests = iter(sys.stdin.buffer.readlines())
    Engine.run(engine)


def banner(engine: Broken) -> None:
    """Greet first."""
    engine.write(b"Broken 1.0 ready\n")
    Engine.run(engine)


def sleeps(_engine: Broken) -> None:
    """Never read."""
    time.sleep(60)


def at_once(_engine: Broken) -> None:
    """End at once."""
    os._exit(2)


def no_main(_engine: Broken) -> None:
    """End at once with status 0."""


def asks_back(engine: Broken) -> None:
    """Echo each request."""
    for line in engine.requests:
        engine.write(line)


def serve_line(engine: Broken, line: bytes, errors: str = "replace") -> bool:
    """Serve the request of a line; whether it was `quit`."""
    words = line.decode("utf-8", errors).partition("#")[0].split()
    number = words.pop(0) if words and words[0].isdigit() else ""
    if words:
        engine.serve(number, words[0].lower(), words[1:])
    return words[:1] != [] and words[0].lower() == "quit"


def one_a_read(engine: Broken) -> None:
    """Take each read for one request."""
    while data := os.read(0, 65536):
        if serve_line(engine, data.partition(b"\n")[0]):
            return


def _lines(engine: Broken, clean: Callable[[str], str]) -> None:
    """Serve the lines as ``clean`` leaves them, split at single spaces."""
    for line in engine.requests:
        text = clean(line.decode("utf-8", "replace").removesuffix("\n"))
        words = text.split(" ")
        if not text.strip():
            continue
        number = words.pop(0) if words and words[0].isdigit() else ""
        engine.serve(number, words[0] if words else "", words[1:])
        if words and words[0] == "quit":
            break


def strict_utf8(engine: Broken) -> None:
    """Decode without a care for bytes that are not UTF-8."""
    any(serve_line(engine, line, "strict") for line in engine.requests)


def short_lines(engine: Broken) -> None:
    """Take lines of 1024 bytes at most, as a buffer of C does."""
    any(serve_line(engine, line) for line in iter(lambda: sys.stdin.buffer.readline(1024), b""))


def deaf_to_quit(engine: Broken) -> None:
    """Answer `quit` and stay."""
    Engine.run(engine)
    time.sleep(60)


def loops_at_end(engine: Broken) -> None:
    """Answer everything, and wait at the end of the input for more."""
    if not any(serve_line(engine, line) for line in engine.requests if line.endswith(b"\n")):
        time.sleep(60)


def answers_behind_quit(engine: Broken) -> None:
    """Answer what follows `quit`."""
    for line in engine.requests:
        if line.endswith(b"\n"):
            serve_line(engine, line)


def status_1(engine: Broken) -> None:
    """End with status 1."""
    Engine.run(engine)
    os._exit(1)


INPUT: Final[dict[str, Callable[[Broken], None]]] = {
    "buffered": buffered,
    "reads-all": reads_all,
    "banner": banner,
    "sleeps": sleeps,
    "at-once": at_once,
    "no-main": no_main,
    "echo": asks_back,
    "one-a-read": one_a_read,
    "keeps-cr": lambda engine: _lines(
        engine,
        lambda line: " ".join(line.partition("#")[0].replace("\t", " ").split(" ")).strip(" "),
    ),
    "keeps-tabs": lambda engine: _lines(engine, lambda line: line.partition("#")[0].strip()),
    "keeps-comments": lambda engine: _lines(engine, lambda line: " ".join(line.split())),
    "keeps-spaces": lambda engine: _lines(
        engine, lambda line: line.partition("#")[0].replace("\t", " ").replace("\r", "")
    ),
    "strict-utf8": strict_utf8,
    "short-lines": short_lines,
    "deaf-to-quit": deaf_to_quit,
    "loops-at-end": loops_at_end,
    "answers-behind-quit": answers_behind_quit,
    "status-1": status_1,
}

COMMANDS: Final = (
    "all-unknown",
    "empty-lines-between",
    "ignores-boardsize",
    "ignores-clear",
    "ignores-play",
    "int-id",
    "lacks-clear_board",
    "lacks-genmove",
    "lacks-play",
    "lacks-quit",
    "lacks-version",
    "nameless",
    "refuses-pairs",
    "refuses-pass",
    "version-1",
)
"""Faults in what it lists, keeps and refuses."""

if __name__ == "__main__":
    random.seed(1)
    Broken(sys.argv[1], slow=0.0).run()
