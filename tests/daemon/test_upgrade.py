"""A store of an older version that the daemon serves; see `tests/store/old_stores/make.py`."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.daemon.conftest import serving

pytestmark = [pytest.mark.process, pytest.mark.whole]

OLD = sorted((Path(__file__).parents[1] / "store" / "old_stores").glob("*.gz"))


@pytest.mark.parametrize("old", OLD, ids=lambda path: path.name.removesuffix(".sqlite3.gz"))
def test_game_of_an_old_store_is_resumed_and_finished(old: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.write_bytes(gzip.decompress(old.read_bytes()))
    with serving("--store", str(store)) as daemon:
        users = {name: daemon.peer() for name in ("ann", "bob")}
        keys = {}
        for name, peer in users.items():
            assert peer.ask(f"login {name} token-of-{name}") == "= "
            assert "r3" in peer.ask("resume").split()
            keys[name] = peer.ask("resume r3").removeprefix("= ")
        assert users["ann"].ask(f"put {keys['ann']} 1c4,2c2") == "= "
        assert users["bob"].ask(f"put {keys['bob']} resign") == "= "
        watcher = daemon.peer()
        watcher.send("observe r3\n")
        record = watcher.reply().splitlines()[-1].replace(" ", "")
        assert '"winner":"b","reason":"resign"' in record
        assert watcher.ask("leaderboard yodd hex3").startswith("= 1 ann")
        daemon.hang_up()
