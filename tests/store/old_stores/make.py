"""Makes a store with an older version of the program, for the tests of upgrades.

The files beside this one are such stores: ``a002-bfe9e3b.sqlite3.gz`` has only rated games and the
columns of a fleet, ``a005-da5c58f.sqlite3.gz`` has all games of the lobby. To make one again, check
the commit out and run, in an environment with the libraries of that commit::

    git worktree add /tmp/old COMMIT
    PYTHONPATH=/tmp/old python tests/store/old_stores/make.py OUT.sqlite3.gz

``python -S`` with the environment's site-packages at the end of PYTHONPATH keeps an editable
installation of the current sources out of the way.

The old program makes accounts by ``yoddd user add`` and serves the store. Over its socket ann and
bob play a rated game to its end, resign another one, begin a third one, and ann is offered a fourth
one; where the version keeps them, gil and hal, who have no accounts, begin a game that is not rated
and gil makes an invite. The daemon is then killed.
"""

from __future__ import annotations

import gzip
import os
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

YODDD = [sys.executable, *(["-S"] if sys.flags.no_site else []), "-m", "yoddd"]
TURNS = ("1d4", "1e2,2a2", "2d1,2d3", "1b2,2c5", "1c4,2c2", "2a1,2e3", "pass", "pass")
TOKENS = """
import sys
from yoddd.store import accounts
from yoddd.store.database import read_url
from yoddd.store.store import Store
store, now = Store(read_url(sys.argv[1])), "2026-11-21T12:00:00.000Z"
for name in ("ann", "bob"):
    store.transact(lambda c: accounts.add_token(c, name, f"token-of-{name}", now))
store.close()
"""


class Peer:
    """A client of the daemon."""

    def __init__(self, port: int, name: str = "") -> None:
        self._file = socket.create_connection(("127.0.0.1", port), 20).makefile("rw", newline="\n")
        if name:
            self.ask(f"login {name} token-of-{name}")

    def ask(self, request: str) -> list[str]:
        """The words of a successful reply."""
        self._file.write(f"{request}\n")
        self._file.flush()
        lines = list(iter(self._file.readline, "\n"))
        if not lines or not lines[0].startswith("= "):
            raise SystemExit(f"{request}: {lines}")
        return "".join(lines).removeprefix("= ").split()


def begin(first: Peer, second: Peer, names: tuple[str, str], terms: str) -> tuple[str, str]:
    """The keys of a game on hex3."""
    game, black = first.ask(f"seek {names[0]} board=hex3 seat=b {terms}")
    (white,) = second.ask(f"accept {game} {names[1]}")
    return black, white


def play(peers: tuple[Peer, Peer], keys: tuple[str, str], count: int) -> None:
    for number, turn in enumerate(TURNS[:count]):
        peers[number % 2].ask(f"put {keys[number % 2]} {turn}")


def fill(port: int, *, keeps_all: bool) -> None:
    users, names = (Peer(port, "ann"), Peer(port, "bob")), ("ann", "bob")
    play(users, begin(*users, names, "rated=yes clock=60+1"), len(TURNS))
    keys = begin(*users, names, "rated=yes clock=60+1")
    play(users, keys, 3)
    users[1].ask(f"put {keys[1]} resign")
    while "2" not in users[0].ask("leaderboard yodd hex3"):  # both results are rated
        time.sleep(0.1)
    play(users, begin(*users, names, "rated=yes clock=600+5"), 4)
    users[0].ask("seek ann board=hex4 rated=yes")
    if keeps_all:
        strangers = (Peer(port), Peer(port))
        play(strangers, begin(*strangers, ("gil", "hal"), "clock=none"), 2)
        strangers[0].ask("seek gil board=hex2 invite=2592000")


def main(out: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        store = Path(name) / "store.sqlite3"
        for user in ("ann", "bob"):
            subprocess.run([*YODDD, "user", "add", user, "--store", str(store)], check=True)
        subprocess.run([*YODDD[:-2], "-c", TOKENS, str(store)], check=True)
        serve = ["serve", "--listen", "tcp:0:interface=127.0.0.1", "--store", str(store)]
        daemon = subprocess.Popen([*YODDD, *serve, "--set", "http="], stdout=subprocess.PIPE)
        assert daemon.stdout is not None
        match = re.search(rb"tcp:(\d+)", daemon.stdout.readline())
        assert match is not None
        with sqlite3.connect(store) as connection:
            columns = [row[1] for row in connection.execute("PRAGMA table_info(games)")]
        connection.close()
        fill(int(match[1]), keeps_all="rated" in columns)
        daemon.kill()
        daemon.wait()
        with sqlite3.connect(store) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")  # one file, without a WAL beside it
        connection.close()
        out.write_bytes(gzip.compress(store.read_bytes(), mtime=0))


if __name__ == "__main__":
    os.chdir("/")  # the sources are those of PYTHONPATH
    main(Path(sys.argv[1]))
