"""Searches that are read while several threads write: short, for ThreadSanitizer to watch.

``make sanitize-threads`` runs them on a build that reports data races; without it they only show
that what is read meanwhile makes sense.
"""

import pytest

from tests.support.games import never
from tests.support.trees import Tree
from yoddd.engine.weights import weights_for
from yoddd.kernel import TreeSettings
from yoddd.rules import Position, make_rules

BOARDS = [("yodd", "hex4"), ("yoin", "hex3"), ("odd", "square4")]
MEMORY = 32 << 20
PLAYOUTS = 4000


def visits_of(tree: Tree) -> int:
    """Ask all that may be asked during a search; return the visits of the root."""
    visits: int = tree.player.report()[1]
    return visits


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("game", "board"), BOARDS)
def test_search_read_while_it_runs_finishes_its_playouts(
    game: str, board: str, threads: int
) -> None:
    position = Position(make_rules(game, board))
    # With a policy, so that nodes get more children while others read them.
    weights = weights_for(position.rules)
    tree = Tree(TreeSettings(threads=threads, memory=MEMORY, weights=weights))
    while not position.is_over and position.number < 4:
        tree.begin(position, playouts=PLAYOUTS)
        visits = [visits_of(tree)]
        while tree.player.step(never):
            visits.append(visits_of(tree))
        visits.append(visits_of(tree))
        assert visits == sorted(visits)
        found = tree.found()
        assert found.playouts == PLAYOUTS or found.winner is not None
        position.play(found.turn)


def test_search_with_full_memory_is_shared_by_two_threads() -> None:
    tree = Tree(TreeSettings(threads=2, memory=1 << 18))
    found = tree.run(Position(make_rules("yodd", "hex4")), playouts=PLAYOUTS)
    assert found.playouts == PLAYOUTS


def test_stopped_search_is_read_without_waiting() -> None:
    tree = Tree(TreeSettings(threads=2, memory=MEMORY))
    position = Position(make_rules("yodd", "hex4"))
    for _ in range(20):
        tree.begin(position, resume=True)
        tree.player.step(never)
        tree.player.finish()
        assert visits_of(tree) > 0
