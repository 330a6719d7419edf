"""A table of one board that is solved in memory."""

from __future__ import annotations

import functools

from yoddd.engine import StopFlag
from yoddd.kernel.sweep import SweptBoard, base_facts, sweep_board
from yoddd.rules import Rules


class Made:
    """A set of one table, which is made when it is needed."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    @functools.cached_property
    def table(self) -> SweptBoard:
        table = sweep_board(self.rules)
        assert table is not None
        return table

    def find(self, rules: Rules, stop: StopFlag | None = None) -> SweptBoard | None:
        del stop
        return self.table if base_facts(rules) == base_facts(self.rules) else None
