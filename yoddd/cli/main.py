"""The ``yoddd`` command and its lazily imported subcommands."""

from __future__ import annotations

import errno
import functools
import importlib
import os
import platform
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import click

import yoddd
from yoddd.cli.outputs import with_checked_outputs
from yoddd.extras import ExtraMissing
from yoddd.gone import GONE, REMOVED, removal, warning
from yoddd.suggestions import COMMANDS, did_you_mean, habit
from yoddd.system import use_streams

_SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "Play and serve": {
        "demo": "Watch two engines play a game over TCP",
        "serve": "Serve engines, boards and the page until interrupted",
    },
    "Engines and matches": {
        "match": "Play refereed games between two engines",
        "tournament": "Play the tournament of a TOML file",
        "run": "Control and resume runs",
        "stats": "Print Elo, LOS, tests and ratings of a run",
        "plot": "Plot ratings, tests, lengths and winrates",
        "new-bot": "Write a bot in a language, to begin with",
        "check": "Check an engine against the protocol",
        "connect": "Attach a local engine to a daemon",
        "gtp": "Speak the protocol on standard input and output",
        "analysis": "Answer JSON queries about positions",
        "tune": "Tune parameters of an engine by its games",
    },
    "Records and pictures": {
        "show": "Show positions and the games of files",
        "render": "Draw a position or a game as a picture",
        "convert": "Convert an archive of finished games",
        "review": "Judge every turn of the games in a file",
    },
    "Study and solve": {
        "game": "Say what the rules of a description are, and measure the game",
        "solve": "Find the winner of a position",
        "puzzles": "Play and prove puzzles",
        "perft": "Count the legal sequences of turns",
        "train": "Learn the value of positions by self-play",
    },
    "Set-up": {
        "user": "Manage accounts of users and engines",
        "store": "Manage the database of accounts and games",
        "admin": "Query and control a running daemon",
        "bench": "Measure the speed of this installation",
        "help": "Show the help of a command",
    },
}
"""The commands with what they do, in sections; common ones first."""

_RUN_COMMANDS: Final[Mapping[str, str]] = {
    "status": "Show the standing of a run",
    "pause": "Pause a run; games in play go on to their end",
    "resume": "Resume a run that is paused or has ended",
    "stop": "Stop a run now",
    "set": "Change how many games a run plays at once",
}
"""The commands below ``run``; without it, as before 0.3, they stay for a version, hidden."""

_ELSEWHERE: Final[Mapping[str, tuple[str, str]]] = {
    "tournament": ("match", "tournament"),
    "plot": ("stats", "plot"),
    "new-bot": ("demo", "new_bot"),
    "analysis": ("gtp", "analysis"),
    "render": ("show", "render"),
    "user": ("store", "user"),
    "admin": ("serve", "admin"),
    "resume": ("control", "resume"),
    "status": ("control", "status"),
    "pause": ("control", "pause"),
    "stop": ("control", "stop"),
    "set": ("control", "setting"),
}
"""Commands whose module has another name: that name, and the attribute in it."""


@functools.cache
def _load(name: str) -> click.Command:
    """Import a command."""
    if name in REMOVED:
        return _removed_command(name)
    module_name, attribute = _ELSEWHERE.get(name, (name, "command"))
    module = importlib.import_module(f"yoddd.cli.{module_name}")
    command: click.Command = getattr(module, attribute)
    if not isinstance(command, click.Command):
        raise TypeError(f"{module.__name__}.{attribute} is no click command")
    known = {name for param in command.params for name in param.opts}
    with_checked_outputs(command)
    _refuse_repeats(command)
    command.params += [
        _gone_option(name) for name in GONE if name.startswith("--") and name not in known
    ]
    for key in REMOVED:
        own, _, word = key.partition(" ")
        if own == name and isinstance(command, click.Group):
            command.add_command(_removed_command(key), word)
        elif own == name:
            command.params.append(_removed_option(key))
    return command


def _refuse_repeats(command: click.Command) -> None:
    """Let a command, and those below it, refuse options of which only one can count.

    Click tells only its parser how often an option was given.
    """
    make = command.make_parser

    def make_parser(ctx: click.Context) -> Any:
        parser = make(ctx)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            values, rest, given = parse(args)
            if not ctx.resilient_parsing:
                _check_repeats(ctx, given)
            return values, rest, given

        parser.parse_args = parse_args  # type: ignore[method-assign]
        return parser

    command.make_parser = make_parser  # type: ignore[method-assign]
    for below in getattr(command, "commands", {}).values():
        _refuse_repeats(below)


def _check_repeats(ctx: click.Context, given: list[click.Parameter]) -> None:
    """Refuse two options that set one value; a flag without an opposite may be repeated."""
    seen: set[str | None] = set()
    for option in given:
        if not isinstance(option, click.Option) or option.multiple or option.count:
            continue
        if option.name in seen and not (option.is_flag and not option.secondary_opts):
            names = " or ".join([*option.opts, *option.secondary_opts])
            ctx.fail(f"{names} is given twice, but takes one value")
        seen.add(option.name)


def _removed_command(name: str) -> click.Command:
    """A hidden command that takes anything and says what to use instead."""

    def refuse() -> None:
        raise click.UsageError(removal(name))

    words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED, expose_value=False)
    settings = {"ignore_unknown_options": True, "help_option_names": []}
    return click.Command(name, settings, refuse, [words], hidden=True, add_help_option=False)


def _removed_option(name: str) -> click.Option:
    """A hidden flag that says what to use instead, before its value is taken for an argument."""

    def refuse(_ctx: click.Context, _option: click.Parameter, value: object) -> None:
        if value:
            raise click.UsageError(removal(name))

    word = name.partition(" ")[2]
    kind: dict[str, Any] = {"hidden": True, "is_flag": True, "is_eager": True}
    names = [word, f"removed{word.replace('-', '_')}"]  # its old name may be another's now
    return click.Option(names, expose_value=False, callback=refuse, **kind)


def _gone_option(name: str) -> click.Option:
    """A hidden option that has no effect but a warning."""

    def warn(_ctx: click.Context, _option: click.Parameter, value: object) -> None:
        if value:
            click.echo(f"Warning: {warning(name)}", err=True)

    return click.Option([name], hidden=True, multiple=True, expose_value=False, callback=warn)


def unknown_command(word: str, known: list[str]) -> str:
    """The message about a command that does not exist."""
    ours = COMMANDS.get(word.lower().removeprefix("gogui-").removesuffix("-cli"))
    return f"no command {word!r}{f'; it is {ours!r} here' if ours else did_you_mean(word, known)}"


@contextmanager
def _answering(words: list[str]) -> Iterator[None]:
    """Answer an option of another program, or one with a single dash, with ours.

    What does not print of ``words`` is escaped in errors.
    """
    try:
        yield
    except click.NoSuchOption as error:
        params = error.ctx.command.params if error.ctx else []
        known = {name for param in params for name in param.opts}
        # Of `-engine` click names `-e` alone.
        for word in (word for word in words if word.startswith(error.option_name)):
            ours = f"-{word.partition('=')[0]}"
            if hint := habit(word) or (f"; did you mean {ours!r}?" if ours in known else ""):
                raise click.UsageError(f"no option {word}{hint}", error.ctx) from None
        raise
    except click.ClickException as error:
        from yoddd.notation.text import printable

        text = error.message
        for letter in {*"".join(words)}:  # a file's name may have a line feed, or move the cursor
            text = text.replace(letter, printable(letter))
        error.message = text  # type: ignore[misc]  # its class decides how it is shown
        raise


class _LazyGroup(click.Group):
    """Imports a subcommand only when it runs: ``yoddd gtp`` must not pay for the others."""

    sections = _SECTIONS
    unlisted: Collection[str] = (*_RUN_COMMANDS, *REMOVED)

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return [name for names in self.sections.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = self.commands.get(cmd_name)
        is_known = cmd_name in self.unlisted or cmd_name in self.list_commands(ctx)
        return _load(cmd_name) if own is None and is_known else own

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            ctx.fail(unknown_command(args[0], self.list_commands(ctx)))
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the command, whose words are left."""
        with _answering([*args]):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _answering([*ctx.args]):
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their sections, without importing them."""
        del ctx
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([*names.items()])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        use_streams()
        warnings.formatwarning = lambda message, *_args, **_kwargs: f"Warning: {message}\n"
        try:
            return super().main(*args, **kwargs)
        except ExtraMissing as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(1)
        except OSError as error:  # a full disk or a missing folder needs no traceback
            from yoddd.notation.text import printable

            reason = error.strerror or str(error)
            name = printable(os.fsdecode(error.filename or ""))
            text = f"{name}: {reason}" if name else reason
            if error.filename is None and error.errno in _FULL:  # all other files are named
                text = f"standard output: {text}"
            elif error.filename is None and error.errno == errno.ENOENT:  # of `tempfile` alone
                text = "no folder for temporary files can be written; name one by TMPDIR"
            more = "; raise the limit with `ulimit -n`, or lower --concurrency"
            click.echo(f"Error: {text}{more if error.errno == errno.EMFILE else ''}", err=True)
            _drop_output()
            sys.exit(1)


_FULL: Final = (errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC)
"""The errors of a write that cannot be completed."""


def _drop_output() -> None:
    """Drop what standard output cannot take, which Python would else try again at its exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _RunGroup(_LazyGroup):
    """The commands below ``run``."""

    sections = MappingProxyType({"Commands": _RUN_COMMANDS})
    unlisted = ("merge",)


@click.group("run", cls=_RunGroup)
def _run() -> None:
    """Control or resume a run by its folder.

    A run is what `match --out` and `tournament` write into a folder.

    \b
    Examples:
      yoddd run status games/cup --watch
      yoddd run set games/cup concurrency=4
      yoddd run resume games/cup
    """


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]…")
@click.pass_context
def _help(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of a command, or the list of all commands.

    \b
    Examples:
      yoddd help
      yoddd help match
      yoddd help run status
    """
    found: click.Command = main
    context = click.Context(main, info_name="yoddd", **main.context_settings)
    for word in words:
        below = found.get_command(context, word) if isinstance(found, click.Group) else None
        if below is None:
            known = found.list_commands(context) if isinstance(found, click.Group) else []
            raise click.UsageError(unknown_command(word, known), ctx)
        found = below
        context = click.Context(found, info_name=word, parent=context)
    click.echo(found.get_help(context))


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
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
)
@click.option(
    "--game-file",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Description of a game, which the command then takes by its name; repeatable.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the versions of yoddd, its protocol, Twisted and Python, and the kernel in use.",
)
def main(files: tuple[Path, ...]) -> None:
    """Yodd, Xodd, Odd, Yoin and Product: rules, protocol daemon, engine and match referee.

    \b
    Examples:
      yoddd gtp                          the engine on stdin/stdout
      yoddd serve                        the daemon on 127.0.0.1:9633
      yoddd match builtin:uct builtin:random --board hex4
      yoddd --game-file many.toml match builtin:uct builtin:mcts --game many
      yoddd help match                   the help of a command
    """
    if files:
        from yoddd.cli.options import load_games

        load_games(files)


main.add_command(_run)
main.add_command(_help)
