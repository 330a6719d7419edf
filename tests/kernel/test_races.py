"""Searches that are read while several threads write: short, for ThreadSanitizer to watch.

``make sanitize-threads`` runs them on a build that reports data races; without it they only show
that what is read meanwhile makes sense.
"""

import pytest

from yoddd.kernel import TreeSearch, TreeSettings
from yoddd.rules import Position, make_rules

BOARDS = [("yodd", "hex4"), ("yoin", "hex3"), ("odd", "square4")]
MEMORY = 32 << 20
PLAYOUTS = 4000


def read_everything(tree: TreeSearch) -> int:
    """Ask all that may be asked during a search; return the visits of the root's half turns."""
    tree.result()
    tree.best_turn()
    tree.ownership()
    best = tree.half_turns(limit=3)
    for entry in best:
        tree.half_turns(entry.moves, limit=3)
        tree.line(entry.moves, 4)
    return sum(entry.visits for entry in best)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("game", "board"), BOARDS)
def test_search_read_while_it_runs_finishes_its_playouts(
    game: str, board: str, threads: int
) -> None:
    position = Position(make_rules(game, board))
    settings = TreeSettings(threads=threads, memory=MEMORY)
    tree = TreeSearch(position, seed=1, settings=settings)
    while not position.is_over and position.number < 4:
        visits = [read_everything(tree)]
        tree.begin(playouts=PLAYOUTS)
        while not tree.wait(0.001):
            visits.append(read_everything(tree))
        visits.append(read_everything(tree))
        assert visits == sorted(visits)
        assert tree.result().playouts == PLAYOUTS or tree.result().winner is not None
        turn = tree.best_turn()
        position.play(turn)
        tree.advance(turn)


def test_search_with_full_memory_is_shared_by_two_threads() -> None:
    settings = TreeSettings(threads=2, memory=1 << 18)
    tree = TreeSearch(Position(make_rules("yodd", "hex4")), seed=1, settings=settings)
    assert tree.run(playouts=PLAYOUTS).playouts == PLAYOUTS


def test_stopped_search_is_read_without_waiting() -> None:
    settings = TreeSettings(threads=2, memory=MEMORY)
    tree = TreeSearch(Position(make_rules("yodd", "hex4")), seed=1, settings=settings)
    for _ in range(20):
        tree.begin()
        tree.wait(0.002)
        tree.stop()
        assert read_everything(tree) > 0
