"""A cut of the power: every turn that was acknowledged is in what the disk has.

A library below the daemon logs what it writes to its store, and when it syncs. Of each moment the
test makes the files that a cut would leave: what was synced, and any part of what was not.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
import struct
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import attrs
import pytest

from tests.daemon.conftest import YODDD, Peer
from tests.daemon.stores import make_store
from tests.support.programs import Program
from yoddd.notation import format_turn
from yoddd.rules import Position, make_rules

GCC: Final = shutil.which("gcc")

pytestmark = [
    pytest.mark.process,
    pytest.mark.whole,
    pytest.mark.invariant,
    pytest.mark.skipif(GCC is None, reason="no gcc on the PATH"),
]

SOURCE: Final = Path(__file__).parent / "powercut.c"
HEAD: Final = struct.Struct("=cHqI")

TURNS: Final = 700
"""So many that the pages of the log of SQLite are written back to its file."""

CUTS: Final = 250
"""Cuts at any moment; as many more at most while pages are written back."""

RULES: Final = make_rules("odd", "hex4")


@attrs.frozen
class Entry:
    """An operation on a file: ``w`` a write, ``t`` a truncation, ``s`` a sync.

    Attributes:
        end: bytes of the log up to its end.
    """

    kind: str
    name: str
    at: int
    data: bytes
    end: int


@attrs.frozen
class Turn:
    """A turn that was acknowledged when the log had so many bytes at most."""

    game: int
    number: int
    token: str
    told: int


@attrs.frozen
class Recording:
    """A store as it was at first, all operations on its files, and the acknowledged turns."""

    first: dict[str, bytes]
    entries: list[Entry]
    turns: list[Turn]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    folder = tmp_path_factory.mktemp("powercut")
    library, log, path = folder / "powercut.so", folder / "log", make_store(folder / "store")
    assert GCC is not None
    subprocess.run([GCC, "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    first = {str(one): one.read_bytes() for one in files(path)}
    environment = {"LD_PRELOAD": str(library), "POWERCUT": str(path), "POWERCUT_LOG": str(log)}
    endpoint = "tcp:0:interface=127.0.0.1"
    command = ["env", *(f"{name}={value}" for name, value in environment.items())]
    command += [*YODDD, "serve", "--listen", endpoint, "--no-http", "--store", str(path)]
    with Program(command) as process:
        port = int(process.stdout.readline().split(":")[1])
        with closing(Peer(port)) as peer:
            turns = list(play(peer, log))
    return Recording(first, list(read(log.read_bytes())), turns)


def files(store: Path) -> list[Path]:
    """The files of a store that a cut leaves; the third one is in memory."""
    return [one for one in store.parent.glob(f"{store.name}*") if not one.name.endswith("-shm")]


def play(peer: Peer, log: Path) -> Iterator[Turn]:
    """Play games, and yield the turns that are acknowledged."""
    count = 0
    while count < TURNS:
        words = f"game={RULES.game.name} board={RULES.geometry.name} seat=b"
        game, *keys = peer.ask(f"seek ada {words}").split()[1:]
        keys += peer.ask(f"accept {game} bea").split()[1:]
        position = Position(RULES)
        while not position.is_over and count < TURNS:
            turn, number = next(position.legal_turns()), position.number
            token = format_turn(turn, RULES)
            assert peer.ask(f"put {keys[(number - 1) % 2]} {token}") == "= "
            yield Turn(int(game[1:]), number, token, log.stat().st_size)
            position.play(turn)
            count += 1


def read(log: bytes) -> Iterator[Entry]:
    at = 0
    while at < len(log):
        kind, length, offset, size = HEAD.unpack_from(log, at)
        at += HEAD.size
        name, data = log[at : at + length], log[at + length : at + length + size]
        at += length + size
        if not name.endswith(b"-shm"):
            yield Entry(kind.decode(), name.decode(), offset, data, at)


def lost(recording: Recording, where: Path, *, without: str | None = None) -> dict[int, list[Turn]]:
    """The acknowledged turns that cuts lose, by the number of the entry before.

    Args:
        recording: of a daemon.
        where: a folder for the files.
        without: the end of the names of files that are not synced.
    """
    chance = random.Random(20261129)
    synced = {name: bytearray(data) for name, data in recording.first.items()}
    pending: dict[str, list[Entry]] = {}
    found: dict[int, list[Turn]] = {}
    entries = recording.entries
    back = [n for n, one in enumerate(entries) if not one.name.endswith("-wal")]
    cuts = {*chance.sample(range(len(entries)), min(CUTS, len(entries))), *back[:CUTS]}
    for number, entry in enumerate(entries):
        pending.setdefault(entry.name, [])
        if entry.kind != "s":
            pending[entry.name].append(entry)
        elif without is None or not entry.name.endswith(without):
            for one in pending.pop(entry.name):
                apply(synced.setdefault(entry.name, bytearray()), one)
        if number not in cuts:
            continue
        share = chance.choice((0.0, 0.5, 1.0))
        for name in {*synced, *pending}:
            content = bytearray(synced.get(name, b""))
            for one in pending.get(name, ()):
                if chance.random() < share:
                    apply(content, one)
            (where / Path(name).name).write_bytes(content)
        due = [turn for turn in recording.turns if turn.told <= entry.end]
        if missing := missing_turns(where / Path(next(iter(recording.first))).name, due):
            found[number] = missing
    return found


def apply(content: bytearray, entry: Entry) -> None:
    if entry.kind == "t":
        del content[entry.at :]
        content.extend(bytes(entry.at - len(content)))
    else:
        content.extend(bytes(max(0, entry.at - len(content))))
        content[entry.at : entry.at + len(entry.data)] = entry.data


def missing_turns(store: Path, due: list[Turn]) -> list[Turn]:
    Path(f"{store}-shm").unlink(missing_ok=True)
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        stored = set(connection.execute("SELECT game, number, token FROM turns"))
    return [one for one in due if (one.game, one.number, one.token) not in stored]


def test_power_cut_keeps_every_acknowledged_turn(recording: Recording, tmp_path: Path) -> None:
    assert len(recording.turns) == TURNS
    assert len(recording.entries) >= CUTS
    assert any(entry.kind == "w" and not entry.name.endswith("-wal") for entry in recording.entries)
    assert lost(recording, tmp_path) == {}


def test_power_cut_without_the_syncs_of_the_log_is_noticed(
    recording: Recording, tmp_path: Path
) -> None:
    few = attrs.evolve(recording, entries=recording.entries[:100])
    assert lost(few, tmp_path, without="-wal")
