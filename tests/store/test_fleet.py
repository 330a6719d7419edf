"""Leases and fencing numbers, on every database."""

from __future__ import annotations

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
def people(store: Store) -> Store:
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


def test_a_process_is_alive_while_it_renews_its_lease(store: Store) -> None:
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


def test_one_that_was_struck_off_is_told_so_and_comes_back_as_the_youngest(store: Store) -> None:
    late, other = joined(store, OVER), joined(store)
    assert beat(store, other) is not None
    assert beat(store, late) is None
    assert joined(store, number=late) == late
    assert alive(store) == [other, late]
    assert joined(store) > other


def test_the_oldest_takes_the_games_of_the_dead_and_forgets_their_offers(people: Store) -> None:
    dead, oldest, youngest = joined(people, OVER), joined(people), joined(people)
    game = begun(people, dead)
    offer = people.transact(lambda c: games.add_game(c, OFFER, dead))
    own = begun(people, youngest)
    found = beat(people, youngest)
    assert found is not None
    assert found.taken == {}
    found = beat(people, oldest)
    assert found is not None
    assert found.taken == {game: 2}
    assert people.read(lambda c: games.find_game(c, offer)) is None
    people.transact(lambda c: games.add_turns(c, [turn(own, 1, 1), turn(game, 1, 2)]))
    assert beat(people, oldest) == fleet.Beat(found.alive, {})


def test_whatever_a_stale_owner_writes_is_refused_and_costs_nobody_else_his_turn(
    people: Store,
) -> None:
    stale, owner = joined(people, OVER), joined(people)
    game, other = begun(people, stale), begun(people, owner)
    people.transact(lambda c: games.add_turns(c, [turn(game, 1, 1)]))
    assert beat(people, owner) is not None
    outcomes = people.write([turn(other, 1, 1), turn(game, 2, 1), turn(game, 2, 2)])
    assert outcomes[0] is outcomes[2] is None
    assert isinstance(outcomes[1], Fenced)
    assert (tokens(people, game), tokens(people, other)) == ([1, 2], [1])
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
    with pytest.raises(Fenced, match=f"another process has taken over r{game}"):
        people.transact(lambda c: games.end_game(c, game, record, 1))
    people.transact(lambda c: games.end_game(c, game, record, 2))
    with pytest.raises(Fenced):
        people.transact(lambda c: games.add_turns(c, [turn(game, 3, 2)]))
    found = people.read(lambda c: games.find_game(c, game))
    assert found is not None
    assert found.state is State.OVER


def test_an_offer_and_its_beginning_belong_to_their_owner(people: Store) -> None:
    owner = joined(people)
    offer = people.transact(lambda c: games.add_game(c, OFFER, owner))
    with pytest.raises(Fenced):
        people.transact(lambda c: games.begin_game(c, offer, "ann", "bob", NOW, 2))
    people.transact(lambda c: games.begin_game(c, offer, "ann", "bob", NOW, 1))


def test_who_leaves_or_comes_back_has_no_games(people: Store) -> None:
    leaving, other = joined(people), joined(people)
    game = begun(people, leaving)
    people.transact(lambda c: fleet.leave(c, leaving))
    found = beat(people, other)
    assert found is not None
    assert (found.taken, alive(people)) == ({game: 2}, [other])
    # Struck off and back before anybody has looked at its games.
    people.transact(lambda c: c.execute(text("DELETE FROM processes")))
    joined(people, number=other)
    third = joined(people)
    people.transact(lambda c: fleet.leave(c, other))
    found = beat(people, third)
    assert found is not None
    assert found.taken == {game: 3}


def test_a_turn_on_its_way_is_kept_before_the_game_changes_hands(people: Store) -> None:
    """Two connections at once: the take-over waits for the turn, or the turn is refused."""
    if is_sqlite(people.url):
        pytest.skip("SQLite lets only one write at a time")
    stale, owner = joined(people, OVER), joined(people)
    game = begun(people, stale)
    rival = Store(people.url)
    taken: list[fleet.Beat | None] = []
    taking = threading.Thread(target=lambda: taken.append(beat(rival, owner)))

    def keep(connection: Connection) -> None:
        games.add_turns(connection, [turn(game, 1, 1)])
        taking.start()
        wait_for_lock(people)

    try:
        people.transact(keep)
        taking.join(20)
        assert [found and found.taken for found in taken] == [{game: 2}]
        assert tokens(rival, game) == [1]
    finally:
        rival.close()


def wait_for_lock(store: Store) -> None:
    """Until somebody waits for another's transaction."""
    query = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    for _ in range(10_000):
        if store.read(lambda c: c.execute(query).scalar()):
            return
    raise AssertionError("nobody waits")


def test_older_standings_do_not_replace_newer_ones(people: Store) -> None:
    new = [Standing("ann", 10.0, 5.0, 3, 2), Standing("bob", -10.0, 5.0, 3, 1)]
    old = [Standing("ann", 20.0, 9.0, 2, 2), Standing("bob", -20.0, 9.0, 2, 0)]
    for rows in (new, old):
        people.transact(partial(ratings.set_standings, game="yodd", board="hex4", standings=rows))
    assert people.read(lambda c: ratings.standings(c, "yodd", "hex4")) == new


def test_a_database_that_is_not_there_is_a_complaint_of_ours() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match="connection"):
        Channel(read_url("postgresql://yoddd@127.0.0.1:1/none"))
