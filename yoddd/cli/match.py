"""``yoddd match``: refereed games between two engines."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import attrs
import click

from yoddd.cli.options import (
    ADDRESS,
    CLOCK,
    complete_engines,
    game_options,
    launch_option,
    no_shards,
    run_options,
    setting,
    setting_options,
)
from yoddd.defaults import ENGINES_FILE, LAUNCH
from yoddd.rules import Rules

if TYPE_CHECKING:
    from yoddd.referee.config import TournamentConfig

_FILE: Final = click.Path(exists=True, dir_okay=False)
_SOME: Final = click.IntRange(1)
_ANY: Final = click.IntRange(0)
_CRASH: Final = click.Choice(["loss", "void", "stop"])
_EARLY: Final = click.Choice(["none", "tables"])

_EACH: Final[dict[str, Any]] = {"multiple": True, "metavar": "KEY=VALUE"}

_RESIGN: Final = "Let an engine resign that has rated itself at P or less for N of its turns."
_WIN: Final = "End a game that both engines have rated at P or more for one side, N turns long."
_RATED: Final = "movecount=N,score=P"
_FILL: Final = "Part of the cells that a generated opening fills at random."
_TABLES: Final = "Whether a game on a small board, which is solved, ends with the winner."
_FAULT: Final = "Result of a crash: a loss, a void game, or the end of the match."
_AGREE: Final = "First turn after which both engines are asked for the winner."
_HERE: Final = "Endpoint where tcp:NAME engines connect to this program."
_THERE: Final = "Daemon that tcp:NAME engines are attached to."
_WAIT: Final = "Seconds to wait for tcp:NAME engines before the first game."
_NAMED: Final = f"File of engines that conf:NAME takes.  [default: {ENGINES_FILE}]"

_SETTINGS: Final = (
    setting("--games", "games", "Number of games.  [default: 2]", _SOME),
    setting("--pairs", "pairs", "Number of pairs of games with swapped seats.", _SOME),
    setting("--seed", "seed", "Seed of the match.", _ANY, 0),
    setting("--clock", "clock", "Time control, such as 60+1 or move=5.", CLOCK, "none"),
    setting("--concurrency", "concurrency", "Number of games at once.", _SOME, 1),
    setting("--affinity", "affinity", "Pin each running game to CPUs of its own.", is_flag=True),
    setting("--ponder/--no-ponder", "ponder", "Let the engines ponder, or not."),
    setting("--each", "each", "Setting of each engine; repeatable.", **_EACH),
    setting("--first", "first", "Setting of the first engine; repeatable.", **_EACH),
    setting("--second", "second", "Setting of the second engine; repeatable.", **_EACH),
    setting("--openings", "openings.file", "File of openings: .sgf, .jsonl, or lines.", _FILE),
    setting("--fill", "openings.fill", _FILL, click.FloatRange(0, 1)),
    setting("--generate", "openings.generate", "Number of balanced openings to generate.", _SOME),
    setting("--opening-turns", "openings.turns", "Number of turns of an opening.", _ANY),
    setting("--shuffle", "openings.shuffle", "Shuffle the openings by the seed.", is_flag=True),
    setting("--sprt", "sprt", "Sequential test that ends the match.", metavar="elo0=A,elo1=B[,…]"),
    setting("--on-crash", "on_crash", _FAULT, _CRASH, "loss"),
    setting("--adjudicate", "adjudicate", _TABLES, _EARLY, "none"),
    setting("--max-turns", "adjudication.turns", "Turns after which the board is scored.", _SOME),
    setting("--solve", "adjudication.solve", "Empty cells at which the winner is proved.", _SOME),
    setting(
        "--resign", "adjudication.resign", _RESIGN, metavar="movecount=N,score=P[,twosided=on]"
    ),
    setting("--win", "adjudication.win", _WIN, metavar=_RATED),
    setting("--agree", "adjudication.agree", _AGREE, _SOME),
    setting("--listen", "listen", _HERE, metavar="ENDPOINT"),
    setting("--daemon", "daemon", _THERE, ADDRESS, "127.0.0.1:9633"),
    setting("--wait", "wait", _WAIT, _ANY, 30),
    setting("--absence", "limits.absence", "Seconds that an engine may be absent.", _ANY, 30),
    setting("--window", "limits.resume", "Seconds to reconnect during a game.", _ANY, 0),
    setting("--engines", "engines", _NAMED, _FILE),
)
"""The keys of a tournament with the options that set them; ``first`` and ``second`` are engines."""


def _read(
    rules: Rules, commands: tuple[str, str], launch: float, given: dict[str, Any]
) -> TournamentConfig:
    """The match that the options describe, with the engines that ``conf:NAME`` stands for.

    Raises:
        ConfigError: a setting that is none, or settings that contradict each other.
    """
    from yoddd.daemon.runs.preparation import is_attached, take_engines
    from yoddd.referee.config import engine_values, read_config

    if "games" not in given:
        given["games"] = 2 * given.pop("pairs", 1)
    (host, port), wait = given.pop("daemon"), given.pop("wait")
    each, *own = (engine_values(given.pop(key, ())) for key in ("each", "first", "second"))
    raw: dict[str, Any] = {
        "game": rules.game.name,
        "board": rules.geometry.name,
        "options": dict(rules.chosen_options()),
        "each": each,
        "engine": [{**one, "engine": text} for one, text in zip(own, commands, strict=True)],
        "limits": {"launch": launch},
    }
    for key, value in given.items():
        table, _, name = key.rpartition(".")
        (raw.setdefault(table, {}) if table else raw)[name] = value
    config = take_engines(read_config(raw), Path())
    if config.listen is None and any(is_attached(one) for one in config.engine):
        return attrs.evolve(config, daemon=f"{host}:{port}", wait=wait)
    return config


@click.command("match")
@click.argument("engines", nargs=2, metavar="ENGINE ENGINE", shell_complete=complete_engines)
@game_options
@setting_options(_SETTINGS)
@launch_option(default=LAUNCH)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False, writable=True),
    help="Folder for games.jsonl, an SGF file per game and reports; a run in it is resumed.",
)
@no_shards
@click.option("--boards", is_flag=True, help="Show the board after every turn.")
@run_options
def command(
    engines: tuple[str, str],
    rules: Rules,
    settings: dict[str, Any],
    launch: float,
    out: Path | None,
    boards: bool,
    **options: Any,
) -> None:
    """Play refereed games between two engines, which alternate colours.

    An ENGINE is a command line, a builtin engine (builtin:random, builtin:uct, and with the native
    kernel builtin:mcts), conf:NAME for one of the file of engines, or tcp:NAME for one that
    connects: to this program with --listen, else to a daemon. Each engine is started once before
    the first game; if one cannot play or refuses a parameter, the match does not begin. Exits with
    status 0 when every game has a result, with 1 when one has none, with 3 when the match was
    stopped; see the manual.

    \b
    Examples:
      yoddd match builtin:uct builtin:random --game yodd --board hex4 --games 2 --seed 7
      yoddd match './my-bot --level 3' builtin:uct --board hex6 --pairs 10 --out games/first
      yoddd match ./new ./old --each clock=10+0.1 --sprt elo0=0,elo1=10 --pairs 500 --concurrency 2
      yoddd match tcp:alice tcp:bob --daemon 127.0.0.1:9633 --clock 60+1
    """
    from yoddd.cli.playing import PlayOptions, play_new
    from yoddd.referee.config import ConfigError, EngineFault

    shown = PlayOptions(boards=boards, keep=out is not None, **options)
    with ExitStack() as stack:
        try:
            wanted = _read(rules, engines, launch, settings)
            where = out or Path(stack.enter_context(TemporaryDirectory(prefix="yoddd-")))
            status = play_new(wanted, Path(), where, shown)
        except EngineFault as fault:
            raise click.ClickException(str(fault)) from None
        except ConfigError as error:
            raise click.UsageError(str(error)) from None
    sys.exit(status)
