"""The store on every database, by the same tests."""

from __future__ import annotations

import socket
from functools import partial

import attrs
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.engine import URL

from yoddd.notation.records import GameRecord
from yoddd.store import accounts, games, ratings
from yoddd.store.database import connect, migrate, read_url
from yoddd.store.errors import NameTaken, StoreError, StoreOutdated, UnknownName
from yoddd.store.schema import METADATA
from yoddd.store.store import Store
from yoddd.store.values import (
    AccountRating,
    GameSearch,
    NewGame,
    State,
    Tally,
    TurnRow,
    Work,
    digest,
)

pytestmark = pytest.mark.gate

NOW = "2026-11-21T12:00:00.000Z"
OFFER = NewGame("yodd", "hex4", "60+1", "ann", None, NOW)


@pytest.fixture
def populated(store: Store) -> Store:
    for name in ("ann", "Bob", "cid"):
        store.transact(partial(accounts.add_account, name=name, created=NOW))
    return store


def begun(store: Store, black: str = "ann", white: str = "Bob") -> int:
    number = store.transact(lambda c: games.add_game(c, OFFER))
    store.transact(lambda c: games.begin_game(c, number, black, white, NOW))
    return number


def ended(store: Store, winner: str | None, black: str = "ann", white: str = "Bob") -> GameRecord:
    number = begun(store, black, white)
    record = GameRecord(
        id=f"r{number}",
        game="yodd",
        board="hex4",
        options={},
        black=black,
        white=white,
        turns=("1d4",),
        times=(0.5,),
        winner=winner,
        reason="resign" if winner else "void",
        blame=None if winner else "referee",
        started=NOW,
        ended=NOW,
        clock="60+1",
    )
    store.transact(lambda c: games.end_game(c, number, record))
    return record


def test_migrate_creates_the_schema(url: URL) -> None:
    engine = connect(url, writes=True)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


@pytest.mark.whole
@pytest.mark.process
def test_connect_silent_host_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(StoreError, match="timeout"):
            Store(read_url(f"postgresql://ann@127.0.0.1:{port}/games"))


def test_store_of_another_version_is_refused(url: URL) -> None:
    store = Store(url)
    store.transact(lambda c: c.execute(text("UPDATE alembic_version SET version_num = 'z999'")))
    store.close()
    with pytest.raises(StoreOutdated, match="has schema z999, this program needs"):
        Store(url)
    with pytest.raises(StoreOutdated, match="was made by a newer yoddd"):
        migrate(url)
    engine = connect(url, writes=True)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version"))
    engine.dispose()
    with pytest.raises(StoreOutdated, match="empty; run: yoddd store migrate"):
        Store(url)


def test_log_in_token_opens_its_own_account_only_and_its_digest_alone_is_stored(
    populated: Store,
) -> None:
    populated.transact(lambda c: accounts.add_token(c, "ann", "secret", NOW))
    (row,) = populated.read(lambda c: c.execute(text("SELECT * FROM tokens")).all())
    assert digest("secret") in row
    assert "secret" not in row
    account = populated.read(lambda c: accounts.log_in(c, "ANN", "secret"))
    assert account is not None
    assert account.name == "ann"
    for name, token in (("ann", "other"), ("bob", "secret"), ("unknown", "secret"), ("ann", "")):
        assert populated.read(partial(accounts.log_in, name=name, token=token)) is None


def test_log_in_revoked_token_or_disabled_account_is_refused(populated: Store) -> None:
    for token in ("one", "two"):
        populated.transact(partial(accounts.add_token, name="bob", token=token, created=NOW))
    populated.transact(lambda c: accounts.set_disabled(c, "bob", disabled=True))
    assert populated.read(lambda c: accounts.log_in(c, "Bob", "one")) is None
    populated.transact(lambda c: accounts.set_disabled(c, "BOB", disabled=False))
    assert populated.read(lambda c: accounts.log_in(c, "Bob", "one")) is not None
    assert [a.tokens for a in populated.read(accounts.list_accounts)] == [0, 2, 0]
    assert populated.transact(lambda c: accounts.revoke_tokens(c, "bob", NOW)) == 2
    assert populated.read(lambda c: accounts.log_in(c, "Bob", "two")) is None


def test_add_account_taken_name_and_unknown_name_raise(populated: Store) -> None:
    with pytest.raises(NameTaken):
        populated.transact(lambda c: accounts.add_account(c, "BOB", NOW))
    with pytest.raises(UnknownName, match="no account 'dan'"):
        populated.transact(lambda c: accounts.set_anchor(c, "dan", 0.0))
    with pytest.raises(UnknownName):
        populated.transact(lambda c: games.add_game(c, attrs.evolve(OFFER, black="dan")))


def test_find_game_returns_the_game_as_played(populated: Store) -> None:
    number = begun(populated)
    turns = tuple(TurnRow(number, n, f"1a{n}", n / 3) for n in range(1, 4))
    assert populated.write(turns) == [None] * 3
    (row,) = populated.read(games.games_in_play)
    assert (row.number, row.state, row.started) == (number, State.PLAYING, NOW)
    assert row.settled == attrs.evolve(OFFER, white="Bob")
    assert row.turns == turns
    assert populated.read(lambda c: games.find_game(c, number)) == row
    assert populated.read(lambda c: games.find_game(c, number + 1)) is None


def test_game_states_follow_their_order(populated: Store) -> None:
    record = ended(populated, "b")
    number = int(record.id.removeprefix("r"))
    assert populated.read(games.games_in_play) == []
    populated.transact(lambda c: games.end_game(c, number, record))  # again: its answer was lost
    other = attrs.evolve(record, winner="w")
    with pytest.raises(StoreError, match="is not playing"):
        populated.transact(lambda c: games.end_game(c, number, other))
    with pytest.raises(StoreError, match="is not open"):
        populated.transact(lambda c: games.begin_game(c, number, "ann", "bob", NOW))


def test_drop_game_deletes_offers_only(populated: Store) -> None:
    offered, played = populated.transact(lambda c: games.add_game(c, OFFER)), begun(populated)
    populated.write([TurnRow(played, 1, "1a1", 1.0)])
    populated.transact(lambda c: games.drop_game(c, offered))
    populated.transact(lambda c: games.drop_game(c, played))
    populated.transact(lambda c: games.add_game(c, OFFER))
    assert populated.transact(games.drop_offers) == 1
    assert [row.number for row in populated.read(games.games_in_play)] == [played]
    assert populated.transact(lambda c: games.add_game(c, OFFER)) > played + 1


def test_write_repeated_turn_fails_alone(populated: Store) -> None:
    number = begun(populated)
    first, second = (TurnRow(number, n, "1a1", 1.0) for n in (1, 2))
    populated.write([first])
    outcomes = populated.write([first, second, Work(lambda _: "done")])
    assert isinstance(outcomes[0], StoreError)
    assert outcomes[1:] == [None, "done"]
    (row,) = populated.read(games.games_in_play)
    assert row.turns == (first, second)


def test_write_failed_commit_changes_nothing(populated: Store) -> None:
    number = begun(populated)

    def fail(connection: object) -> None:
        raise ZeroDivisionError(connection)

    outcomes = populated.write([TurnRow(number, 1, "1a1", 1.0), Work(fail)])
    assert outcomes[0] is None
    assert isinstance(outcomes[1], ZeroDivisionError)
    with pytest.raises(StoreError):
        populated.transact(lambda c: c.execute(text("SELECT nonsense FROM nowhere")))
    assert populated.write([TurnRow(number, 2, "pass", 1.0)]) == [None]
    (row,) = populated.read(games.games_in_play)
    assert len(row.turns) == 2


def test_finished_games_are_latest_first_and_filtered(populated: Store) -> None:
    one, two, three = (
        ended(populated, "b"),
        ended(populated, "w", "Bob", "cid"),
        ended(populated, None, "cid", "ann"),
    )

    def listed(**chosen: object) -> list[str | None]:
        rows = populated.read(lambda c: games.finished_games(c, GameSearch(**chosen)))  # type: ignore[arg-type]
        return [f"r{row.number}" for row in rows]

    assert listed() == [three.id, two.id, one.id]
    assert listed(player="ANN") == [three.id, one.id]
    assert listed(before=int(three.id[1:]), limit=1) == [two.id]
    assert listed(game="xodd") == listed(board="hex5") == []
    assert populated.read(games.played_boards) == [("yodd", "hex4")]


def test_tallies_count_wins_by_colour_without_void_games(populated: Store) -> None:
    for winner in ("b", "b", "w", None):
        ended(populated, winner)
    ended(populated, "w", "Bob", "ann")
    assert populated.read(lambda c: games.tallies(c, "yodd", "hex4")) == [
        Tally("Bob", "ann", 0, 1),
        Tally("ann", "Bob", 2, 1),
    ]
    assert populated.read(lambda c: games.tallies(c, "yodd", "hex5")) == []


def test_set_standings_replaces_and_omits_disabled(populated: Store) -> None:
    lines = [AccountRating("ann", 100.0, 20.0, 5, 4), AccountRating("Bob", 0.0, 0.0, 5, 1)]
    populated.transact(lambda c: accounts.set_anchor(c, "bob", 0.0))
    for _ in range(2):
        populated.transact(lambda c: ratings.set_standings(c, "yodd", "hex4", lines, NOW))
    assert populated.read(lambda c: ratings.standings(c, "yodd", "hex4")) == [
        lines[0],
        attrs.evolve(lines[1], anchor=True),
    ]
    populated.transact(lambda c: accounts.set_disabled(c, "ann", disabled=True))
    (line,) = populated.read(lambda c: ratings.standings(c, "yodd", "hex4"))
    assert line.name == "Bob"
    populated.transact(lambda c: ratings.set_standings(c, "yodd", "hex4", [], NOW))
    assert populated.read(lambda c: ratings.standings(c, "yodd", "hex4")) == []
