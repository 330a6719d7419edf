"""Seats that last: restarts, presence, claims and invites in fake time."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest
from twisted.internet.defer import Deferred, fail
from twisted.python.failure import Failure

from tests.daemon.fake_time import settle
from tests.daemon.leaks import LoggedErrors
from tests.daemon.lobby.journals import DirectJournal, FakeConnection
from tests.daemon.lobby.test_lobby import BOARD, Setup, playing, watching
from tests.support.descriptions import drawn_game
from yoddd.daemon.lobby.presence import GRACE
from yoddd.notation import format_turn
from yoddd.protocol.errors import PeerError
from yoddd.protocol.lobby import Put
from yoddd.protocol.origin import Origin
from yoddd.rules import GAMES, Position, add_game, make_rules


def restart(world: Setup) -> Setup:
    """The world after a restart of the daemon, with the same store."""
    assert world.journal is not None
    fresh = Setup(world.journal)
    assert fresh.ledger is not None
    rows = fresh.ask_ledger()
    fresh.lobby.restore(rows)
    settle(fresh.clock)
    return fresh


@pytest.fixture
def kept(journal: DirectJournal) -> Setup:
    return Setup(journal)


def test_restart_game_of_a_description_goes_on_where_it_is_offered_no_longer(
    kept: Setup,
) -> None:
    game, _ = drawn_game(5)
    settings = {"game": "drawn", "seat": "b"}
    assert "no game 'drawn'" in str(refusal(kept, settings))
    add_game(game)
    kept.ask_ledger()
    game_id, key = kept.seek(None, "gil", settings)
    kept.accept(None, game_id, "hal")
    turn = format_turn(next(iter(Position(make_rules("drawn")).legal_turns())), make_rules("drawn"))
    assert kept.put(key, turn) == ""
    del GAMES["drawn"]
    (line,) = restart(kept).lobby.games()
    assert line.startswith(f"{game_id} playing drawn {game.default_board} gil hal 1 ")
    other = next(one for seed in range(99) if (one := drawn_game(seed)[0]).facts != game.facts)
    add_game(other)
    after, failures = Setup(kept.journal), list[Failure]()
    assert after.ledger is not None
    Deferred.fromCoroutine(after.ledger.load()).addErrback(failures.append)
    settle(after.clock)
    assert "store has games of drawn by other rules" in failures[0].getErrorMessage()


def refusal(world: Setup, settings: dict[str, str]) -> PeerError:
    with pytest.raises(PeerError) as found:
        world.seek(None, "gil", settings)
    return found.value


def test_turn_that_cannot_be_kept_makes_the_game_void(
    kept: Setup, monkeypatch: pytest.MonkeyPatch, logged_errors: LoggedErrors
) -> None:
    game_id, black, _ = playing(kept)
    lines = watching(kept, game_id)
    monkeypatch.setattr(kept.journal, "commit", lambda _: fail(OSError("disk full")))
    kept.put(black, "1a1")
    assert not [line for line in lines if line.startswith("turn ")]
    assert '"reason":"void"' in lines[-1].replace(" ", "")
    assert "a turn could not be kept" in lines[-1]
    with pytest.raises(PeerError, match="no game has this key"):
        kept.lobby.play(black, Put("1a1"))
    assert [str(error) for error in logged_errors.flush(OSError)] == ["disk full"]


@pytest.mark.parametrize("is_kept", [False, True])
def test_invite_is_unlisted_and_accepted_with_its_secret(
    journal: DirectJournal, *, is_kept: bool
) -> None:
    world = Setup(journal if is_kept else None)
    game_id, black, secret = world.seek(None, "gil", {**BOARD, "invite": "600"})
    assert world.lobby.games() == []
    (line,) = world.lobby.games([game_id, "t99"])
    assert line.startswith(f"{game_id} open yodd hex2 gil - 0 clock=none expires=")
    assert abs(int(line.rpartition("=")[2]) - time.time() - 600) < 60
    connection = FakeConnection()
    world.lobby.hold(black, connection)
    connection.lose()
    world.clock.advance(GRACE)
    for wrong in (None, "guess"):
        with pytest.raises(PeerError, match="is for those who have its link"):
            world.lobby.accept(Origin(), game_id, "hal", wrong)
    if is_kept:
        world = restart(world)
    assert world.ask(world.lobby.accept(Origin(), game_id, "hal", secret))
    assert world.lobby.games()[0].startswith(f"{game_id} playing yodd hex2 gil hal")
    world.clock.advance(601)
    assert world.lobby.games()[0].startswith(f"{game_id} playing")


def test_invite_expires_also_while_the_name_of_a_rival_is_checked(kept: Setup) -> None:
    assert kept.journal is not None
    game_id, key, secret = kept.seek(None, "gil", {**BOARD, "invite": "600"})
    kept.journal.held = True
    answers: list[object] = []
    cast("Any", kept.lobby.accept(Origin(), game_id, "hal", secret)).start(None, answers.append)
    kept.clock.advance(600)
    kept.journal.held = False
    kept.journal.release()
    kept.clock.advance(0)
    assert "is not open" in str(answers[0])
    assert kept.lobby.games([game_id]) == []
    assert kept.clock.getDelayedCalls() == []
    with pytest.raises(PeerError, match="no game has this key"):
        kept.lobby.withdraw(key)
    assert restart(kept).lobby.games([game_id]) == []


@pytest.mark.parametrize("seconds", ["0", "x", "1e9", "99999999", "60"])
def test_invite_of_no_or_too_many_seconds_or_to_one_opponent_is_refused(
    kept: Setup, seconds: str
) -> None:
    kept.log_in("bob")
    more = {"against": "bob"} if seconds == "60" else {}
    with pytest.raises(PeerError, match="invite" if not more else "leave out against"):
        kept.lobby.seek(Origin(), "gil", {**BOARD, "invite": seconds, **more})
