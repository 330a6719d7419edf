"""``yoddd match`` and ``yoddd tournament``: refereed games between engines."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import attrs
import click

from yoddd.cli.files import EXISTING_FILE
from yoddd.cli.options import (
    ADDRESS,
    CLOCK,
    PlayOptions,
    complete_engines,
    game_options,
    launch_option,
    play_options,
    setting_options,
)
from yoddd.cli.outputs import OUTPUT_FOLDER
from yoddd.defaults import ENGINES_FILE, LAUNCH
from yoddd.referee.tournament.config import (
    ConfigError,
    EngineFault,
    TournamentConfig,
    engine_values,
    read_config,
)
from yoddd.rules import Rules

_FILE: Final = click.Path(exists=True, dir_okay=False)
_ENGINE: Final = {"metavar": "KEY=VALUE"}


@attrs.frozen(kw_only=True)
class _Match(TournamentConfig):
    """The keys of a tournament, with words for all engines, the first one and the second one."""

    each: tuple[str, ...] = ()  # type: ignore[assignment]  # as KEY=VALUE
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()


_SETTINGS: Final[Mapping[str, str | Mapping[str, Any]]] = {
    "games": "Number of games.  [default: 2]",
    "pairs": {
        "text": "Number of pairs of games with swapped seats.",
        "least": 1,
        "default": None,
    },
    "seed": {"text": "Seed of the match.", "least": 0},
    "clock": {"text": "Time control, such as 60+1 or move=5.", "type": CLOCK},
    "concurrency": "Number of games at once.",
    "affinity": "Pin each running game to CPUs of its own.",
    "ponder": {"text": "Let the engines ponder, or not.", "name": "--ponder/--no-ponder"},
    "each": {"text": "Setting of each engine; repeatable.", **_ENGINE},
    "first": {"text": "Setting of the first engine; repeatable.", **_ENGINE},
    "second": {"text": "Setting of the second engine; repeatable.", **_ENGINE},
    "openings.file": {
        "text": "File of openings: .sgf, .jsonl, or lines.",
        "name": "--openings",
        "type": _FILE,
    },
    "openings.fill": "Part of the cells that a generated opening fills at random.",
    "openings.generate": "Number of balanced openings to generate.",
    "openings.turns": {"text": "Number of turns of an opening.", "name": "--opening-turns"},
    "openings.shuffle": "Shuffle the openings by the seed.",
    "sprt": {
        "text": "Sequential test that ends the match.",
        "metavar": "elo0=A,elo1=B[,…]",
    },
    "on_crash": "Result of a crash: a loss, a void game, or the end of the match.",
    "adjudicate": "Whether a game on a small board, which is solved, ends with the winner.",
    "adjudication.turns": {
        "text": "Turns after which the board is scored.",
        "name": "--max-turns",
    },
    "adjudication.solve": "Empty cells at which the winner is proved.",
    "adjudication.resign": {
        "text": "Let an engine resign that has rated itself at P or less for N of its turns.",
        "metavar": "movecount=N,score=P[,twosided=on]",
    },
    "adjudication.win": {
        "text": "End a game that both engines have rated at P or more for one side, N turns long.",
        "metavar": "movecount=N,score=P",
    },
    "adjudication.agree": "First turn after which both engines are asked for the winner.",
    "listen": {
        "text": "Endpoint where tcp:NAME engines connect to this program.",
        "metavar": "ENDPOINT",
    },
    "daemon": {
        "text": "Daemon that tcp:NAME engines are attached to.",
        "type": ADDRESS,
        "default": "127.0.0.1:9633",
    },
    "wait": {
        "text": "Seconds to wait for tcp:NAME engines before the first game.",
        "default": 30,
    },
    "limits.absence": {"text": "Seconds that an engine may be absent.", "default": 30},
    "limits.resume": {
        "text": "Seconds to reconnect during a game.",
        "name": "--resume",
        "default": 0,
    },
    "engines": {
        "text": f"File of engines that conf:NAME takes.  [default: {ENGINES_FILE}]",
        "type": _FILE,
    },
}
"""The keys of a match that options set: their help, and what the option has of its own."""


def _read(
    rules: Rules, commands: tuple[str, str], launch: float, given: dict[str, Any]
) -> TournamentConfig:
    """The match that the options describe, with the engines that ``conf:NAME`` stands for.

    Raises:
        ConfigError: a setting that is none, or settings that contradict each other.
    """
    from yoddd.daemon.runs.preparation import is_attached, take_engines

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
@setting_options(_Match, _SETTINGS, defaults=True)
@launch_option(default=LAUNCH)
@click.option(
    "--out",
    type=OUTPUT_FOLDER,
    help="Folder for games.jsonl, an SGF file per game and reports; a run in it is resumed.",
)
@click.option("--boards", is_flag=True, help="Show the board after every turn.")
@play_options
def command(
    engines: tuple[str, str],
    rules: Rules,
    settings: dict[str, Any],
    launch: float,
    out: Path | None,
    boards: bool,
    shown: PlayOptions,
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
    from yoddd.cli.playing import play_new

    shown = attrs.evolve(shown, boards=boards, keep=out is not None)
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


@click.command("tournament")
@click.argument("file", type=EXISTING_FILE)
@click.option(
    "--out",
    type=OUTPUT_FOLDER,
    help="Folder of the run.  [default: games/ and the name of FILE]",
)
@click.option(
    "--concurrency", type=click.IntRange(1), help="Number of games at once.  [default: as in FILE]"
)
@launch_option()
@play_options
def tournament(
    file: Path,
    out: Path | None,
    concurrency: int | None,
    launch: float | None,
    shown: PlayOptions,
) -> None:
    """Play the tournament that a TOML file describes, or resume it.

    The folder contains games.jsonl and the files that are made from it: an SGF file per game, a
    folder for each fault, report.txt, report.json and report.html. Exits with status 0 when every
    game has a result, 1 when one has none, 3 when the run was stopped, 4 when a crash stopped it
    (on_crash = "stop").

    \b
    Examples:
      yoddd tournament cup.toml
      yoddd tournament cup.toml --out games/cup --concurrency 4
      yoddd tournament cup.toml --events - | tee events.jsonl
    """
    from yoddd.cli.playing import play_new
    from yoddd.notation import NotationError
    from yoddd.notation.text import read_text
    from yoddd.referee.tournament.config import ConfigError, EngineFault, parse_toml

    try:
        config = parse_toml(read_text(file))
        if concurrency is not None:
            config = attrs.evolve(config, concurrency=concurrency)
        if launch is not None:
            config = attrs.evolve(config, limits=attrs.evolve(config.limits, launch=launch))
        where = out or Path("games", file.stem)
        sys.exit(play_new(config, file.parent, where, shown))
    except EngineFault as fault:
        raise click.ClickException(str(fault)) from None
    except (ConfigError, NotationError) as error:
        raise click.UsageError(f"{file}: {error}") from None
