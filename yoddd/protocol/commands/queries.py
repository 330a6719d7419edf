"""The queries: commands that ask about the position; none changes it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import islice
from typing import Final

from yoddd.engine import StopFlag
from yoddd.kernel import backend
from yoddd.notation import diagram, format_position
from yoddd.protocol.arguments import number_setting, parse_number, parse_settings
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup, refuse_illegal, refuse_syntax
from yoddd.protocol.commands.play import fast_copy, reply_about_turns
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import CommandReply, TaskReply
from yoddd.rules import Group, PositionLike, Stone, Turn, parity_text
from yoddd.rules.scoring import find_groups, tally

_MAX_DEPTH: Final = 99
_AT_ONCE: Final = 2
"""The depth that is counted without a look at the stop flag where there are `_FEW_TURNS`."""

_FEW_TURNS: Final = 15_000 if backend().is_native else 50
"""Turns after each of which the turns are counted in 0.1 s."""

_FEW_CELLS: Final = 5 if backend().is_native else 2
"""Empty cells from which the whole rest of a game is counted at once."""

_MAX_OFFSET: Final = 10**9
_DEFAULT_LIMIT: Final = 1000
_MAX_LIMIT: Final = 10_000

COMMANDS: Final = CommandGroup("ask")


# -- legal turns --------------------------------------------------------------------------------


@COMMANDS.command(
    "legal",
    "drops|turns|count [from=N limit=N]",
    "the stones that can be placed next, the legal turns, or their number",
    128,
)
def _legal(client: ClientState, args: Args) -> CommandReply:
    what, *rest = args
    answer = _LEGAL.get(what.lower())
    if answer is None:
        refuse_syntax(f"legal {what!r}: expected one of {', '.join(_LEGAL)}")
    return answer(client, rest)


def _legal_drops(client: ClientState, words: list[str]) -> CommandReply:
    _expect_no_more(words)
    position, spelling = client.position, client.spelling
    stones = position.legal_stones()
    return " ".join(spelling.stone(stone, position.player) for stone in stones)


def _legal_count(client: ClientState, words: list[str]) -> CommandReply:
    _expect_no_more(words)
    return reply_about_turns(
        client.position, lambda position: str(fast_copy(position).count_turns())
    )


def _legal_turns(client: ClientState, words: list[str]) -> CommandReply:
    settings = parse_settings(words, ("from", "limit"))
    first = number_setting(settings, "from", 0, _MAX_OFFSET)
    limit = number_setting(settings, "limit", _DEFAULT_LIMIT, _MAX_LIMIT)

    spelling = client.spelling

    def listing(position: PositionLike) -> str:
        page = islice(position.legal_turns(first), limit)
        lines = [spelling.turn(turn, position.player) for turn in page]
        return "\n".join([f"total {fast_copy(position).count_turns()}", *lines])

    return reply_about_turns(client.position, listing)


_LEGAL: Final[dict[str, Callable[[ClientState, list[str]], CommandReply]]] = {
    "drops": _legal_drops,
    "turns": _legal_turns,
    "count": _legal_count,
}


def _expect_no_more(words: list[str]) -> None:
    if words:
        refuse_syntax(f"{words[0]!r}: expected nothing more")


# -- groups -------------------------------------------------------------------------------------


def _counts(black: int, white: int) -> str:
    total = black + white
    return f"black {black} white {white} total {total} {'odd' if total % 2 else 'even'}"


@COMMANDS.command("try", "STONE [STONE]", "the result of placing these stones", 64)
def _try(client: ClientState, args: Args) -> str:
    position = client.position
    stones = client.spelling.read_stones(args, position.player)
    after = _groups_after(position, stones, client.spelling)
    legal = position.is_legal(Turn.drop(*stones))
    completable = legal or (len(stones) == 1 and position.completable(stones[0]))
    merges = len(position.groups()) + len(stones) - len(after)
    return (
        f"{_counts(*tally(after))} legal {_yes(legal)} completable {_yes(completable)}"
        f" merges {merges}"
    )


def _groups_after(
    position: PositionLike, stones: tuple[Stone, ...], spelling: Spelling
) -> tuple[Group, ...]:
    geometry = position.rules.geometry
    cells = list(position.cells)
    for stone in stones:
        if cells[stone.cell] is not None:
            refuse_illegal(f"{spelling.labels[stone.cell]} is occupied")
        cells[stone.cell] = stone.colour
    return find_groups(geometry.neighbours, cells)


@COMMANDS.command("groups", "[list]", "the number of groups, or a list of them", 8)
def _groups(client: ClientState, args: Args) -> str:
    summary = _counts(*client.position.count())
    if not args:
        return summary
    if args[0].lower() != "list":
        refuse_syntax(f"groups {args[0]!r}: expected list or nothing")
    labels = client.spelling.labels
    lines = [
        f"{group.colour.title.lower()} {group.size} {' '.join(labels[c] for c in group.cells)}"
        for group in client.position.groups()
    ]
    return "\n".join([summary, *lines])


# -- the state of the game ----------------------------------------------------------------------


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


@COMMANDS.command("status", "", "the state of the game, as keys and values", 16)
def _status(client: ClientState, _args: Args) -> str:
    position, rules = client.position, client.rules
    outcome = position.outcome()
    line = format_position(position)
    lines = {
        "game": rules.game.name,
        "board": rules.geometry.name,
        "options": " ".join(f"{name}={value}" for name, value in rules.options().items()),
        "player": position.player.letter,
        "turn": position.number,
        "passes": position.passes,
        "over": _yes(outcome is not None),
        "winner": outcome.winner.letter if outcome else "none",
        "reason": outcome.reason if outcome else "none",
        "rules_hash": rules.facts.hash,
        "hash": hashlib.sha256(line.encode()).hexdigest()[:16],
    }
    return "\n".join(f"{key} {value}".rstrip() for key, value in lines.items())


@COMMANDS.command("history", "", "the turns so far", 8)
def _history(client: ClientState, _args: Args) -> str:
    return " ".join(client.spelling.line(client.position.history, client.entry.first_player))


@COMMANDS.command("final_score", "", "who won and by how much", 4)
def _final_score(client: ClientState, _args: Args) -> str:
    outcome = client.position.outcome()
    if outcome is None:
        raise PeerError(Code.CANNOT_SCORE, "the game goes on")
    margin = "R" if outcome.reason == "resign" else str(outcome.score)
    return f"{outcome.winner.letter.upper()}+{margin}"


@COMMANDS.command("showboard", "", "the board as a diagram", 16)
def _showboard(client: ClientState, _args: Args) -> str:
    position = client.position
    history = position.history
    text = _headline(position)
    if position.rules.facts.groups != "any":
        text += f"; {parity_text(len(position.groups()))}"
    last = history[-1] if history else None
    return "\n".join(["", diagram(position, last, client.spelling.labels), text])


def _headline(position: PositionLike) -> str:
    outcome = position.outcome()
    if outcome is not None:
        return f"{outcome.winner.title} has won"
    return f"Turn {position.number}, {position.player.title} to move"


@COMMANDS.command("perft", "N", "the number of sequences of N turns", 4)
def _perft(client: ClientState, args: Args) -> TaskReply:
    depth = parse_number("depth", args[0], 0, _MAX_DEPTH)
    snapshot = fast_copy(client.position)
    return TaskReply(lambda stop: _count_leaves(snapshot, depth, stop), str)


def _count_leaves(position: PositionLike, depth: int, stop: StopFlag) -> int:
    """Count as `Position.perft` does, but list the turns lazily and poll ``stop`` at each node.

    A list of the turns at each depth would take gigabytes on a large board.

    Raises:
        PeerError: ``stop`` said True.
    """
    if stop():
        raise PeerError(Code.INTERRUPTED)
    if depth <= 1 or _is_small(position, depth):
        return position.perft(depth)
    total = 0
    for turn in position.legal_turns():
        position.play(turn)
        total += _count_leaves(position, depth - 1, stop)
        position.undo()
    return total


def _is_small(position: PositionLike, depth: int) -> bool:
    """Whether `Position.perft` takes at most some 0.1 s.

    The kernel counts without the interpreter's lock, for which replies would wait.
    """
    if position.cells.count(None) <= _FEW_CELLS:
        return True
    return depth == _AT_ONCE and position.count_turns() <= _FEW_TURNS
