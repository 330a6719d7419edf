"""The parameter type of time controls; it imports the referee when it reads one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from yoddd.referee import TimeControl

_USUAL: Final = ("none", "60+1", "300+3", "600,byoyomi=3x30", "move=1", "move=5", "40/60")
"""The time controls that completion offers."""


class _Clock(click.ParamType["TimeControl"]):
    """A time control."""

    name = "clock"

    def convert(
        self,
        value: str | TimeControl,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> TimeControl:
        from yoddd.referee.clock import ClockError, parse_clock

        try:
            return parse_clock(value) if isinstance(value, str) else value
        except ClockError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        del ctx, param
        return [CompletionItem(text) for text in _USUAL if text.startswith(incomplete)]


CLOCK: Final = _Clock()
"""The parameter type of a time control."""
