"""Log-ins, names and engines of accounts, by what clients are told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.daemon.memory import MemoryDaemon, Talk
from yoddd.daemon.lobby.users import describe
from yoddd.store.values import AccountRating

FAILED = "? not permitted: wrong name or token*"


@pytest.fixture
def talk(daemons: Callable[..., MemoryDaemon]) -> Talk:
    limits = {"limits.failed_logins": 2, "limits.error_delay": 0}
    return Talk(daemons({"store": "games.db", **limits}))


def test_login_attempts_at_once_count_before_they_are_looked_up(talk: Talk) -> None:
    journal, peers = talk.daemon.journal, [talk.daemon.peer() for _ in range(5)]
    journal.held = True
    replies = [peer.ask("login ann guess") for peer in peers]
    journal.held = False
    journal.release()
    talk.daemon.clock.advance(1)
    replies += [peer.ask() for peer in peers]
    assert sum("too many failed" in reply for reply in replies) == 3


def test_name_of_an_account_is_for_its_user(talk: Talk) -> None:
    talk(
        "eve: seek stranger",
        "= *",
        "eve: seek Ann",
        "? not permitted: Ann is an account: log in",
        "eve: seek _A.nn-",
        "? syntax error: *",
        "eve: seek A.nn-",
        "? not permitted: A.nn- looks like the account ann: log in",
        "eve: seek B0b",
        "? not permitted: B0b looks like the account bob: log in",
        "eve: seek c1d",
        "? not permitted: c1d looks like the account cid: log in",
        "eve: seek ann2",
        "= *",
        "ann: login ann token-of-ann",
        "=",
        "ann: seek ANN",
        "= *",
        "ann: seek bob",
        "? not permitted: you are logged in as ann",
    )


def test_engine_attaches_by_a_free_name_or_the_token_of_its_account(talk: Talk) -> None:
    talk(
        "1: attach stranger",
        "",
        "2: attach bot",
        "? not permitted: bot is an account: log in",
        "3: attach bot token=guess",
        FAILED,
        "4: attach BOT token=token-of-bot",
        "",
        "eve: who",
        "= bot engine\nstranger engine",
    )
    talk.daemon.journal.is_away = True
    talk("5: attach another", "? busy: the store is not available")


def test_standing_of_an_anchor_is_marked() -> None:
    assert (
        describe(1, AccountRating("ann", 1000.4, 0.0, 3, 2, anchor=True))
        == "1 ann 1000 0 3 2 anchor"
    )
    assert describe(2, AccountRating("bob", 900.0, 120.5, 3, 1)) == "2 bob 900 120 3 1"
    cid = AccountRating("cid", 900.0, 151.0, 3, 1, provisional=True)
    assert describe(3, cid) == "3 cid 900 151 3 1 provisional"
