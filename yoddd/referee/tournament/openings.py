"""Openings: read from files, shuffled, or generated so that an engine judges them balanced."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs

from yoddd.engine import Budget, Searcher, draw_start
from yoddd.notation import (
    NotationError,
    format_position,
    format_turn,
    parse_position,
    parse_turn,
    read_records,
    read_sgf_game,
)
from yoddd.notation.archives import read_collection
from yoddd.notation.positions import start_line
from yoddd.notation.text import decode_text
from yoddd.referee.seeds import derive_seed
from yoddd.rules import IllegalTurn, Position, PositionLike, Rules

_TRIES: Final = 200
"""Random openings that are judged for each one that is wanted."""


class OpeningError(ValueError):
    """An opening that cannot be read or does not agree with the rules."""


@attrs.frozen
class Opening:
    """The beginning of a pair of games.

    Attributes:
        turns: played for both sides, canonical.
        position: the line of the position before them; None for the empty board.
    """

    turns: tuple[str, ...] = ()
    position: str | None = None


def read_openings(
    text: str | bytes, name: str, rules: Rules, turns: int | None = None
) -> list[Opening]:
    """Read openings from a file.

    Args:
        text: of the file: games in SGF (``.sgf``), records (``.jsonl``), or else lines: a position,
            or turns with spaces between them. Blank lines and those that begin with ``#`` are
            skipped.
        name: of the file; its suffix decides the format.
        rules: those of the tournament.
        turns: how many turns of a game are its opening; None for all of them.

    Raises:
        OpeningError: one cannot be read or played, or there are none.
    """
    data = text.encode() if isinstance(text, str) else text
    try:
        if name.endswith(".sgf"):
            found = list(_from_sgf(data, turns))
        elif name.endswith(".jsonl"):
            found = list(_from_records(decode_text(data), turns))
        else:
            found = list(_from_lines(decode_text(data), rules))
        for opening in found:
            begin(rules, opening)
    except (NotationError, IllegalTurn) as error:
        raise OpeningError(f"{name}: {error}") from None
    if not found:
        raise OpeningError(f"{name}: no opening in it")
    return found


def _from_sgf(data: bytes, turns: int | None) -> Iterator[Opening]:
    for tree in read_collection([data]):
        if isinstance(tree, NotationError):
            raise tree
        game = read_sgf_game(tree)
        for error in game.errors:
            raise error
        tokens = tuple(format_turn(turn, game.start.rules) for turn in game.turns)
        yield Opening(tokens[:turns], start_line(game.start))


def _from_records(text: str, turns: int | None) -> Iterator[Opening]:
    for record in read_records(text.splitlines()):
        if isinstance(record, NotationError):
            raise record
        yield Opening(record.turns[:turns], record.position)


def _from_lines(text: str, rules: Rules) -> Iterator[Opening]:
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            if words[0] == rules.game.name:
                yield Opening((), format_position(parse_position(" ".join(words))))
            else:
                yield Opening(tuple(_play_all(Position(rules), words)))
        except NotationError as error:
            raise error.moved(line=number - 1) from None
        except IllegalTurn as error:
            raise OpeningError(f"line {number}: {error}") from None


def _play_all(position: PositionLike, tokens: Sequence[str]) -> Iterator[str]:
    for token in tokens:
        turn = parse_turn(token, position.rules, position.player)
        position.play(turn)
        yield format_turn(turn, position.rules)


def begin(rules: Rules, opening: Opening) -> PositionLike:
    """The position after an opening.

    Raises:
        NotationError: it cannot be read.
        IllegalTurn: a turn of it is illegal.
        OpeningError: it has other rules, or leaves nothing to play.
    """
    position = parse_position(opening.position) if opening.position else Position(rules)
    if position.rules != rules:
        raise OpeningError(f"{opening.position}: other rules than the tournament's")
    for _ in _play_all(position, opening.turns):
        pass
    if position.is_over:
        raise OpeningError("an opening is a whole game: say how many of its turns to take")
    return position


def arrange(openings: Sequence[Opening], seed: int | None) -> tuple[Opening, ...]:
    """The openings in their own order, or shuffled by ``seed``."""
    found = list(openings)
    if seed is not None:
        random.Random(seed).shuffle(found)
    return tuple(found)


@attrs.frozen(kw_only=True)
class Generator:
    """Generates random openings that an engine judges balanced.

    Attributes:
        searcher: the engine.
        playouts: of the search that judges an opening.
        turns: the number of turns of an opening.
        fill: the part of the cells that stones fill instead, on random cells; see `draw_start`.
        window: the greatest distance of the winrate from one half.
    """

    searcher: Searcher
    playouts: int = 200
    turns: int = 2
    fill: float | None = None
    window: float = 0.05

    def generate(
        self, rules: Rules, wanted: int, seed: int, found_one: Callable[[], None] | None = None
    ) -> list[Opening]:
        """Different openings, as many as ``wanted``; the same for the same seed on every machine.

        ``found_one`` is called after each.

        Raises:
            OpeningError: too few of the candidates are balanced.
        """
        found: list[Opening] = []
        for attempt in range(wanted * _TRIES):
            if len(found) == wanted:
                break
            opening = self._candidate(rules, derive_seed(seed, attempt))
            if opening is not None and opening not in found:
                found.append(opening)
                if found_one is not None:
                    found_one()
        if len(found) < wanted:
            raise OpeningError(
                f"{len(found)} of {wanted} openings within {self.window:g} of one half: "
                "allow a wider window or fewer openings"
            )
        return found

    def _candidate(self, rules: Rules, seed: int) -> Opening | None:
        position = self._draw(rules, random.Random(seed))
        if position is None:
            return None
        found = self.searcher.search(position, Budget(playouts=self.playouts), seed, lambda: False)
        if found.winrate is None or abs(found.winrate - 0.5) > self.window:
            return None
        turns = tuple(format_turn(turn, rules) for turn in position.history)
        return Opening(turns, None if self.fill is None else start_line(position))

    def _draw(self, rules: Rules, rng: random.Random) -> Position | None:
        if self.fill is not None:
            return draw_start(rules, self.fill, rng)
        position = Position(rules)
        for _ in range(self.turns):
            position.play(rng.choice(list(position.legal_turns())))
            if position.is_over:
                return None
        return position
