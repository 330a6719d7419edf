"""Games by the day in fake time: absence, restarts, engines, limits, and offers."""

from __future__ import annotations

from datetime import timedelta

import attrs
import pytest
from twisted.internet.defer import Deferred

from tests.daemon.fake_time import AnsweringEngine, settle
from tests.daemon.lobby.journals import DirectJournal, FakeConnection
from tests.daemon.lobby.test_lobby import BOARD, Setup, playing, watching
from tests.daemon.lobby.test_seats import restart
from tests.daemon.lobby.test_suspension import PLACES, crowd, few_places, listed, stranger
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.lobby.housekeeping import DayClocks
from yoddd.daemon.lobby.offers import BY_DAY
from yoddd.daemon.play.game_services import FINISHED_KEPT
from yoddd.protocol.errors import PeerError
from yoddd.protocol.lobby import Pause
from yoddd.protocol.origin import TRUSTED, Origin

DAY = 86400.0
BY_THE_DAY = {**BOARD, "clock": "days=1"}


@pytest.fixture
def kept(journal: DirectJournal) -> Setup:
    return Setup(journal)


def store_clocks(world: Setup) -> None:
    """Store the seconds, as the daemon does each minute."""
    assert world.ledger is not None
    clocks = DayClocks(world.games.reactor, world.ledger.journal, world.lobby)
    Deferred.fromCoroutine(clocks.look())
    settle(world.clock)


def ended(world: Setup, game_id: str) -> str:
    """Why a game is over; empty while it is not."""
    lines = watching(world, game_id)
    return lines[-1].partition('"reason":"')[2].partition('"')[0]


def pause(world: Setup, key: str, days: int | None) -> str:
    return world.ask(world.lobby.play(key, Pause(days)))


def agree_on_pause(world: Setup, *keys: str, days: int = 7) -> None:
    for key in keys:
        assert pause(world, key, days) == ""


def test_pause_charges_no_time_and_ends_by_itself(kept: Setup) -> None:
    game_id, black, white = playing(kept, clock="days=1")
    kept.clock.advance(DAY / 2)
    lines = watching(kept, game_id)
    agree_on_pause(kept, white, black)
    assert lines[-2:] == ["request w pause 7", "pause 604800.000"]
    kept.clock.advance(6 * DAY)
    assert kept.lobby.games()[0].endswith("turn=b left=43200 pause=86400")
    assert watching(kept, game_id)[-2:] == ["clock b 43200.000", "pause 86400.000"]
    kept.clock.advance(1.25 * DAY)
    assert kept.lobby.games()[0].endswith("turn=b left=21600")
    assert watching(kept, game_id)[-1] == "clock b 64800.000"
    kept.clock.advance(DAY / 4)
    assert ended(kept, game_id) == "time"


def test_rematch_by_the_day_stays_open_as_long_as_an_offer(kept: Setup) -> None:
    game_id, black, white = playing(kept, clock="days=1")
    kept.put(black, "resign")
    for _ in range(FINISHED_KEPT + 2):  # others that are over by then
        _, other, _ = playing(kept)
        kept.put(other, "resign")
    assert len(kept.lobby.games()) == FINISHED_KEPT
    kept.clock.advance(BY_DAY - 2)
    rematch, key = kept.ask(kept.lobby.rematch(Origin(), white, agrees=True)).split()
    kept.clock.advance(BY_DAY - 2)
    lines = watching(kept, game_id, black)
    assert lines[-1] == f"request w rematch {rematch}"
    assert game_id in kept.lobby.games([game_id])[0]
    kept.ask(kept.lobby.rematch(Origin(), black, agrees=True))
    assert kept.put(key, "1a1") == ""
    kept.clock.advance(2)
    with pytest.raises(PeerError, match="no game with this key is over"):
        kept.lobby.rematch(Origin(), black, agrees=True)


def test_jump_of_the_calendar_changes_nothing(kept: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    game_id, black, _ = playing(kept, clock="days=1")
    kept.clock.advance(10.0)
    store_clocks(kept)
    calendar = kept.games.world.calendar
    for jump in (timedelta(days=400), timedelta(days=-400)):
        monkeypatch.setattr(
            type(kept.games.world), "calendar", lambda _, jump=jump: calendar() + jump
        )
        kept = restart(kept)
        assert watching(kept, game_id)[-1] == "clock b 10.000"
    assert kept.put(black, "1a1") == ""


def test_engine_is_taken_for_its_turns_alone(kept: Setup) -> None:
    AnsweringEngine(kept.clock, kept.games.engines, "bot", ["pass"] * 3)
    settings = {**BY_THE_DAY, "against": "bot"}
    games = [kept.seek(None, "gil", settings) for _ in range(3)]
    assert kept.games.engines.is_free("bot")
    for _, key in games:
        assert kept.put(key, "1a1") == ""
    assert kept.games.engines.is_free("bot")
    for game_id, key in games:
        assert kept.put(key, "pass") == ""
        assert ended(kept, game_id) == "groups"


def test_engine_that_comes_back_plays_and_one_that_does_not_loses_by_time(kept: Setup) -> None:
    for returns in (True, False):
        world = Setup(kept.journal)
        bot = AnsweringEngine(world.clock, world.games.engines, "bot", ["pass"])
        game_id, key = world.seek(None, "gil", {**BY_THE_DAY, "against": "bot"})
        bot.disconnect()
        world.clock.advance(DAY / 2)
        assert world.put(key, "1a1") == ""
        world.clock.advance(DAY / 2)
        store_clocks(world)
        world = restart(world)
        if returns:
            AnsweringEngine(world.clock, world.games.engines, "bot", ["pass"])
            settle(world.clock)
            assert watching(world, game_id)[-2].startswith("turn w pass 43200")
        world.clock.advance(0.6 * DAY)
        assert ended(world, game_id) == ("" if returns else "time")


def test_limits_count_them_apart_and_a_crowd_does_not_end_them(journal: DirectJournal) -> None:
    world = few_places(Setup(journal))
    days = {"game": "odd", "board": "square5", "clock": "days=3"}
    begun = [world.ask(world.lobby.seek(stranger(9), "gil", days)).split()[0] for _ in range(30)]
    with pytest.raises(PeerError, match="30 games by the day of yours"):
        world.lobby.seek(stranger(9), "gil", days)
    assert world.ask(world.lobby.accept(stranger(8), begun[0], "hal"))
    crowd(world, PLACES + 5)
    assert set(begun) <= listed(world)
    limits = attrs.evolve(world.games.settings.limits, network_day_games=30, day_games=31)
    world.games.settings.value = Settings(limits=limits)
    neighbour = Origin(place="10.0.9.77/32")
    with pytest.raises(PeerError, match="from your network"):
        world.lobby.seek(neighbour, "ida", days)
    assert world.ask(world.lobby.seek(stranger(7), "ida", days))
    with pytest.raises(PeerError, match="31 games by the day are"):
        world.lobby.seek(stranger(6), "ida", days)


def test_share_of_an_account_counts_its_games_from_before_a_restart(kept: Setup) -> None:
    kept.log_in("ann")
    origin = Origin("ann", "10.0.0.1/32")
    kept.ask(kept.lobby.seek(origin, "ann", BY_THE_DAY))
    after = restart(kept)
    after.games.settings.value = Settings(limits=Limits(own_day_games=1))
    with pytest.raises(PeerError, match="1 games by the day of yours"):
        after.lobby.seek(origin, "ann", BY_THE_DAY)
    assert after.ask(after.lobby.seek(origin, "ann", BOARD))


@pytest.mark.parametrize("settings", [{"accept": "users"}, {"against": "bob"}, {"rated": "yes"}])
def test_offer_by_the_day_outlives_absence_and_restart_with_its_terms(
    kept: Setup, settings: dict[str, str]
) -> None:
    kept.log_in("ann")
    connection = FakeConnection()
    game_id, key = kept.seek("ann", "ann", {**BY_THE_DAY, **settings})
    kept.lobby.hold(key, connection)
    connection.lose()
    kept.clock.advance(DAY)
    before = kept.lobby.games()
    after = restart(kept)
    assert after.lobby.games() == before
    with pytest.raises(PeerError, match=r"log in|is offered to bob"):
        after.lobby.accept(Origin(place="10.0.0.1/32"), game_id, "eve")
    after.log_in("bob")
    assert after.accept("bob", game_id, "bob")
    assert after.put(key, "1a1") == ""


def test_offer_by_the_day_expires(kept: Setup) -> None:
    kept.seek(None, "gil", BY_THE_DAY)
    kept.clock.advance(BY_DAY)
    assert kept.lobby.games() == []


def test_offer_by_the_day_to_an_unknown_user_is_refused(kept: Setup) -> None:
    refusal = kept.seek(None, "gil", {**BY_THE_DAY, "against": "nobody"})
    assert " ".join(refusal) == "not permitted: nobody has no account"


def test_challenge_by_the_day_needs_no_presence(kept: Setup) -> None:
    owner = Attachment("bot", Origin(place="10.0.0.2/32"), is_open=True)
    bot = AnsweringEngine(kept.clock, kept.games.engines, "bot", ["pass"])
    bot.link.attachment = owner
    words = kept.ask(kept.lobby.seek(stranger(1), "eve", {**BY_THE_DAY, "against": "bot"}))
    game_id, key = words.split()
    connection = FakeConnection()
    kept.lobby.hold(key, connection)
    connection.lose()
    kept.clock.advance(DAY - 1)
    assert kept.put(key, "1a1") == ""
    assert ended(kept, game_id) == ""


@pytest.mark.parametrize(("clock", "plays"), [("1..1800", False), ("1..days=1", True)])
def test_engine_states_by_its_range_whether_it_plays_by_the_day(
    kept: Setup, clock: str, plays: bool
) -> None:
    bot = AnsweringEngine(kept.clock, kept.games.engines, "bot", ["pass"])
    bot.link.attachment = Attachment.read("bot", Origin(), {"clock": clock})
    settings = {**BY_THE_DAY, "against": "bot"}
    assert bool(kept.lobby.who(TRUSTED, {"board": "hex2", "clock": "days=1"})) is plays
    if not plays:
        with pytest.raises(PeerError, match="clock"):
            kept.lobby.seek(Origin(), "gil", settings)
        return
    _, key = kept.seek(None, "gil", settings)
    assert kept.put(key, "1a1") == ""
