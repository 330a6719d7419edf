"""Rights over real sockets: whose an engine is, and what one address or account may take.

The peers come from different addresses of the loopback network, none of which is exempt but
`OPERATOR`.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar

import pytest

from tests.daemon.conftest import PATIENCE, Daemon, Peer, serving, until

pytestmark = [pytest.mark.process, pytest.mark.whole]

OPERATOR, OWNER, STRANGER, OTHER = (f"127.0.0.{last}" for last in (1, 2, 3, 4))
SECRET = "secret-of-this-engine"  # noqa: S105 — of the tests
LIMITS = {
    "exempt": f"{OPERATOR}/32",
    "own_tables": 3,
    "challenges": 4,
    "challenge_idle": 1.0,
    "name_kept": 15.0,
    "new_per_address": 1000,
    "burst": 1000,
    "rate": 1000,
    "error_delay": 0,
    "errors": 1000,
}
OPTIONS = [word for key, value in LIMITS.items() for word in ("--set", f"limits.{key}={value}")]

Dial = Callable[..., Peer]


class FarPeer(Peer):
    """A client at an address of its own."""

    def __init__(self, port: int, address: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE, (address, 0))
        self._buffer = b""


class Bot:
    """An attached engine that passes; ``asked`` has the requests that it got."""

    answers: ClassVar = {
        "protocol_version": "2",
        "list_commands": "name\nversion\nprotocol_version\nlist_commands\nboardsize\nset_param\n"
        "clear_board\nplay\ngenmove\nquit",
        "genmove": "pass",
    }

    def __init__(self, peer: Peer, line: str) -> None:
        self.peer = peer
        self.asked: list[str] = []
        peer.send(f"{line}\n")

    def answer(self, last: str) -> None:
        """Answer requests up to the first that begins with ``last``, which stays unanswered."""
        while True:
            number, *words = self.peer.line().split()
            self.asked.append(" ".join(words))
            if words[0] == last:
                return
            self.peer.send(f"={number} {self.answers.get(words[0], '')}\n\n")


@contextmanager
def dialling(server: Daemon) -> Iterator[Dial]:
    made: list[Peer] = []

    def dial(address: str) -> Peer:
        made.append(FarPeer(server.port, address))
        return made[-1]

    yield dial
    for peer in made:
        peer.close()


@pytest.fixture
def dial() -> Iterator[Dial]:
    """Connects to a daemon of the test's own, for tests that use up shares or keep names."""
    with serving(*OPTIONS) as server, dialling(server) as dial:
        yield dial


@pytest.fixture(scope="module")
def shared_server() -> Iterator[Daemon]:
    with serving(*OPTIONS) as server:
        yield server


@pytest.fixture
def shared_dial(shared_server: Daemon) -> Iterator[Dial]:
    """Connects to the daemon of many tests, which leave no engine and no game in play there."""
    with dialling(shared_server) as dial:
        yield dial
    with dialling(shared_server) as dial:
        watcher = dial(OPERATOR)
        until(lambda: watcher.ask("attached") == "= ")
        until(lambda: " playing " not in watcher.ask("games"))


def attach(dial: Dial, address: str, line: str) -> Bot:
    bot = Bot(dial(address), f"attach {line}")
    name = line.split(maxsplit=1)[0]
    watcher = dial(OPERATOR)
    until(lambda: name in watcher.ask("attached").removeprefix("= ").split())
    watcher.close()
    return bot


# -- whose an engine is -------------------------------------------------------------------------


@pytest.mark.parametrize("address", [OWNER, OPERATOR])
def test_engine_plays_for_its_owner_and_the_operator_and_for_no_stranger(
    shared_dial: Dial, address: str
) -> None:
    for name in ("one", "two"):
        attach(shared_dial, OWNER, name)
    stranger = shared_dial(STRANGER)
    refusal = "? not permitted: one is another peer's and not open=yes"
    assert stranger.ask("match one two board=hex2") == refusal
    assert stranger.ask("seek eve against=one board=hex2") == refusal
    client = shared_dial(address)
    client.send("match one two board=hex2\n")
    assert client.line() == "= "
    assert client.line().startswith("game 1 ")


def test_parameters_of_an_engine_are_set_by_its_owner_alone(shared_dial: Dial) -> None:
    owned = attach(shared_dial, OWNER, "one open=yes")
    attach(shared_dial, OWNER, "two open=yes")
    stranger = shared_dial(STRANGER)
    refusal = "? not permitted: only its owner sets parameters of one"
    assert stranger.ask("match one two each.param.logfile=/tmp/x board=hex2") == refusal
    assert stranger.ask("match two one second.param.logfile=/tmp/x board=hex2") == refusal
    shared_dial(OWNER).send("match one two first.param.level=3 board=hex2\n")
    owned.answer("set_param")
    assert owned.asked[-1] == "set_param level 3"


def test_engine_that_is_awaited_has_to_be_the_clients_own(dial: Dial) -> None:
    attach(dial, STRANGER, "one")
    waiting = dial(STRANGER)
    waiting.send("match one two board=hex2 wait=5\n")
    assert waiting.line() == "= "
    attach(dial, OWNER, "two open=yes")
    assert waiting.line().startswith("error busy with another match: one or two")


# -- names --------------------------------------------------------------------------------------


def test_name_of_a_lost_engine_is_kept_for_its_secret(dial: Dial) -> None:
    first = attach(dial, OWNER, f"one secret={SECRET}")
    first.peer.close()
    watcher = dial(OPERATOR)
    until(lambda: watcher.ask("attached") == "= ")
    for address, words in (
        (STRANGER, ""),
        (OWNER, ""),
        (OWNER, " secret=another-secret-than-that"),
        (STRANGER, " open=yes"),
    ):
        squatter = dial(address)
        squatter.send(f"attach ONE{words}\n")
        assert squatter.rest().startswith(b"? busy: the name ONE is kept for its engine")
    back = attach(dial, OTHER, f"one secret={SECRET}")
    back.peer.close()
    until(lambda: watcher.ask("attached") == "= ")
    time.sleep(LIMITS["name_kept"])  # type: ignore[arg-type]
    attach(dial, STRANGER, "one")


def test_engine_with_the_secret_takes_the_place_of_its_lost_connection(dial: Dial) -> None:
    first = attach(dial, OWNER, f"one secret={SECRET}")
    attach(dial, OWNER, "two")
    owner = dial(OWNER)
    owner.send("match one two board=hex2 resume=10\n")
    first.answer("clear_board")  # and no more: as if its network were gone
    second = Bot(dial(OTHER), f"attach one secret={SECRET}")
    second.answer("clear_board")
    assert second.asked
    taken = dial(OTHER)
    taken.send("attach One\n")
    assert taken.rest() == b"? the name One is taken\n\n"


def test_look_alike_name_is_refused(shared_dial: Dial) -> None:
    client = shared_dial(OTHER)
    game, key = client.ask("seek eve board=hex2").removeprefix("= ").split()
    for name in ("\u0435ve", "\uff45ve", "ev\u00e9", "e\u200bve"):
        for request in (f"seek {name} board=hex2", f"accept {game} {name}"):
            assert client.ask(request).startswith("? syntax error: name"), request
        engine = shared_dial(OTHER)
        engine.send(f"attach {name}\n")
        assert engine.rest().startswith(b"? syntax error: name"), name
    assert client.ask(f"withdraw {key}") == "= "
