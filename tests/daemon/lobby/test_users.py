"""Log-ins, names and engines of accounts, without sockets or threads."""

from __future__ import annotations

from typing import Any, cast

import attrs
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.daemon.fake_time import error_of, world_of
from tests.daemon.lobby.journals import DirectJournal, FakeConnection
from tests.daemon.stores import TOKENS
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.lobby.users import WINDOW, Users, describe
from yoddd.protocol.effects import Attach
from yoddd.protocol.errors import PeerError
from yoddd.protocol.origin import TRUSTED, Origin
from yoddd.store.values import AccountRating

FAILED = "not permitted: wrong name or token"


@attrs.define
class Setup:
    """The users of a daemon."""

    journal: DirectJournal
    login_required: bool = False
    clock: Clock = attrs.Factory(Clock)
    engines: EngineRegistry = attrs.Factory(lambda: EngineRegistry(Clock().seconds))

    def __attrs_post_init__(self) -> None:
        self.journal.world = world_of(self.clock)
        self.users = Users(
            cast("Any", self.journal),
            self.engines,
            CurrentSettings(Settings(limits=Limits(failed_logins=2))),
            login_required=self.login_required,
        )

    users: Users = attrs.field(init=False)

    def log_in(self, connection: FakeConnection, name: str, token: str | None = None) -> str:
        """The name of the account, or the text of the refusal."""
        answers: list[object] = []
        self.users.log_in(connection, name, token or TOKENS[name.lower()], answers.append)
        (answer,) = answers
        return answer.text if isinstance(answer, PeerError) else str(answer)

    def gate(self, name: str, token: str | None = None) -> str | None:
        """The refusal of an engine, or the account of its owner."""
        request = Attach(name, {} if token is None else {"token": token}, b"")
        found = Deferred.fromCoroutine(self.users.gate(FakeConnection(), request, TRUSTED)).result
        return found.user if isinstance(found, Origin) else cast("str", found)


@pytest.fixture
def world(journal: DirectJournal) -> Setup:
    return Setup(journal)


def test_login_to_an_account_disconnects_the_earlier_one(world: Setup) -> None:
    first, second = FakeConnection(), FakeConnection()
    assert world.log_in(first, "ANN") == world.log_in(second, "ann") == "ann"
    assert (first.reasons, second.reasons) == (["logged in elsewhere"], [])
    assert world.log_in(second, "bob") == "bob"
    world.engines.add(EngineLink("bot"))
    assert (world.users.names, second.reasons) == ({"bob"}, [])
    found = [world.users.is_here(name) for name in ("BOB", "ann", "bot")]
    assert found == [True, False, False]
    second.lose()
    assert world.users.names == set()


def test_login_attempts_at_once_count_before_they_are_looked_up(world: Setup) -> None:
    answers: list[object] = []
    world.journal.held = True
    for _ in range(5):
        world.users.log_in(FakeConnection(), "ann", "guess", answers.append)
    world.journal.held = False
    world.journal.release()
    assert sum("too many failed" in str(one) for one in answers) == 3


def test_login_with_too_many_failures_is_refused_and_a_valid_token_never(world: Setup) -> None:
    assert [world.log_in(FakeConnection(), "ann", "guess") for _ in range(2)] == [FAILED] * 2
    refusal = "not permitted: too many failed log-ins, wait 60 s"
    assert world.log_in(FakeConnection(), "ann", "guess") == refusal
    assert world.log_in(FakeConnection(), "ann") == "ann"
    assert world.log_in(FakeConnection(), "ann", "guess") == refusal
    assert world.log_in(FakeConnection("198.51.100.1"), "ann") == "ann"
    assert world.log_in(FakeConnection(None), "bob") == "bob"
    world.clock.advance(WINDOW)
    assert world.log_in(FakeConnection("198.51.100.1"), "ann", "guess") == FAILED
    assert world.log_in(FakeConnection(), "cid") == "cid"


@pytest.mark.parametrize(
    ("user", "name", "refusal"),
    [
        (None, "stranger", None),
        (None, "Ann", "Ann is an account: log in"),
        (None, "_A.nn-", "_A.nn- looks like the account ann: log in"),
        (None, "B0b", "B0b looks like the account bob: log in"),
        (None, "c1d", "c1d looks like the account cid: log in"),
        (None, "ann2", None),
        ("ann", "ANN", None),
        ("ann", "bob", "you are logged in as ann"),
    ],
)
def test_name_of_an_account_is_for_its_user(
    world: Setup, user: str | None, name: str, refusal: str | None
) -> None:
    done = Deferred.fromCoroutine(world.users.check_name(user, name))
    error = error_of(done)
    assert (error and error.text) == (refusal and f"not permitted: {refusal}")


def test_engine_attaches_by_a_free_name_or_the_token_of_its_account(world: Setup) -> None:
    assert world.gate("stranger") is None
    assert world.gate("bot") == "not permitted: bot is an account: log in"
    assert world.gate("BOT", TOKENS["bot"]) == "bot"
    assert world.gate("bot", "guess") == FAILED
    strict = Setup(world.journal, login_required=True)
    assert strict.gate("stranger") == "login required: attach needs a token"
    assert strict.gate("BOT", TOKENS["bot"]) == "bot"
    world.journal.is_away = True
    assert world.gate("stranger") == "busy: the store is not available"


def test_standing_of_an_anchor_is_marked() -> None:
    assert (
        describe(1, AccountRating("ann", 1000.4, 0.0, 3, 2, anchor=True))
        == "1 ann 1000 0 3 2 anchor"
    )
    assert describe(2, AccountRating("bob", 900.0, 120.5, 3, 1)) == "2 bob 900 120 3 1"
    cid = AccountRating("cid", 900.0, 151.0, 3, 1, provisional=True)
    assert describe(3, cid) == "3 cid 900 151 3 1 provisional"
