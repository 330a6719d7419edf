"""The command that says how likely the engine's policy takes each half turn to be."""

from __future__ import annotations

from typing import Final

from yoddd.engine import prior_of
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup, refuse_illegal
from yoddd.protocol.commands.engine import tuned_searcher
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.rules import Colour, Stone

_ENDS: Final = ("end", "pass", "swap")
"""The half turns that are no stones, as the kernel numbers them after those."""

COMMANDS: Final = CommandGroup("engine")


@COMMANDS.command(
    "policy",
    "[STONE]",
    "the probability that the engine's policy gives to each stone that can come next",
    64,
)
def _policy(client: ClientState, args: Args) -> str:
    position, spelling = client.position, client.spelling
    if position.is_over:
        raise PeerError(Subcode.OVER, "the game is over")
    stones = spelling.read_stones(args, position.player) or client.entry.stones
    first = stones[0] if stones else None
    if first is not None and not (position.rules.two_stones and position.completable(first)):
        token = spelling.stone(first, position.player)
        refuse_illegal(f"no legal turn goes on after {token}")
    shares = prior_of(tuned_searcher(client), position).half_turns(first)
    order = sorted(shares, key=lambda move: (-shares[move], move))
    return "\n".join(
        f"{_token(move, spelling, position.player)} {shares[move]:.6f}" for move in order
    )


def _token(move: int, spelling: Spelling, player: Colour) -> str:
    colour, cell = divmod(move, len(spelling.labels))
    if colour > Colour.WHITE:
        return _ENDS[cell]
    return spelling.stone(Stone(Colour(colour), cell), player)
