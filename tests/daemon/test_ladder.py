"""A ladder of attached engines over real sockets and processes."""

from __future__ import annotations

import re
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.daemon.conftest import YODDD, engine, serving, until
from tests.daemon.stores import make_store
from tests.support.programs import Program
from yoddd.store import games
from yoddd.store.database import read_url
from yoddd.store.store import Store

pytestmark = [pytest.mark.process, pytest.mark.whole]

LADDER = ("ladder.concurrency=1", "ladder.board=hex2", "ladder.clock=60", "ladder.pace=0.5")


def test_ladder_pairs_and_rates_engines_with_accounts_again_and_again(
    tmp_path: Path, marker: str
) -> None:
    path = make_store(tmp_path / "s")
    options = [word for key in LADDER for word in ("--set", key)]
    with serving("--store", str(path), *options) as daemon, ExitStack() as stack:
        connected = []
        for name in ("bot", "box"):
            words = ["connect", daemon.address, "--as", name, "--", *engine(marker).split()]
            env = {"YODDD_TOKEN": f"token-of-{name}", "PATH": "/usr/bin"}
            program = Program([*YODDD, *words], stdout=subprocess.DEVNULL, env=env)
            connected.append(stack.enter_context(program))
        peer = daemon.peer()

        def leaders() -> list[str]:
            return peer.ask("leaderboard yodd hex2").removeprefix("= ").splitlines()

        until(lambda: bool(lines := leaders()) and int(lines[0].split()[4]) >= 4)
        lines = leaders()
        shown = next(line for line in daemon.process.stdout if line.startswith("game "))
        assert re.fullmatch(
            r"game r\d+: (bot|box) \(black\) against (bot|box) \(white\): (bot|box) wins.*\n",
            shown,
        )
        for program in connected:
            program.terminate()
            program.rest()
        daemon.hang_up()
    assert {line.split()[1] for line in lines} == {"bot", "box"}
    store = Store(read_url(str(path)))
    played = store.read(lambda c: games.finished_games(c))  # noqa: PLW0108 — it has defaults
    store.close()
    colours = [row.settled.black for row in played if row.winner]
    assert abs(colours.count("bot") - colours.count("box")) <= 1
