"""The ``yoddd`` command and its lazily imported subcommands."""

from __future__ import annotations

import importlib
import platform
import sys
from collections.abc import Mapping
from typing import Any, Final

import click

import yoddd
from yoddd.extras import ExtraMissing

_COMMANDS: Final = (
    "demo",
    "play",
    "serve",
    "ladder",
    "user",
    "store",
    "admin",
    "gtp",
    "analysis",
    "connect",
    "match",
    "tournament",
    "stats",
    "plot",
    "resume",
    "status",
    "pause",
    "stop",
    "set",
    "merge",
    "check",
    "perft",
    "solve",
    "table",
    "puzzles",
    "train",
    "review",
    "report",
    "tune",
    "show",
    "render",
    "convert",
    "bench",
    "setup-shell",
)

_ELSEWHERE: Final[Mapping[str, tuple[str, str]]] = {
    "resume": ("control", "resume"),
    "status": ("control", "status"),
    "pause": ("control", "pause"),
    "stop": ("control", "stop"),
    "set": ("control", "setting"),
    "setup-shell": ("setup_shell", "command"),
}
"""Commands whose module has another name: that name, and the attribute in it."""


class _LazyGroup(click.Group):
    """Imports a subcommand only when it runs: ``yoddd gtp`` must not pay for the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        name, attribute = _ELSEWHERE.get(cmd_name, (cmd_name, "command"))
        module = importlib.import_module(f"yoddd.cli.{name}")
        command = getattr(module, attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module.__name__}.command is no click command")
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().main(*args, **kwargs)
        except ExtraMissing as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(1)
        except OSError as error:  # a full disk or a missing folder needs no traceback
            text = f"{error.filename}: {error.strerror}" if error.filename else error
            click.echo(f"Error: {text}", err=True)
            sys.exit(1)


def _print_version(ctx: click.Context, _option: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        from yoddd.kernel import backend
        from yoddd.protocol.grammar import PROTOCOL

        click.echo(f"yoddd {yoddd.__version__}")
        click.echo(f"protocol {PROTOCOL}")
        click.echo(f"Twisted {version('twisted')}")
        click.echo(f"Python {platform.python_version()}")
        click.echo(f"kernel {backend().name}: {backend().detail}")
        ctx.exit()


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the versions of yoddd, its protocol, Twisted and Python, and the kernel in use.",
)
def main() -> None:
    """Yodd, Xodd, Odd, Yoin and Product: rules, protocol daemon, engine and match referee.

    \b
    Examples:
      yoddd gtp                          the engine on stdin/stdout
      yoddd serve                        the daemon on 127.0.0.1:9633
      yoddd match builtin:uct builtin:random --board hex4
    """
