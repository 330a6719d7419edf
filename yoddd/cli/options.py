"""Options that several subcommands share."""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, get_args, get_origin

import attrs
import click
from click.shell_completion import CompletionItem

from yoddd.cli.outputs import OUTPUT_FOLDER, check_output
from yoddd.kernel import backend
from yoddd.notation import NotationError
from yoddd.notation.text import read_pairs, read_text
from yoddd.rules import (
    GAMES,
    DescriptionError,
    Rules,
    RulesError,
    load_game_files,
    make_rules,
)
from yoddd.suggestions import did_you_mean

if TYPE_CHECKING:
    from yoddd.referee import TimeControl
    from yoddd.rules.game import Game

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

BOARDS: Final = (*(f"hex{n}" for n in range(2, 14)), *(f"square{n}" for n in range(2, 26)))
"""The boards that completion offers."""


def _beginning(names: Iterable[str], word: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(word)]


def complete_boards(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The boards that begin with what was typed."""
    return _beginning(BOARDS, incomplete)


class Words(click.ParamType[Any]):
    """A parameter type whose values a function reads from text."""

    def __init__(
        self,
        name: str,
        read: Callable[[str], Any],
        offer: Callable[[str], Iterable[str]] = lambda _word: (),
    ) -> None:
        """Call it ``name``; ``read`` raises ValueError, and ``offer`` has words to complete one."""
        self.name = name
        self._read = read
        self._offer = offer

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value of a text; a default may be one already."""
        try:
            return self._read(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The words that begin with what was typed."""
        return _beginning(self._offer(incomplete), incomplete)


def _clock(text: str) -> TimeControl:
    from yoddd.referee.game.clock import parse_live_clock

    return parse_live_clock(text)


_USUAL: Final = ("none", "60+1", "300+3", "600,byoyomi=3x30", "move=1", "move=5", "40/60")

CLOCK: Final = Words("clock", _clock, lambda _word: _USUAL)
"""The parameter type of a time control."""


def _game(text: str) -> tuple[str, str | None]:
    game, _, board = text.partition("@")
    if game.lower() not in GAMES:
        names = ", ".join(GAMES)
        near = did_you_mean(game, GAMES) or "; `yoddd --game-file FILE` adds another"
        raise ValueError(f"{game!r}: expected one of {names}{near}")
    return game.lower(), board or None


def _games(word: str) -> Iterable[str]:
    game, at, _ = word.partition("@")
    return [f"{game}@{board}" for board in BOARDS] if at and game in GAMES else GAMES


GAME: Final = Words("game[@board]", _game, _games)
"""The parameter type of a game with or without its board."""


def complete_engines(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The builtin engines, the engines of the engines file, and the files that complete a word."""
    names = [f"builtin:{name}" for name in ("mcts", "uct", "random")]
    with suppress(OSError, ValueError, RecursionError):
        engines = tomllib.loads(read_text(Path("engines.toml"))).get("engine", [])
        names += [f"conf:{one['name']}" for one in engines if isinstance(one.get("name"), str)]
    return _beginning(names, incomplete) or [CompletionItem(incomplete, type="file")]


def say_without_kernel() -> None:
    """Say on standard error that the native kernel is missing, if it is."""
    if not backend().is_native:
        click.echo(f"{backend().detail}; without it there is no engine and no analysis", err=True)


def say_aside(text: str) -> None:
    """Print a line on standard error."""
    click.echo(text, err=True)


def load_games(files: Iterable[str | Path]) -> list[Game]:
    """Put the games of files in force, and return them.

    Raises:
        click.UsageError: one is refused or cannot be read.
    """
    try:
        return load_game_files(map(Path, files))
    except DescriptionError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from None


def board_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--game`` and ``--board``; see `one_board`."""
    named = "Game, also with its board, such as yodd@hex6."
    text = "Board, such as hex6 or square9.  [default: the game's own]"
    board = click.option("--board", shell_complete=complete_boards, help=text)
    return click.option("--game", type=GAME, default="yodd", help=named)(board(function))


def game_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--game``, ``--board`` and ``--option``; the function gets them as ``rules``."""
    text = "Option of the game; repeatable."
    more = click.option("--option", "chosen", multiple=True, metavar="NAME=VALUE", help=text)

    def rules(given: dict[str, Any]) -> dict[str, Any]:
        game, board = given.pop("game"), given.pop("board")
        return {"rules": read_rules(game[0], one_board(game, board), given.pop("chosen"))}

    return _add([board_options, more], rules)(function)


def one_board(game: tuple[str, str | None], board: str | None = None) -> str | None:
    """The board that ``GAME@BOARD`` or ``--board`` names.

    Raises:
        click.UsageError: they name two.
    """
    if board and game[1] and board != game[1]:
        raise click.UsageError(f"{game[0]}@{game[1]} and {board}: name one board")
    return board or game[1]


def read_rules(game: str, board: str | None, settings: Iterable[str]) -> Rules:
    """The rules that a game, a board and ``NAME=VALUE`` words name.

    Raises:
        click.UsageError: there is no such board or option, or it does not fit.
    """
    try:
        return make_rules(game, board, read_pairs(settings, "NAME=VALUE"))
    except NotationError as error:
        raise click.UsageError(f"option {error.reason}") from None
    except RulesError as error:
        raise click.UsageError(str(error)) from None


# -- options of commands from the fields of classes -------------------------------------------


def option(text: str, name: str = "", **attributes: Any) -> Any:
    """Return an attrs field that an option of a command sets; see `class_options`.

    Args:
        text: the help of the option.
        name: its name, where that is not the field's.
        attributes: of `click.option`, besides the type that the field tells, and the bounds
            ``least`` and ``most`` of a number.
    """
    about = {"text": text, "name": name, **attributes}
    return attrs.field(default=attributes.get("default"), metadata=about)


def added_by(decorator: Decorator) -> Any:
    """Return an attrs field that is set by what a decorator adds under the name of the field."""
    return attrs.field(default=None, metadata={"decorator": decorator})


def class_options(parameter: str, values: type) -> Decorator:
    """Add the options that are the fields of an attrs class; the function gets a value of it."""
    fields = {name: field for name, field in _fields(values).items() if field.metadata}
    options = [
        field.metadata.get("decorator") or _click_option(field, name, **field.metadata)
        for name, field in fields.items()
    ]
    return _add(options, lambda given: {parameter: values(**{x: given.pop(x) for x in fields})})


def setting_options(
    values: type, settings: Mapping[str, str | Mapping[str, Any]], *, defaults: bool = False
) -> Decorator:
    """Add options for keys of a configuration; the function gets those given, as ``settings``.

    Args:
        values: the attrs class of the configuration.
        settings: by key the help of its option, or more of what `option` takes.
        defaults: whether the defaults of the class are given where the options are not.
    """
    options, names = [], {key: f"set_{key.replace('.', '_of_')}" for key in settings}
    for key, about in settings.items():
        *tables, name = key.split(".")
        table = values
        for one in tables:
            table = _fields(table)[one].type
        field = _fields(table)[name]
        own = {"text": about} if isinstance(about, str) else about
        known = {bound: field.metadata.get(bound) for bound in ("least", "most")}
        if defaults:
            known["default"] = field.default
        options.append(_click_option(field, names[key], **{**known, **own}))
    return _add(
        options,
        lambda given: {
            "settings": {
                key: value
                for key, name in names.items()
                if (value := given.pop(name)) not in (None, ())
            }
        },
    )


def _fields(values: Any) -> dict[str, Any]:
    return attrs.fields_dict(attrs.resolve_types(values))


def _add(options: list[Decorator], collect: Callable[[dict[str, Any]], Any]) -> Decorator:
    """Add options in their order; the function gets what ``collect`` takes of their values."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **given: Any) -> Any:
            return function(*args, **collect(given), **given)

        found: Callable[..., Any] = wrapper
        for add in reversed(options):
            found = add(found)
        return found

    return decorate


def _click_option(
    field: attrs.Attribute[Any],
    parameter: str,
    *,
    text: str,
    name: str = "",
    least: Any = None,
    most: Any = None,
    **attributes: Any,
) -> Decorator:
    """The option that sets a field: its type, and whether it is repeatable, are the field's."""
    kind = (get_args(field.type) or (field.type,))[0]
    attributes.setdefault("default", None)  # a flag that is not given is False to click
    if kind is bool:
        attributes["is_flag"] = True
    elif isinstance(kind, type) and issubclass(kind, StrEnum):
        attributes["type"] = click.Choice([one.value for one in kind])
        attributes["default"] = str(attributes["default"])
    elif kind in _RANGES and "type" not in attributes:
        bounded = (least, most) != (None, None)
        attributes["type"] = _RANGES[kind](least, most) if bounded else kind
    return click.option(
        *(name or f"--{field.name.replace('_', '-')}").split(),
        parameter,
        help=text,
        multiple=get_origin(field.type) is tuple,
        **attributes,
    )


def thread_count(text: str) -> int:
    """A number of threads; 0 for ``auto``."""
    return 0 if text == "auto" else int(click.IntRange(1)(text))


@attrs.frozen
class Workers:
    """The workers that a command spreads its work over.

    Attributes:
        cluster: the address of a scheduler; None for this machine.
        processes: how many calls this machine carries out at once.
    """

    cluster: str | None
    processes: int


cluster_option: Final = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Address of the dask scheduler whose workers do the work.",
)
"""Adds ``--cluster``, the same in all commands that spread their work."""


def workers_options(
    processes: int, text: str = "Processes of this machine, without --cluster."
) -> Decorator:
    """Add ``--concurrency`` and ``--cluster``; the function gets them as ``workers``.

    Args:
        processes: how many by default.
        text: the help of ``--concurrency``.
    """
    kind = click.IntRange(1, 256)
    own = click.option("--concurrency", "processes", type=kind, default=processes, help=text)
    names = ("cluster", "processes")
    return _add(
        [own, cluster_option],
        lambda given: {"workers": Workers(**{name: given.pop(name) for name in names})},
    )


class EngineCommand(click.Command):
    """A command whose last argument is an engine's command line, with all words after it.

    Options stand before that, also after an argument that precedes it.
    """

    allow_interspersed_args = False

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the words that belong to this command; the rest is the engine's."""
        options = [one for one in self.params if isinstance(one, click.Option)]

        def engine_words() -> list[str]:
            return click.Command(None, params=[*options]).make_parser(ctx).parse_args([*args])[1]

        leading = list[str]()
        while (words := engine_words()) and len(leading) < len(self.params) - len(options) - 1:
            leading.append(args.pop(-len(words)))
        place = len(args) - len(words)
        args[place:place] = leading
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            found = error.format_message().rstrip(".") + passed_on(words)
            raise click.UsageError(found, ctx) from None


def passed_on(words: Iterable[str]) -> str:
    """Return ``; … was passed on`` for an engine's word that is an option of this command too."""
    ctx = click.get_current_context()
    ours = {name for param in ctx.command.get_params(ctx) for name in param.opts}
    for word in words:
        name = word.partition("=")[0]
        if name.startswith("-") and name in ours:
            place = f"options of `{ctx.command_path}` stand before COMMAND"
            return f"; {name} was passed on to the engine: {place}"
    return ""


def launch_option(default: float | None = None) -> Callable[..., Any]:
    """Add ``--launch``, the same in all commands that start engines."""
    return click.option(
        "--launch",
        type=NumberRange(0, min_open=True),
        default=default,
        help="Seconds for an engine to start and to complete its handshake."
        + ("" if default is not None else "  [default: as in FILE, else 60]"),
    )


def _make_folder(
    _context: click.Context, _option: click.Parameter, path: Path | None
) -> Path | None:
    try:
        if path is not None:
            check_output(path)
            path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}") from None
    return path


log_option: Final = click.option(
    "--log",
    type=OUTPUT_FOLDER,
    callback=_make_folder,
    metavar="DIR",
    help="Folder for logs of every byte to and from each engine, and of its standard error.",
)
"""Adds ``--log``, the same in all commands that start engines."""


class NumberRange(click.FloatRange):
    """A range of numbers without NaN, which click's own range lets through."""

    def convert(
        self, value: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, within its bounds."""
        found = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value!r} is not a number", param, ctx)
        return found


_RANGES: Final = {int: click.IntRange, float: NumberRange}


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and 0 < int(port[:6]) <= _MAX_PORT):
        raise ValueError(f"{text!r}: expected HOST:PORT")
    return host.strip("[]"), int(port)


_MAX_PORT: Final = 65535
ADDRESS: Final[click.ParamType[tuple[str, int]]] = Words("host:port", _address)
"""The parameter type of a daemon's address."""


@attrs.frozen(kw_only=True)
class PlayOptions:
    """Options of playing and showing games, the same in all commands that play a run.

    Attributes:
        cluster: the scheduler whose workers play; None for this process.
        events: where the event stream goes; on standard output it sends the display to standard
            error.
        quiet: whether only the end of the run is shown.
        output: whose lines are printed: ``plain`` for ours, or those of ``cutechess``.
        every: games between two status lines where they go to no terminal: by default those of a
            pair.
        log: the folder where every byte to and from engines is logged; None for none.
        boards: whether the board is shown after every turn.
        keep: whether the folder stays, so that it is worth naming and reporting in.
    """

    cluster: str | None = added_by(cluster_option)
    events: IO[str] | None = option(
        "File for a JSON line per event; - for stdout.", type=click.File("w")
    )
    quiet: bool = option("Show only the end of the run.", "-q --quiet", default=False)
    output: str = option(
        "Lines to print: our own, or those of cutechess-cli for tools that read them.",
        "--format",
        type=click.Choice(["plain", "cutechess"]),
        default="plain",
    )
    every: int = option(
        "Games between two lines on the standing, where the output is no terminal.",
        least=1,
        default=2,
        metavar="N",
    )
    log: Path | None = added_by(log_option)
    boards: bool = False
    keep: bool = True


play_options: Final = class_options("shown", PlayOptions)
