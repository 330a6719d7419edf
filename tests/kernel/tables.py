"""Complete tables that are built in memory."""

from __future__ import annotations

from yoddd.engine import StopFlag
from yoddd.kernel.table import Table, build
from yoddd.kernel.table_file import TableError
from yoddd.rules import Rules


class Made:
    """A set of one table, which is built at once."""

    def __init__(self, rules: Rules, *, distances: bool = True) -> None:
        self.rules = rules
        self.data = b"".join(build(rules, "tests", distances=distances))
        self.table = Table(self.data)

    def prepare(self, rules: Rules) -> None:
        """It is ready."""

    def find(self, rules: Rules, stop: StopFlag | None = None) -> Table | None:
        del stop
        return self.table if self.table.holds(rules) else None

    def discard(self, rules: Rules, error: TableError) -> None:
        raise AssertionError(rules, error)
