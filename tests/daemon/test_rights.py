"""Rights: whose an engine is, which names are kept, and the end of an account's connections."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.daemon.memory import MemoryDaemon, Peer
from tests.daemon.stores import TOKENS
from yoddd.store import accounts

pytestmark = pytest.mark.gate

OPERATOR, OWNER, STRANGER, OTHER = (f"198.51.100.{last}" for last in (1, 2, 3, 4))
SECRET = "secret=secret-of-this-engine"  # noqa: S105 — of the tests
ANSWERS = {
    "protocol_version": "2",
    "list_commands": "name\nversion\nprotocol_version\nlist_commands\nboardsize\nset_param\n"
    "clear_board\nplay\ngenmove\nquit",
}


@pytest.fixture
def server(daemons: Callable[..., MemoryDaemon]) -> MemoryDaemon:
    return daemons({"limits.exempt": [f"{OPERATOR}/32"], "limits.name_kept": 15})


def attach(server: MemoryDaemon, address: str, words: str) -> Peer:
    engine = server.peer(address)
    engine.protocol.dataReceived(f"attach {words}\n".encode())
    assert f"{words.split(maxsplit=1)[0]} engine" in server.peer(OPERATOR).ask("who")
    return engine


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


@pytest.mark.parametrize("address", [OWNER, OPERATOR])
def test_engine_plays_for_its_owner_and_the_operator_and_for_no_stranger(
    server: MemoryDaemon, address: str
) -> None:
    for name in ("one", "two"):
        attach(server, OWNER, name)
    refusal = "? not permitted: one is another peer's and not open=yes\n\n"
    for request in ("match one two board=hex2", "seek eve against=one board=hex2"):
        assert server.peer(STRANGER).ask(request) == refusal
    assert server.peer(address).ask("match one two board=hex2").startswith("= \ngame 1 ")


def test_parameters_of_an_engine_are_set_by_its_owner_alone(server: MemoryDaemon) -> None:
    owned = attach(server, OWNER, "one open=yes")
    attach(server, OWNER, "two open=yes")
    refusal = "? not permitted: only its owner sets parameters of one\n\n"
    for words in ("one two each.param.logfile=/tmp/x", "two one second.param.logfile=/tmp/x"):
        assert server.peer(STRANGER).ask(f"match {words} board=hex2") == refusal
    server.peer(OWNER).ask("match one two first.param.level=3 board=hex2")
    assert asked(owned, "set_param level 3")


def test_engine_that_is_awaited_has_to_be_the_clients_own(server: MemoryDaemon) -> None:
    attach(server, STRANGER, "one")
    waiting = server.peer(STRANGER)
    assert waiting.ask("match one two board=hex2 wait=5") == "= \n"
    attach(server, OWNER, "two open=yes")
    server.clock.advance(5)
    assert waiting.ask().startswith("error busy with another match: one or two")


def test_name_of_a_lost_engine_is_kept_for_its_secret(server: MemoryDaemon) -> None:
    attach(server, OWNER, f"one {SECRET}").protocol.connectionLost()
    kept = "? busy: the name ONE is kept for its engine"
    for address, words in (
        (STRANGER, ""),
        (OWNER, ""),
        (OWNER, " secret=another-secret-than-that"),
        (STRANGER, " open=yes"),
    ):
        assert server.peer(address).ask(f"attach ONE{words}").startswith(kept)
    attach(server, OTHER, f"one {SECRET}").protocol.connectionLost()
    server.clock.advance(15)
    attach(server, STRANGER, "one")


def test_engine_with_the_secret_takes_the_place_of_its_lost_connection(
    server: MemoryDaemon,
) -> None:
    first = attach(server, OWNER, f"one {SECRET}")
    attach(server, OWNER, "two")
    server.peer(OWNER).ask("match one two board=hex2 resume=10")
    assert asked(first, "clear_board")  # and no more: as if its network were gone
    second = attach(server, OTHER, f"one {SECRET}")
    assert asked(second, "clear_board")
    assert server.peer(OTHER).ask("attach One") == "? the name One is taken\n\n"


@pytest.mark.parametrize("is_disabled", [False, True], ids=["revoked", "disabled"])
def test_account_that_is_disabled_or_revoked_loses_its_sessions_offers_and_games(
    daemons: Callable[..., MemoryDaemon], *, is_disabled: bool
) -> None:
    server = daemons({"store": "games.db"})
    user, bob, engine = (server.peer(address) for address in (OWNER, OTHER, OWNER))
    engine.ask(f"attach Ann token={TOKENS['ann']}")
    for name, peer in (("ann", user), ("bob", bob)):
        assert peer.ask(f"login {name} {TOKENS[name]}") == "= \n\n"
    user.ask("seek ann board=hex3")
    game, key = user.ask("seek ann board=hex2 seat=b rated=yes").split()[1:3]
    bob.ask(f"accept {game} bob")
    assert user.ask(f"put {key} 1a1") == "= \n\n"
    transact = server.journal.store.transact
    if is_disabled:
        transact(lambda c: accounts.set_disabled(c, "ann", disabled=True))
    else:
        transact(lambda c: accounts.revoke_tokens(c, "ann", "2026-11-21"))
    server.clock.pump([1.0] * 10)
    assert user.is_closed()
    assert engine.is_closed()
    assert " open " not in bob.ask("games")
    record = json.loads(bob.ask(f"observe {game}").splitlines()[-2].removeprefix("record "))
    assert (record["winner"], record["reason"]) == (None, "void")
    assert "account ann" in record["detail"]
    assert server.peer().ask(f"login ann {TOKENS['ann']}").startswith("? not permitted: wrong ")
