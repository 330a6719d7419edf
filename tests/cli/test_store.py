"""``yoddd user`` and ``yoddd store`` as commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import insert

from yoddd.cli import main
from yoddd.cli.store import DAYS, MOST
from yoddd.daemon.base.settings import Limits
from yoddd.store import accounts
from yoddd.store.database import read_url
from yoddd.store.schema import GAMES
from yoddd.store.store import Store


class Shell:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, *words: str) -> Result:
        return CliRunner().invoke(main, words, env={"YODDD_STORE": str(self.path)})

    def logs_in(self, name: str, token: str) -> bool:
        store = Store(read_url(str(self.path)))
        account = store.read(lambda c: accounts.log_in(c, name, token))
        store.close()
        return account is not None


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "folder" / "s")


def test_user_token_is_valid_until_it_is_revoked(shell: Shell) -> None:
    first = shell("user", "add", "ann").output.strip()
    second = shell("user", "token", "ann").output.strip()
    assert len(first) == len(second) == 43
    assert shell.logs_in("ann", first)
    assert shell.logs_in("ann", second)
    third = shell("user", "token", "ann", "--revoke").output.strip()
    assert [shell.logs_in("ann", token) for token in (first, second, third)] == [False, False, True]


def test_user_list_prints_text_or_json(shell: Shell) -> None:
    shell("user", "add", "bob")
    shell("user", "add", "Ann", "--anchor", "0")
    shell("user", "token", "ann")
    shell("user", "disable", "bob")
    ann, bob = shell("user", "list").output.splitlines()
    assert ann.split()[:3] == ["Ann", "2", "tokens"]
    assert ann.endswith("anchor=0")
    assert bob.endswith("disabled")
    shell("user", "enable", "bob")
    shell("user", "anchor", "bob", "100")
    shell("user", "anchor", "ann")
    rows = [json.loads(line) for line in shell("user", "list", "--json").output.splitlines()]
    seen = [(row["name"], row["disabled"], row["anchor"], row["tokens"]) for row in rows]
    assert seen == [("Ann", False, None, 2), ("bob", False, 100.0, 1)]


@pytest.mark.parametrize("name", ["Ann_", "a.nn", "ANN", "ann"])
def test_user_add_of_a_name_like_anothers_is_refused(shell: Shell, name: str) -> None:
    assert shell("user", "add", "ann").exit_code == 0
    result = shell("user", "add", name)
    is_same = name.lower() == "ann"
    reason = f"there is an account '{name}' already" if is_same else "looks like the account ann"
    assert result.exit_code == 1
    assert reason in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("user", "add", "a b"), "expected up to 32 ASCII letters"),
        (("user", "token", "unknown"), "no account 'unknown'"),
        (("user", "disable", "unknown"), "no account 'unknown'"),
        (("user", "list", "--store", "mysql://db/x"), "expected a sqlite or postgresql URL"),
        (("store", "backup", "/nowhere/file"), "does not exist"),
    ],
)
def test_command_that_fails_prints_one_line(
    shell: Shell, words: tuple[str, ...], message: str
) -> None:
    result = shell(*words)
    assert result.exit_code != 0
    assert message in result.output
    assert "Traceback" not in result.output


def test_store_is_migrated_backed_up_and_restored(shell: Shell, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy")
    assert shell("store", "migrate").output == f"{shell.path}\n"
    token = shell("user", "add", "ann").output.strip()
    assert shell("store", "backup", copy).exit_code == 0
    shell("user", "disable", "ann")
    assert not shell.logs_in("ann", token)
    assert "add --force" in shell("store", "restore", copy).output
    assert shell("store", "restore", copy, "--force").exit_code == 0
    assert shell.logs_in("ann", token)


def test_store_shows_what_it_holds_and_prunes(shell: Shell) -> None:
    shell("user", "add", "ann")
    row = {"game": "yodd", "board": "hex8", "clock": "60", "engines": "", "offered": "2020"}
    row |= {"state": "over", "ended": "2020-01-31T12:00:00.000Z"}
    store = Store(read_url(str(shell.path)))
    store.transact(lambda c: c.execute(insert(GAMES), [row] * 1001))
    store.close()
    assert "1001  games without an account" in shell("store", "show").output
    assert shell("store", "prune").output == "deleted: 1001 games, 0 sessions\n"
    assert shell("store", "prune").output == "deleted: 0 games, 0 sessions\n"
    shown = shell("store", "show").output.splitlines()
    assert "         1  accounts" in shown
    assert "         0  games without an account" in shown
    defaults = Limits()
    assert (defaults.old_games, defaults.most_games) == (DAYS, MOST)
