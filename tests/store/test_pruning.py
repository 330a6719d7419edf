"""Old games that no account has played are deleted, a batch at a time; all others stay."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import insert, select

from yoddd.store import accounts
from yoddd.store.pruning import BATCH, holdings, prune_games
from yoddd.store.schema import GAMES, TURNS
from yoddd.store.store import Store

pytestmark = pytest.mark.gate

OLD, NOW, NEW = (f"20{year}-01-31T12:00:00.000Z" for year in (20, 30, 40))


def fill(store: Store, count: int, ended: str | None, black: int | None = None) -> list[int]:
    """Add games with a turn each, which are in play if they have not ended; their numbers."""
    row: dict[str, object] = {"game": "yodd", "board": "hex8", "clock": "60", "offered": OLD}
    row |= {"engines": "", "state": "over" if ended else "playing", "ended": ended}
    store.transact(
        lambda c: c.execute(insert(GAMES), [{**row, "black_id": black, "rated": False}] * count)
    )
    added = numbers(store)[-count:]
    turns = [{"game": one, "number": 1, "token": "1a1", "seconds": 0} for one in added]
    store.transact(lambda c: c.execute(insert(TURNS), turns))
    return added


def numbers(store: Store) -> list[int]:
    query = select(GAMES.c.number).order_by(GAMES.c.number)
    return list(store.read(lambda c: c.execute(query).scalars().all()))


def test_prune_games_deletes_old_ones_of_strangers_and_the_oldest_beyond_the_most(
    store: Store,
) -> None:
    store.transact(partial(accounts.add_account, name="ann", created=OLD))
    fill(store, BATCH + 2, OLD)
    kept = [*fill(store, 2, OLD, black=1), *fill(store, 2, None)]
    new = fill(store, 3, NEW)
    found = [store.transact(partial(prune_games, before=NOW, most=9)) for _ in range(3)]
    assert found == [BATCH, 2, 0]
    assert numbers(store) == [*kept, *new]
    assert store.transact(partial(prune_games, before=NOW, most=2)) == 1
    assert numbers(store) == [*kept, *new[1:]]
    assert store.read(holdings)["turns"] == 6
