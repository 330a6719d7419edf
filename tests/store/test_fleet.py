"""Leases and fencing numbers, on every database."""

from __future__ import annotations

import select
import threading
from functools import partial

import pytest
from sqlalchemy import Connection, text

from yoddd.notation.records import GameRecord
from yoddd.store import accounts, fleet, games, ratings
from yoddd.store.channel import Channel
from yoddd.store.database import is_sqlite, read_url
from yoddd.store.errors import Fenced, StoreError
from yoddd.store.store import Store
from yoddd.store.values import NewGame, Standing, State, TurnRow

NOW = "2026-11-21T12:00:00.000Z"
OFFER = NewGame("yodd", "hex4", "60+1", "ann", None, NOW)
LONG, OVER = 3600.0, -1.0
"""Leases: one that no test outlives, and one that has run out before it begins."""


@pytest.fixture
def populated(store: Store) -> Store:
    for name in ("ann", "bob"):
        store.transact(partial(accounts.add_account, name=name, created=NOW))
    return store


def joined(store: Store, lease: float = LONG, number: int | None = None) -> int:
    return store.transact(lambda c: fleet.join(c, "unix:path=x", "s3cret", lease, number))


def beat(
    store: Store, number: int, lease: float = LONG, directory: str | None = None
) -> fleet.Beat | None:
    return store.transact(lambda c: fleet.beat(c, number, lease, directory))


def alive(store: Store) -> list[int]:
    return [process.number for process in store.read(fleet.alive)]


def begun(store: Store, owner: int) -> int:
    number = store.transact(lambda c: games.add_game(c, OFFER, owner))
    store.transact(lambda c: games.begin_game(c, number, "ann", "bob", NOW, 1))
    return number


def turn(game: int, number: int, fence: int) -> TurnRow:
    return TurnRow(game, number, "1d4", 0.5, fence)


def tokens(store: Store, game: int) -> list[int]:
    return [row.number for row in store.read(lambda c: games.turns_of(c, game))]


def test_beat_renewed_lease_stays_alive(store: Store) -> None:
    first, second = joined(store), joined(store, OVER)
    assert alive(store) == [first]
    found = beat(store, second, directory='{"people": []}')
    assert found is not None
    assert [(one.number, one.directory) for one in found.alive] == [
        (first, "{}"),
        (second, '{"people": []}'),
    ]
    assert found.alive[0].address == "unix:path=x"
    assert "s3cret" not in repr(found)


def test_beat_expired_process_rejoins_as_the_youngest(store: Store) -> None:
    late, other = joined(store, OVER), joined(store)
    assert beat(store, other) is not None
    assert beat(store, late) is None
    assert joined(store, number=late) == late
    assert alive(store) == [other, late]
    assert joined(store) > other


def test_beat_oldest_takes_expired_games_and_deletes_offers(populated: Store) -> None:
    expired, oldest, youngest = joined(populated, OVER), joined(populated), joined(populated)
    game = begun(populated, expired)
    offer = populated.transact(lambda c: games.add_game(c, OFFER, expired))
    own = begun(populated, youngest)
    found = beat(populated, youngest)
    assert found is not None
    assert found.taken == {}
    found = beat(populated, oldest)
    assert found is not None
    assert found.taken == {game: 2}
    assert populated.read(lambda c: games.find_game(c, offer)) is None
    populated.transact(lambda c: games.add_turns(c, [turn(own, 1, 1), turn(game, 1, 2)]))
    assert beat(populated, oldest) == fleet.Beat(found.alive, {})


def test_write_of_former_owner_is_refused_alone(
    populated: Store,
) -> None:
    stale, owner = joined(populated, OVER), joined(populated)
    game, other = begun(populated, stale), begun(populated, owner)
    populated.transact(lambda c: games.add_turns(c, [turn(game, 1, 1)]))
    assert beat(populated, owner) is not None
    outcomes = populated.write([turn(other, 1, 1), turn(game, 2, 1), turn(game, 2, 2)])
    assert outcomes[0] is outcomes[2] is None
    assert isinstance(outcomes[1], Fenced)
    assert (tokens(populated, game), tokens(populated, other)) == ([1, 2], [1])
    record = GameRecord(
        id=f"r{game}",
        game="yodd",
        board="hex4",
        options={},
        black="ann",
        white="bob",
        turns=("1d4",),
        times=(0.5,),
        winner="b",
        reason="resign",
        started=NOW,
        ended=NOW,
        clock="60+1",
    )
    with pytest.raises(Fenced, match=f"another process has taken over game {game}"):
        populated.transact(lambda c: games.end_game(c, game, record, 1))
    populated.transact(lambda c: games.end_game(c, game, record, 2))
    with pytest.raises(Fenced):
        populated.transact(lambda c: games.add_turns(c, [turn(game, 3, 2)]))
    found = populated.read(lambda c: games.find_game(c, game))
    assert found is not None
    assert found.state is State.OVER


def test_begin_game_of_another_owner_is_fenced(populated: Store) -> None:
    owner = joined(populated)
    offer = populated.transact(lambda c: games.add_game(c, OFFER, owner))
    with pytest.raises(Fenced):
        populated.transact(lambda c: games.begin_game(c, offer, "ann", "bob", NOW, 2))
    populated.transact(lambda c: games.begin_game(c, offer, "ann", "bob", NOW, 1))


def test_leave_or_rejoin_disowns_games(populated: Store) -> None:
    leaving, other = joined(populated), joined(populated)
    game = begun(populated, leaving)
    populated.transact(lambda c: fleet.leave(c, leaving))
    found = beat(populated, other)
    assert found is not None
    assert (found.taken, alive(populated)) == ({game: 2}, [other])
    # Expired and back before another node has looked at its games.
    populated.transact(lambda c: c.execute(text("DELETE FROM processes")))
    joined(populated, number=other)
    third = joined(populated)
    populated.transact(lambda c: fleet.leave(c, other))
    found = beat(populated, third)
    assert found is not None
    assert found.taken == {game: 3}


def test_take_over_waits_for_a_turn_in_progress(populated: Store) -> None:
    """Two connections at once: the take-over waits for the turn, or the turn is refused."""
    if is_sqlite(populated.url):
        pytest.skip("SQLite lets only one write at a time")
    stale, owner = joined(populated, OVER), joined(populated)
    game = begun(populated, stale)
    rival = Store(populated.url)
    taken: list[fleet.Beat | None] = []
    taking = threading.Thread(target=lambda: taken.append(beat(rival, owner)))

    def keep(connection: Connection) -> None:
        games.add_turns(connection, [turn(game, 1, 1)])
        taking.start()
        wait_for_lock(populated)

    try:
        populated.transact(keep)
        taking.join(20)
        assert [found and found.taken for found in taken] == [{game: 2}]
        assert tokens(rival, game) == [1]
    finally:
        rival.close()


def wait_for_lock(store: Store) -> None:
    """Wait until one transaction waits for another."""
    query = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    for _ in range(10_000):
        if store.read(lambda c: c.execute(query).scalar()):
            return
    raise AssertionError("no transaction waits")


def test_set_standings_older_ones_are_ignored(populated: Store) -> None:
    new = [Standing("ann", 10.0, 5.0, 3, 2), Standing("bob", -10.0, 5.0, 3, 1)]
    old = [Standing("ann", 20.0, 9.0, 2, 2), Standing("bob", -20.0, 9.0, 2, 0)]
    for rows in (new, old):
        populated.transact(
            partial(ratings.set_standings, game="yodd", board="hex4", standings=rows, when=NOW)
        )
    assert populated.read(lambda c: ratings.standings(c, "yodd", "hex4")) == new


def test_fences_lists_games_in_play_of_the_owner(populated: Store) -> None:
    owner, other = joined(populated), joined(populated)
    game = begun(populated, owner)
    populated.transact(lambda c: games.add_game(c, OFFER, owner))
    begun(populated, other)
    assert populated.read(lambda c: fleet.fences(c, owner)) == {game: 1}
    assert [row.number for row in populated.read(lambda c: games.games_in_play(c, [game]))] == [
        game
    ]
    assert populated.read(lambda c: games.games_in_play(c, [])) == []


def test_channel_receives_the_numbers_of_changed_processes(store: Store) -> None:
    if is_sqlite(store.url):
        with pytest.raises(StoreError, match="only PostgreSQL"):
            Channel(store.url)
        return
    channel = Channel(store.url)
    try:
        assert channel.read() == []
        first, second = joined(store), joined(store)
        assert received(channel, 2) == [first, second]
        beat(store, first, directory='{"engines": []}')
        assert received(channel, 1) == [first]
    finally:
        channel.close()


def test_channel_lost_connection_raises_store_error(store: Store) -> None:
    if is_sqlite(store.url):
        pytest.skip("SQLite has no channel")
    channel = Channel(store.url)
    others = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"
    )
    store.transact(lambda c: c.execute(others))
    with pytest.raises(StoreError, match=r"terminating|closed|lost"):
        received(channel, 1)
    channel.close()


def received(channel: Channel, count: int) -> list[int]:
    """The next ``count`` numbers of a channel."""
    found: list[int] = []
    while len(found) < count:
        ready, _, _ = select.select([channel], [], [], 20)
        assert ready, "no notification"
        found += channel.read()
    return found


def test_channel_missing_database_raises_store_error() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match="connection"):
        Channel(read_url("postgresql://yoddd@127.0.0.1:1/none"))


def test_drop_turns_keeps_the_first_for_the_owner_alone(populated: Store) -> None:
    game = begun(populated, joined(populated))
    populated.write([turn(game, number, 1) for number in (1, 2, 3)])
    with pytest.raises(Fenced):
        populated.transact(lambda c: games.drop_turns(c, game, 1, 2))
    assert tokens(populated, game) == [1, 2, 3]
    populated.transact(lambda c: games.drop_turns(c, game, 1, 1))
    assert tokens(populated, game) == [1]
    assert populated.write([turn(game, 2, 1)]) == [None]
