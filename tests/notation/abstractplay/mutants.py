"""Mutants of the rules: a file, what stands there, and what the mutant has instead."""

from __future__ import annotations

from typing import Final

POSITION: Final = "rules/position.py"
SCORING: Final = "rules/scoring.py"
GROUPS: Final = "rules/groups.py"
SHARED: Final = "rules/shared.py"
GAMES: Final = "rules/games.py"
GEOMETRY: Final = "board/geometry.py"

MUTANTS: Final = (
    # The end of the game.
    (SHARED, "LAST_PASS: Final = 2", "LAST_PASS: Final = 1"),
    (SHARED, "LAST_PASS: Final = 2", "LAST_PASS: Final = 3"),
    (POSITION, "(self.rules.end_on_full and self.is_full)", "False"),
    (POSITION, "return None not in self._cells", "return self._cells.count(None) <= 1"),
    (POSITION, "self.passes + 1 if turn.kind is TurnKind.PASS else 0", "0"),
    (POSITION, "if turn.kind is TurnKind.PASS else 0\n", "if True else 0\n"),
    (POSITION, "is TurnKind.PASS else 0\n", "is TurnKind.PASS else self.passes\n"),
    # The turns.
    (POSITION, "if not self.rules.has_pass:", "if False:"),
    (
        POSITION,
        "if total % 2 == 0:\n            return EvenTotal",
        "if total % 2:\n            return EvenTotal",
    ),
    (
        POSITION,
        "if total % 2 == 0:\n            return EvenTotal",
        "if False:\n            return EvenTotal",
    ),
    (
        POSITION,
        "if total % 2 == 0:\n                return",
        "if total % 2:\n                return",
    ),
    (POSITION, "if total % 2 == 0:\n                return", "if False:\n                return"),
    (POSITION, "if len(stones) not in self._sizes:", "if False:"),
    (POSITION, "if self._cells[stone.cell] is not None:", "if False:"),
    (POSITION, "if self.rules.only_own and stone.colour", "if stone.colour"),
    (
        POSITION,
        "if self.rules.game.odd_total:\n            total = len(self._g",
        "if True:\n            total = len(self._g",
    ),
    (
        POSITION,
        "cells[stone.cell] = stone.colour\n        return",
        "cells[stone.cell] = self.player\n        return",
    ),
    (
        POSITION,
        "self._cells[stone.cell] = stone.colour\n",
        "self._cells[stone.cell] = self.player\n",
    ),
    (POSITION, "self.number += 1", "self.number += 0"),
    (GAMES, "        if number == 1:\n            return range(1, 2)\n", ""),
    (
        GAMES,
        "if number == 1:\n            return range(1, 2)",
        "if number <= 2:\n            return range(1, 2)",
    ),
    (GAMES, "range(self.game.min_stones,", "range(1,"),
    # Groups and neighbours.
    (GROUPS, "if cells[neighbour] == cells[start] and", "if cells[neighbour] is not None and"),
    (GROUPS, "colour is not None and cell not in seen", "colour is not None"),
    (GROUPS, "                frontier.append(neighbour)\n", ""),
    (GEOMETRY, "for a, b in steps if", "for a, b in steps[1:] if"),
    (GEOMETRY, "for a, b in steps if", "for a, b in steps[:4] if"),
    (GEOMETRY, "{q + n - max(0, -r)}", "{q + n}"),
    # Who has won.
    (SCORING, "(Colour.BLACK if black < white", "(Colour.BLACK if black > white"),
    (
        SCORING,
        "return (\n        sum(colour is Colour.BLACK and size > larger_than",
        "return (\n        sum(colour is Colour.BLACK and size > 1",
    ),
    (SCORING, "reverse=True", "reverse=False"),
    (SCORING, "[int(options.one_group)] * 2", "[1] * 2"),
    (SCORING, "[int(options.one_group)] * 2", "[0] * 2"),
    (SCORING, "products.append(largest * second)", "products.append(largest + second)"),
    (SCORING, "winner = Colour.BLACK if black > white", "winner = Colour.BLACK if black < white"),
    (SCORING, 'options.tie == "black"', 'options.tie == "white"'),
)
