"""Engines that play by one reading of the rules, with a habit of choosing turns."""

from __future__ import annotations

import random
from typing import Any, Final

import attrs

from tests.referee.conformance.examiner import MemoryEngine
from yoddd.notation import parse_position
from yoddd.referee.conformance.law import Law, Player, law_of
from yoddd.rules import Colour, RulesError, Stone, make_rules

HABITS: Final = ("uniform", "greedy", "first")
"""Any turn at random, one of the most stones, or the first of the list."""

NOISES: Final = ("opening", "fallback", "weights", "slips")
"""How real engines depart from their list: their first turn is always the same, a stone anywhere
takes the place of a pass or a resignation, stones near the centre come first, or one turn in ten
is any turn at all.
"""

COMMANDS: Final = (
    *("name", "version", "protocol_version", "list_commands", "quit", "game", "boardsize"),
    *("clear_board", "play", "genmove"),
)
LISTED: Final = ("position", "undo", "final_score")
"""Commands that the engines may leave out."""


@attrs.frozen
class Bot:
    """The play of an engine.

    Attributes:
        rules: its only game, on its only board.
        law: of its turns.
        habit: one of `HABITS`.
        strict: whether it refuses to play what is illegal by its law.
        listed: the optional commands that it has.
        seed: of its choices.
        noise: one of `NOISES`, or none.
    """

    rules: Any
    law: Law
    habit: str = "uniform"
    strict: bool = True
    listed: tuple[str, ...] = LISTED
    seed: int = 1
    noise: str = ""


class ReadingEngine(MemoryEngine):
    """Such an engine without a process."""

    def __init__(self, *arguments: Any, bot: Bot, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.bot = bot
        self.chance = random.Random(bot.seed)
        self.player = Player(bot.law)

    def serve(self, number: str, command: str, args: list[str]) -> None:
        try:
            known = (*COMMANDS, *self.bot.listed)
            text = getattr(self, f"do_{command}")(*args) if command in known else None
        except (ValueError, TypeError, IndexError, RulesError):
            text = None
        sign = "?" if text is None else "="
        why = "unknown command" if command not in (*COMMANDS, *LISTED) else "illegal move"
        self.write(f"{sign}{number} {why if text is None else text}\n\n".encode())

    def do_list_commands(self) -> str:
        return "\n".join([*COMMANDS, *self.bot.listed])

    def do_game(self, name: str, board: str, *_options: str) -> Any:
        if make_rules(name, board) != self.bot.rules:
            return None
        return self.do_clear_board()

    def do_boardsize(self, _size: str) -> str:
        return self.do_clear_board()

    def do_clear_board(self) -> str:
        self.player = Player(self.bot.law)
        return ""

    def do_position(self, *words: str) -> str:
        line, _, moves = " ".join(words).partition(" moves ")
        self.player = Player(self.bot.law)
        if line != "startpos":
            self.player.set_up(parse_position(line))
        for token in moves.split():
            self.do_play(self.player.mover.letter, token)
        return ""

    def do_play(self, letter: str, token: str) -> Any:
        player = Colour("bw".index(letter[0].lower()))
        turn = self.player.read(token.lower(), player)
        if turn is None or (self.bot.strict and not self.player.allows(player, turn)):
            return None
        self.player.play(player, turn)
        return ""

    def do_genmove(self, letter: str) -> str:
        player = Colour("bw".index(letter[0].lower()))
        turn = self.choose(player)
        if turn is None:
            return "resign"
        self.player.play(player, turn)
        if isinstance(turn, str):
            return turn
        labels, bare = self.bot.law.labels, self.bot.rules.game.own_colour
        return ",".join(
            labels[cell] if bare and colour is player else f"{colour.digit}{labels[cell]}"
            for colour, cell in turn
        )

    def choose(self, player: Colour) -> tuple[Stone, ...] | str | None:
        game, noise = self.player, self.bot.noise
        if noise == "opening" and game.number == 1:
            return (Stone(player, len(game.cells) // 2),)
        if noise == "slips" and self.chance.random() < 0.1:
            return self.anywhere(player)
        turn = self.choose_from_list(player)
        if noise == "fallback" and (turn is None or isinstance(turn, str)):
            return self.anywhere(player) or turn
        if noise == "weights" and isinstance(turn, tuple):
            others = [one for one in (self.drop(player) for _ in range(3)) if one is not None]
            middle = len(game.cells) / 2
            return min(
                [turn, *others], key=lambda one: sum(abs(stone.cell - middle) for stone in one)
            )
        return turn

    def anywhere(self, player: Colour) -> tuple[Stone, ...] | None:
        """The player's own stones on empty cells, as few as the law allows."""
        empty = [cell for cell, content in enumerate(self.player.cells) if content is None]
        few = self.player.sizes[0]
        cells = sorted(self.chance.sample(empty, few)) if len(empty) >= few else []
        return tuple(Stone(player, cell) for cell in cells) or None

    def choose_from_list(self, player: Colour) -> tuple[Stone, ...] | str | None:
        game = self.player
        words = [word for word in ("pass", "swap") if game.allows(player, word)]
        if words and self.bot.habit == "uniform" and self.chance.random() < 0.2:
            return self.chance.choice(words)
        drop = None if game.is_over else self.drop(player)
        return drop or (words[0] if words else None)

    def drop(self, player: Colour) -> tuple[Stone, ...] | None:
        game, habit = self.player, self.bot.habit
        if habit == "first":
            return next(game.drops(player), None)
        sizes = [*game.sizes]
        self.chance.shuffle(sizes)
        empty = [cell for cell, content in enumerate(game.cells) if content is None]
        for size in sorted(sizes, reverse=True) if habit == "greedy" else sizes:
            for _ in range(60 if size <= len(empty) else 0):
                cells = self.chance.sample(empty, size)
                drop = tuple(sorted(Stone(self.chance.choice((*Colour,)), one) for one in cells))
                if game.fits(player, drop):
                    return drop
            drops = [*game.drops(player, size)]
            if drops:
                return self.chance.choice(drops)
        return None

    def do_undo(self) -> str:
        self.player.undo()
        return ""

    def do_final_score(self) -> str | None:
        return self.player.score() or None


def right_bot(rules: Any, **more: Any) -> Bot:
    """An engine that plays by the rules."""
    return Bot(rules, law_of(rules), **more)
