"""The kernel's tree search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, moves_of, turn_of
from yoddd.rules import Colour, PositionLike, Turn

if TYPE_CHECKING:
    from yoddd.kernel import _native

_NO_LIMIT: Final = 2**64 - 1
_NO_TIME_LIMIT: Final = 1e9
_ALL: Final = 2**32 - 1


@attrs.frozen(kw_only=True)
class TreeSettings:
    """The parameters of a tree search.

    Attributes:
        rave: lend a stone the statistics of all playouts that ended with it on the board; without
            it the search is plain UCT.
        exploration: the constant of UCB1, for results in 0..1.
        rave_bias: how soon a stone's own visits outweigh its statistics, for each playout of a
            leaf.
        rave_playouts: a node lends its statistics once it has this many playouts.
        expand_visits: a leaf is expanded at this visit; with a learned value at twice that, since
            its policy takes time.
        margin_weight: how much of a result is its margin instead of the bare win, 0..1.
        leaf_playouts: playouts whose mean is the value of a leaf; 0 for the game's own number, 32
            in Odd and Product and 4 in Yoin, whose playouts only fill the board, else 1. At most
            32 in these games. A limit of playouts counts those of a leaf as one.
        bridges: playouts of Yoin keep them: where each of two neighbouring cells would join the
            same two groups, their player gets at least one.
        transpositions: a position that several orders of turns lead to is one node.
        weights: of the learned value, for each number of empty cells from 0 on one for each
            feature, the player and a turn in progress; empty without a learned value.
        value_share: how much of a result is the learned value in a search of few visits, 0..1.
        value_fade: of how many visits a search is in which it is half as much, see
            `TreeSearch.expect`; 0 for the game's own number, 60,000 in Yodd and 15,000 in the
            others.
        prior_weight: what the policy of the learned value adds to the promise of a half turn, for
            each nat that this is less likely than the likeliest one.
        prior_fade: the visits of a half turn after which that counts half; more than 0.
        widening: how many nats below the likeliest half turns are followed at first; 0 for all.
        widening_rate: by how much that grows for each e-fold of the node's visits.
        barred: what is not played: for Black and for White, for each stone (black ones by cell,
            white ones by cell), the pass and the swap, in so many turns from the root on; empty if
            everything may be played. A tree of these settings cannot be moved along.
        memory: bytes for the tree; a full one grows no more, but the search goes on.
        threads: how many threads share the tree.
    """

    rave: bool = True
    exploration: float = 0.0
    rave_bias: float = 1e-4
    rave_playouts: int = 200
    expand_visits: int = 4
    margin_weight: float = 0.6
    leaf_playouts: int = 0
    bridges: bool = True
    transpositions: bool = True
    weights: tuple[float, ...] = ()
    value_share: float = 0.5
    value_fade: float = attrs.field(default=0.0, validator=attrs.validators.ge(0))
    prior_weight: float = 0.007
    prior_fade: float = attrs.field(default=100.0, validator=attrs.validators.gt(0))
    widening: float = 1.0
    widening_rate: float = 0.5
    barred: tuple[int, ...] = ()
    memory: int = 512 << 20
    threads: int = 1

    def to_native(self) -> _native.SearchSettings:
        """Return the settings in the form of the kernel."""
        chosen: _native.SearchSettings = native().SearchSettings()
        for field in attrs.fields(TreeSettings):
            setattr(chosen, field.name, getattr(self, field.name))
        return chosen


PLAIN_UCT = TreeSettings(
    rave=False,
    exploration=0.7,
    expand_visits=2,
    margin_weight=0.0,
    leaf_playouts=1,
    bridges=False,
    transpositions=False,
)
"""The baseline that strength is measured against."""


@attrs.frozen
class TreeResult:
    """The state of a tree search.

    Attributes:
        playouts: the playouts of the last run.
        visits: of the root, those kept from earlier turns included.
        nodes: positions in memory, those that `advance` has left behind included.
        winrate: 0 to 1 for the side to move at the root.
        margin: the expected difference in groups (in counts for Yoin) for the side to move.
        spread: the standard deviation of this difference over the results.
        winner: the colour that wins by best play, if that is proven; before a swap, the player who
            has that colour now.
    """

    playouts: int
    visits: int
    nodes: int
    winrate: float
    margin: float
    spread: float
    winner: Colour | None


@attrs.frozen
class HalfTurn:
    """A half turn at a node of the tree.

    Attributes:
        moves: the half turns from the root to here, as the kernel numbers them.
        visits: how often it was followed.
        value: 0 to 1 for the side to move.
        margin: the expected difference in groups for the side to move.
        spread: the standard deviation of this difference over the results.
        lent: its value by the lent statistics alone, likewise.
        winner: the colour that wins by best play after it, if that is proven.
    """

    moves: tuple[int, ...]
    visits: int
    value: float
    margin: float
    spread: float
    lent: float
    winner: Colour | None


class TreeSearch:
    """A tree over the positions after one position; it can be searched on and moved along.

    With one thread and no limit of time the same seed gives the same tree. Other Python threads run
    during `run`.
    """

    def __init__(
        self, position: PositionLike, *, seed: int, settings: TreeSettings | None = None
    ) -> None:
        """Plant a tree at ``position``.

        Raises:
            KernelMissing: there is no native kernel.
        """
        chosen = (settings or TreeSettings()).to_native()
        self._rules = position.rules
        self._search = native().Search(board_of(position), chosen, seed)

    def expect(self, visits: int) -> None:
        """Say of how many visits the search is going to be; few, if it is not said.

        Of many playouts the mean says more than of few, while the learned value errs as much as
        before; so it counts less from now on, by `TreeSettings.value_fade`.
        """
        self._search.expect(visits)

    def run(
        self,
        *,
        playouts: int | None = None,
        visits: int | None = None,
        seconds: float = _NO_TIME_LIMIT,
    ) -> TreeResult:
        """Search on until a limit is reached or the result is proven."""
        self._search.run(_most(playouts), _most(visits), seconds)
        return self.result()

    def begin(
        self,
        *,
        playouts: int | None = None,
        visits: int | None = None,
        seconds: float = _NO_TIME_LIMIT,
    ) -> None:
        """Search on in threads of its own until a limit, a proof or `stop`; see `wait`."""
        self._search.begin(_most(playouts), _most(visits), seconds)

    def wait(self, seconds: float) -> bool:
        """Sleep for so many seconds, or until the search of `begin` has ended; whether it has.

        On a crowded machine a thread that sleeps gets a processor at once; one that computes may
        have to wait.
        """
        ended: bool = self._search.wait(seconds)
        return ended

    def stop(self) -> None:
        """End the search; may be called from any thread.

        Results can be read at once; without the last visits if several threads search. Each thread
        may still finish one simulation; `run`, `begin` and `advance` wait for that.
        """
        self._search.stop()

    def result(self) -> TreeResult:
        """The state now."""
        found = self._search.stats()
        proven = found.pop("proven")
        return TreeResult(**found, winner=_colour(proven))

    def best_turn(self) -> Turn:
        """The turn to play."""
        return turn_of(self._rules, self._search.best_turn())

    def half_turns(self, after: tuple[int, ...] = (), limit: int = _ALL) -> list[HalfTurn]:
        """The most visited half turns after ``after``, so many at most, most visited first."""
        return [
            HalfTurn((*after, move), visits, value, margin, spread, lent, _colour(proven))
            for move, visits, value, margin, spread, lent, proven in self._search.report(
                list(after), limit
            )
        ]

    def lent(self) -> dict[int, float]:
        """The `HalfTurn.lent` of each half turn from the root."""
        found = self._search.report([], _ALL)
        return dict(sorted((move, lent) for move, *_, lent, _ in found))

    def line(self, after: tuple[int, ...], length: int) -> tuple[int, ...]:
        """The half turns ``after`` and those expected to follow, at most ``length`` in all."""
        return tuple(self._search.line(list(after), length))

    def ownership(self) -> list[float]:
        """For each cell the mean of its colour when playouts ended: 1 for black, -1 for white."""
        owned: list[float] = self._search.ownership()
        return owned

    def advance(self, turn: Turn) -> None:
        """Move the root to the position after ``turn`` and keep its part of the tree.

        The turn must be legal.
        """
        self._search.advance(moves_of(self._rules, turn))

    def make_room(self) -> None:
        """Drop the positions visited least, where less than half of the memory is left."""
        self._search.advance([])


def _most(limit: int | None) -> int:
    return _NO_LIMIT if limit is None else limit


def _colour(proven: int) -> Colour | None:
    return None if proven < 0 else Colour(proven)
