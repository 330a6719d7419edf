"""The parameters of the kernel's tree search, and a search by them alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, turn_of
from yoddd.rules import PositionLike, Turn

if TYPE_CHECKING:
    from yoddd.kernel import _native


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
        swept_cells: a position in the tree with at most so many empty cells is solved once its
            visits have taken as long as its sweep does; 0 for none.
        weights: of the learned value, for each number of empty cells from 0 on one for each
            feature, the player and a turn in progress; empty without a learned value.
        value_share: how much of a result is the learned value in a search of few visits, 0..1.
        value_fade: of how many visits a search is in which it is half as much: of many playouts
            the mean says more than of few, while the learned value errs as much as before. 0 for
            the game's own number, 60,000 in Yodd and 15,000 in the others.
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
    swept_cells: int = 12
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
    swept_cells=0,
)
"""The baseline that strength is measured against."""


def best_turn(position: PositionLike, settings: TreeSettings, *, playouts: int, seed: int) -> Turn:
    """The turn that a tree of its own finds; with one thread the same for the same seed.

    Raises:
        KernelMissing: there is no native kernel.
    """
    player, limits = native().Player(), native().PlayLimits()
    limits.playouts, limits.proves = playouts, False
    player.begin(board_of(position), [], settings.to_native(), seed, limits, _never)
    while player.step(_never):
        pass
    player.finish()
    return turn_of(position.rules, player.result()[0])


def _never() -> bool:
    return False
