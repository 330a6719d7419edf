"""The budget of all search trees, and the shelf that keeps the searcher of each owner."""

from __future__ import annotations

import gc

import pytest

from tests.support.games import never
from yoddd.engine import ENGINES, Budget, MctsSearcher, Searcher, Shelf
from yoddd.engine.tree_memory import LEAST, TreeMemory
from yoddd.kernel import backend, best_position
from yoddd.rules import make_rules

MIB = 1 << 20


class Keeper:
    """A searcher that counts how often it had to give its tree."""

    def __init__(self) -> None:
        self.released = 0

    def release(self) -> None:
        self.released += 1


def test_tree_memory_beyond_the_budget_evicts_the_least_recently_used() -> None:
    memory = TreeMemory(lambda: 30 * MIB)
    keepers = [Keeper() for _ in range(4)]
    for keeper in keepers[:3]:
        assert memory.begin(keeper, 10 * MIB) == 10 * MIB
        memory.end(keeper, 10 * MIB)
    assert memory.begin(keepers[0], 10 * MIB) == 10 * MIB
    memory.end(keepers[0], 10 * MIB)
    assert memory.begin(keepers[3], 10 * MIB) == 10 * MIB
    assert [keeper.released for keeper in keepers] == [0, 1, 0, 0]
    assert memory.used == 30 * MIB


def test_tree_memory_used_up_by_searches_grants_the_rest() -> None:
    memory = TreeMemory(lambda: 15 * MIB)
    keepers = [Keeper() for _ in range(3)]
    assert [memory.begin(keeper, 10 * MIB) for keeper in keepers] == [10 * MIB, 5 * MIB, LEAST]
    assert [keeper.released for keeper in keepers] == [0, 0, 0]
    memory.end(keepers[0], 0)
    assert memory.used == 5 * MIB + LEAST


def test_tree_memory_of_a_searcher_that_is_gone_is_free() -> None:
    memory = TreeMemory(lambda: 15 * MIB)
    keeper = Keeper()
    memory.begin(keeper, 10 * MIB)
    memory.end(keeper, 10 * MIB)
    del keeper
    gc.collect()
    assert memory.used == 0


def test_evict_all_spares_searches() -> None:
    memory = TreeMemory(lambda: 30 * MIB)
    idle, busy = Keeper(), Keeper()
    for keeper in (idle, busy):
        memory.begin(keeper, 10 * MIB)
    memory.end(idle, 10 * MIB)
    memory.evict_all()
    assert (idle.released, busy.released, memory.used) == (1, 0, 10 * MIB)


@pytest.mark.skipif(not backend().is_native, reason="mcts needs the native kernel")
@pytest.mark.parametrize("board", ["hex5", "hex2"])
def test_mcts_keeps_no_more_than_its_part_of_the_budget(board: str) -> None:
    memory = TreeMemory(lambda: 20 * MIB)
    position = best_position()(make_rules("yodd", board))
    searchers, few = [MctsSearcher(shared=memory) for _ in range(5)], Budget(50, memory=8 * MIB)
    for searcher in searchers:
        searcher.search(position, few, 1, never)
        assert memory.used <= 20 * MIB
    assert all(searcher._player.bytes_kept for searcher in searchers[-2:])
    assert not searchers[0]._player.bytes_kept
    first, second = (searcher.search(position, few, 1, never) for searcher in searchers[:2])
    assert first.turn == second.turn


def uct() -> Searcher:
    return ENGINES["uct"]()


def test_what_is_put_is_taken_once() -> None:
    shelf, searcher = Shelf(), uct()
    shelf.put("ann", searcher)
    assert shelf.take("bob", "uct") is None
    assert shelf.take("ann", "uct") is searcher
    assert shelf.take("ann", "uct") is None


def test_take_of_another_engine_returns_none() -> None:
    shelf = Shelf()
    shelf.put("ann", uct())
    assert shelf.take("ann", "random") is None
    assert len(shelf) == 0


def test_drop_removes_the_owners_searcher() -> None:
    shelf = Shelf()
    shelf.put("ann", uct())
    shelf.drop("ann")
    shelf.drop("bob")
    assert len(shelf) == 0
