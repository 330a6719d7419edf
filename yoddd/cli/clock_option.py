"""The parameter type of time controls; a module of its own because it imports the referee."""

from __future__ import annotations

from typing import Final

import click

from yoddd.referee import ClockError, TimeControl, parse_clock


class _Clock(click.ParamType[TimeControl]):
    """A time control."""

    name = "clock"

    def convert(
        self,
        value: str | TimeControl,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> TimeControl:
        try:
            return value if isinstance(value, TimeControl) else parse_clock(value)
        except ClockError as error:
            self.fail(str(error), param, ctx)


CLOCK: Final = _Clock()
"""The parameter type of a time control."""
