"""Vectors by which the author of another program proves that it plays a game.

The vectors come from `yoddd.rules.reading`, which shares no code with the rules and the kernel.
They have the forms of ``protocol/vectors/engine``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

import attrs

from yoddd.notation import dump_record, format_position, format_turn
from yoddd.notation.imports import conclude
from yoddd.rules import PASS, SWAP, Colour, Position, Rules, RulesError, Stone, Turn
from yoddd.rules.facts import plain
from yoddd.rules.game import Game, rules_of
from yoddd.rules.reading import Reading, State
from yoddd.rules.reading import Turn as Read

_CELLS: Final = 20
"""The largest boards of the kit."""

_NODES: Final = 3000
"""Turns that the slow reading lists for a count."""

_DEEPEST: Final = 4
_GAMES: Final = 6
"""Whole games of each board and choice of options."""

_REFUSED: Final = 4
"""Refused turns of each of these games."""

README: Final = """\
# {title}: a kit for other programs

A program plays this game if it reproduces these files. They were made by a slow reading of the
rules that shares no code with yoddd's engine. `description.json` is the game, and
`yoddd --game-file description.json check --game {name} COMMAND` tries an engine by it.

Fields are separated by ` ; `. A position is
`GAME BOARD PLACEMENT PLAYER PASSES TURN [OPTION=VALUE]`: rows from the top with `/` between them,
b and w for stones, and numbers for runs of empty cells.

- `perft.txt`: position, depth, number of legal sequences of this many turns. An unordered pair of
  stones is one turn; `pass` and `swap` count.
- `refused.txt`: position, turn that the rules forbid.
- `outcomes.txt`: position of a finished game, the colour that wins, `+`, and the margin.
- `games.jsonl`: a whole game as a record; all its turns are legal, and the last one ends it.

rules_hash without options: {hash}
"""


@attrs.frozen
class _Case:
    """One game on one board with some options, by the reading.

    Attributes:
        rules: the board, and the way to write positions and turns.
        reading: the rules.
    """

    rules: Rules
    reading: Reading

    def position(self, state: State) -> str:
        """The line of a state."""
        cells = [None if one is None else Colour(one) for one in state.cells]
        found = Position.set_up(self.rules, cells, Colour(state.player), state.passes, state.number)
        return format_position(found)

    def turn(self, turn: Read) -> str:
        """The token of a turn."""
        return format_turn(turn_of(turn), self.rules)


def turn_of(turn: Read) -> Turn:
    """A turn of the reading as that of the program."""
    if isinstance(turn, str):
        return {"pass": PASS, "swap": SWAP}[turn]
    return Turn.drop(*(Stone(Colour(colour), cell) for colour, cell in turn))


def reading_of(rules: Rules) -> Reading:
    """The reading of a game on a board with its options."""
    facts = {key: plain(value) for key, value in rules.facts.by_key.items()}
    return Reading(facts, rules.geometry.neighbours)


def make_kit(game: Game, seed: int) -> Mapping[str, str]:
    """The texts of the files by their names."""
    perft, refused, outcomes, games = list[str](), list[str](), list[str](), list[str]()
    for rules in _choices(game):
        case, rng = _Case(rules, reading_of(rules)), Random(f"{seed} {rules!r}")
        perft += _counts(case)
        for number in range(_GAMES):
            _play(case, rng, f"{len(games) + 1}", (refused, outcomes, games), few=number < 1)
    return {
        "README.md": README.format(title=game.title, name=game.name, hash=game.facts.hash),
        "description.json": json.dumps(game.description(), indent=1) + "\n",
        "perft.txt": _lines("Legal sequences of turns: position ; depth ; count", perft),
        "refused.txt": _lines("Turns that the rules forbid: position ; turn", refused),
        "outcomes.txt": _lines("Finished games: position ; winner and margin", outcomes),
        "games.jsonl": "".join(f"{line}\n" for line in games),
    }


def _lines(title: str, lines: list[str]) -> str:
    return "\n".join([f"# {title}", "", *dict.fromkeys(lines), ""])


def _choices(game: Game) -> Iterator[Rules]:
    """The default rules on each small board, and there each other choice of one option."""
    ways: list[dict[str, str]] = [{}]
    for option in game.options:
        ways += [{option.name: word} for word in map(str, option.choices[:9])]
    for board in game.boards_up_to(_CELLS):
        seen = set()
        for options in ways:
            try:
                rules = rules_of(game, board, options)
            except RulesError:
                continue  # that combination may end in a draw, and is refused
            if rules.facts not in seen:
                seen.add(rules.facts)
                yield rules


def _counts(case: _Case) -> Iterator[str]:
    """The counts of the empty board, as deep as the reading can afford."""
    empty = State((None,) * case.rules.geometry.cells)
    level = {empty: 1}
    for depth in range(1, _DEEPEST + 1):
        after: dict[State, int] = {}
        total = work = 0
        for state, ways in level.items():
            turns = case.reading.turns(state)
            total += ways * len(turns)
            work += len(turns)
            for turn in turns if work <= _NODES else ():
                found = case.reading.play(state, turn)
                after[found] = after.get(found, 0) + ways
        yield f"{case.position(empty)} ; {depth} ; {total}"
        if work > _NODES:
            return
        level = after


def _play(case: _Case, rng: Random, name: str, out: tuple[list[str], ...], *, few: bool) -> None:
    """Play a random game by the reading, and note what can be tried by it."""
    reading, rules, (refused, outcomes, games) = case.reading, case.rules, out
    start = Position(rules)
    position, state = start.copy(), State((None,) * rules.geometry.cells)
    bad: list[str] = []
    while not reading.is_over(state):
        turns = reading.turns(state)
        wrong = _wrong(case, state, turns, rng)
        if wrong is not None:
            bad.append(f"{case.position(state)} ; {wrong}")
        passes = "pass" in turns and (few or rng.random() < 0.1)
        turn = "pass" if passes else rng.choice([one for one in turns if one != "pass"] or turns)
        state = reading.play(state, turn)
        position.play(turn_of(turn))
    refused += rng.sample(bad, min(_REFUSED, len(bad)))
    decided = reading.outcome(state.cells)
    assert decided is not None  # noqa: S101 — there are no draws
    outcomes.append(f"{case.position(state)} ; {'BW'[decided[0]]}+{decided[1]}")
    games.append(dump_record(conclude(start, position, id=name)))


def _wrong(case: _Case, state: State, turns: list[Read], rng: Random) -> str | None:
    """A turn that is not legal; None if none was found."""
    # A stone that is written without its colour is one of the player's own.
    colours = (state.player,) if case.rules.bare_stones else (0, 1)
    cells, legal = len(state.cells), {case.turn(turn) for turn in turns}
    for _ in range(20):
        stones = [(rng.choice(colours), cell) for cell in rng.sample(range(cells), 2)]
        drops: list[Read] = ["pass", "swap", tuple(stones[:1]), tuple(sorted(stones))]
        token = case.turn(rng.choice(drops))
        if token not in legal:
            return token
    return None
