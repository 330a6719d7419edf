"""Rights: whose an engine is, which names are kept, and the end of an account's connections."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.daemon.memory import MemoryDaemon, Peer, Talk
from yoddd.protocol.controller import MANDATORY
from yoddd.store import accounts

pytestmark = pytest.mark.gate

HOSTS = {
    name: f"198.51.100.{last}"
    for last, name in enumerate(("operator", "owner", "stranger", "other"), 1)
}
SECRET = "secret=secret-of-this-engine"  # noqa: S105 — of the tests
ANSWERS = {"protocol_version": "2", "list_commands": "\n".join((*MANDATORY, "set_param"))}


@pytest.fixture
def talk(daemons: Callable[..., MemoryDaemon]) -> Talk:
    limits = {"exempt": [f"{HOSTS['operator']}/32"], "name_kept": 15, "error_delay": 0}
    return Talk(daemons({f"limits.{name}": value for name, value in limits.items()}), HOSTS)


def asked(engine: Peer, last: str) -> bool:
    """Answer the requests of the daemon up to one; whether that comes."""
    while received := engine.ask():
        for line in received.splitlines():
            number, _, request = line.partition(" ")
            if request == last:
                return True
            answer = ANSWERS.get(request, "")
            engine.protocol.dataReceived(f"={number} {answer}\n\n".encode())
            engine.clock.advance(0)
    return False


@pytest.mark.parametrize("who", ["owner", "operator"])
def test_engine_plays_for_its_owner_and_the_operator_and_for_no_stranger(
    talk: Talk, who: str
) -> None:
    refusal = "? not permitted: one is another peer's and not open=yes"
    talk(
        "one@owner: attach one",
        "",
        "two@owner: attach two",
        "",
        "eve@stranger: match one two board=hex2",
        refusal,
        "eve@stranger: seek eve against=one board=hex2",
        refusal,
        f"ann@{who}: match one two board=hex2",
        "= \ngame 1 *",
    )


def test_parameters_of_an_engine_are_set_by_its_owner_alone(talk: Talk) -> None:
    refusal = "? not permitted: only its owner sets parameters of one, or awaits it"
    talk(
        "one@owner: attach one open=yes",
        "",
        "two@owner: attach two open=yes",
        "",
        "eve@stranger: match one two each.param.logfile=/tmp/x board=hex2",
        refusal,
        "eve@stranger: match two one second.param.logfile=/tmp/x board=hex2",
        refusal,
        "ann@owner: match one two first.param.level=3 board=hex2",
        "= *",
    )
    assert asked(talk.peers["one@owner"], "set_param level 3")


def test_engine_that_is_awaited_has_to_be_the_clients_own(talk: Talk) -> None:
    talk(
        "one@stranger: attach one",
        "",
        "eve@stranger: match one two board=hex2 wait=5",
        "=",
        "two@owner: attach two open=yes",
        "",
    )
    talk.daemon.clock.advance(5)
    talk(
        "eve@stranger:", "error not permitted: only its owner sets parameters of two, or awaits it"
    )


def test_engine_with_the_secret_takes_the_place_of_its_lost_connection(talk: Talk) -> None:
    talk(
        f"first@owner: attach one {SECRET}",
        "",
        "two@owner: attach two",
        "",
        "ann@owner: match one two board=hex2 resume=10",
        "= *",
    )
    assert asked(talk.peers["first@owner"], "clear_board")  # and no more: its network is gone
    talk(f"second@other: attach one {SECRET}", "1 protocol_version")
    talk.peers["second@other"].protocol.dataReceived(b"=1 2\n\n")
    assert asked(talk.peers["second@other"], "clear_board")
    talk("eve@other: attach One", "? the name One is taken")


@pytest.mark.parametrize("is_disabled", [False, True], ids=["revoked", "disabled"])
def test_account_that_is_disabled_or_revoked_loses_its_sessions_offers_and_games(
    daemons: Callable[..., MemoryDaemon], *, is_disabled: bool
) -> None:
    talk = Talk(daemons({"store": "games.db"}))
    talk(
        "engine: attach Ann token=token-of-ann",
        "",
        "ann: login ann token-of-ann",
        "=",
        "bob: login bob token-of-bob",
        "=",
        "ann: seek ann board=hex3",
        "= *",
        "ann: seek ann board=hex2 seat=b rated=yes",
        "= $game $black",
        "bob: accept $game bob",
        "= *",
        "ann: put $black 1a1",
        "=",
    )
    transact = talk.daemon.journal.store.transact
    if is_disabled:
        transact(lambda c: accounts.set_disabled(c, "ann", disabled=True))
    else:
        transact(lambda c: accounts.revoke_tokens(c, "ann", "2026-11-21"))
    talk.daemon.clock.pump([1.0] * 10)
    assert talk.peers["ann"].is_closed()
    assert talk.peers["engine"].is_closed()
    assert " open " not in talk.peers["bob"].ask("games")
    talk(
        "bob: observe $game",
        '*"winner":null,"reason":"void","detail":"*account ann*',
        "back: login ann token-of-ann",
        "? not permitted: wrong *",
    )
