"""``yoddd match``: refereed games between two engines."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import attrs
import click

from yoddd.cli.clock_option import CLOCK
from yoddd.cli.events import events_option
from yoddd.cli.options import (
    ADDRESS,
    cluster_option,
    collect_options,
    complete_engines,
    display_options,
    game_options,
    launch_option,
    log_option,
    no_shards,
    say_aside,
)
from yoddd.defaults import ENGINES_FILE, LAUNCH
from yoddd.rules import Rules

if TYPE_CHECKING:
    from yoddd.referee import TimeControl
    from yoddd.referee.config import EngineConfig, TournamentConfig


@attrs.frozen(kw_only=True)
class MatchSettings:
    """The options of ``yoddd match`` that say what is played."""

    games: int | None
    pairs: int | None
    seed: int
    clock: TimeControl
    each: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    ponder: bool | None
    openings: str | None
    generate: int | None
    fill: float | None
    opening_turns: int | None
    shuffle: bool
    sprt: str | None
    on_crash: str
    max_turns: int | None
    solve: int | None
    adjudicate: str
    agree: int | None
    resign: str | None
    win: str | None
    concurrency: int
    affinity: bool
    listen: str | None
    daemon: tuple[str, int]
    wait: int
    absence: int
    window: int
    launch: float
    engine_file: str | None

    def config(self, rules: Rules, engines: tuple[str, str]) -> TournamentConfig:
        """The match as a tournament of two, with the engines that ``conf:NAME`` stands for.

        Raises:
            ConfigError: a setting that is none, or settings that contradict each other.
        """
        from yoddd.daemon.runs.preparation import take_engines
        from yoddd.referee import WaitLimits
        from yoddd.referee.adjudication import Adjudication
        from yoddd.referee.config import (
            ConfigError,
            OpeningsConfig,
            TournamentConfig,
            resign_settings,
            sprt_settings,
            win_settings,
        )
        from yoddd.referee.plan import Adjudicate, OnCrash

        if self.pairs and self.games:
            raise ConfigError("--games or --pairs, not both")
        config = TournamentConfig(
            game=rules.game.name,
            board=rules.geometry.name,
            options=dict(rules.chosen_options()),
            games=2 * self.pairs if self.pairs else self.games or 2,
            seed=self.seed,
            clock=self.clock,
            engine=self._engines(engines),
            openings=OpeningsConfig(
                file=self.openings,
                generate=self.generate,
                fill=self.fill,
                turns=self.opening_turns,
                shuffle=self.shuffle,
            ),
            sprt=sprt_settings(self.sprt) if self.sprt else None,
            adjudication=Adjudication(
                turns=self.max_turns,
                solve=self.solve,
                agree=self.agree,
                resign=resign_settings(self.resign) if self.resign else None,
                win=win_settings(self.win) if self.win else None,
            ),
            adjudicate=Adjudicate(self.adjudicate),
            on_crash=OnCrash(self.on_crash),
            ponder=self.ponder,
            concurrency=self.concurrency,
            affinity=self.affinity,
            listen=self.listen,
            limits=WaitLimits(launch=self.launch, resume=self.window, absence=self.absence),
            engines=self.engine_file,
        )
        return self._at_daemon(take_engines(config, Path()))

    def _at_daemon(self, config: TournamentConfig) -> TournamentConfig:
        """Name the daemon where engines attach that do not attach to this program."""
        from yoddd.daemon.runs.preparation import is_attached

        if self.listen is not None or not any(is_attached(one) for one in config.engine):
            return config
        host, port = self.daemon
        return attrs.evolve(config, daemon=f"{host}:{port}", wait=self.wait)

    def _engines(self, commands: tuple[str, str]) -> tuple[EngineConfig, ...]:
        from yoddd.referee.config import apply_each, engine_settings

        each = engine_settings(self.each)
        own = (engine_settings(self.first), engine_settings(self.second))
        return tuple(
            apply_each(each, attrs.evolve(settings, engine=command))
            for command, settings in zip(commands, own, strict=True)
        )


def _engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, whose in (("--second", "the second"), ("--first", "the first"), ("--each", "each")):
        option = click.option(
            name, multiple=True, metavar="KEY=VALUE", help=f"Setting of {whose} engine; repeatable."
        )
        function = option(function)
    return function


def _early_options(function: Callable[..., Any]) -> Callable[..., Any]:
    number = click.IntRange(1)
    for option in (
        click.option(
            "--agree",
            type=number,
            help="First turn after which both engines are asked for the winner.",
        ),
        click.option(
            "--win",
            metavar="movecount=N,score=P",
            help="End a game that both engines have rated at P or more for one side, N turns long.",
        ),
        click.option(
            "--resign",
            metavar="movecount=N,score=P[,twosided=on]",
            help="Let an engine resign that has rated itself at P or less for N of its turns.",
        ),
        click.option(
            "--solve", type=number, help="Number of empty cells at which the winner is proved."
        ),
        click.option(
            "--max-turns", type=number, help="Number of turns after which the board is scored."
        ),
        click.option(
            "--adjudicate",
            type=click.Choice(["none", "tables"]),
            default="none",
            show_default=True,
            help="Whether a game on a small board, which is solved, ends with the winner.",
        ),
        click.option(
            "--on-crash",
            type=click.Choice(["loss", "void", "stop"]),
            default="loss",
            show_default=True,
            help="Result of a crash: a loss, a void game, or the end of the match.",
        ),
        click.option(
            "--sprt", metavar="elo0=A,elo1=B[,…]", help="Sequential test that ends the match."
        ),
    ):
        function = option(function)
    return function


def _opening_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--shuffle", is_flag=True, help="Shuffle the openings by the seed."),
        click.option(
            "--opening-turns", type=click.IntRange(0), help="Number of turns of an opening."
        ),
        click.option(
            "--generate", type=click.IntRange(1), help="Number of balanced openings to generate."
        ),
        click.option(
            "--fill",
            type=click.FloatRange(0, 1),
            help="Part of the cells that a generated opening fills at random.",
        ),
        click.option(
            "--openings",
            type=click.Path(exists=True, dir_okay=False),
            help="File of openings: .sgf, .jsonl, or lines.",
        ),
    ):
        function = option(function)
    return function


def _second_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, default, text in (
        ("--window", 0, "Seconds to reconnect during a game."),
        ("--absence", 30, "Seconds that an engine may be absent between games."),
        ("--wait", 30, "Seconds to wait for tcp:NAME engines before the first game."),
    ):
        kind = click.IntRange(0)
        option = click.option(name, type=kind, default=default, show_default=True, help=text)
        function = option(function)
    return function


@click.command("match")
@click.argument("engines", nargs=2, metavar="ENGINE ENGINE", shell_complete=complete_engines)
@game_options
@click.option("--games", type=click.IntRange(1), help="Number of games.  [default: 2]")
@click.option(
    "--pairs", type=click.IntRange(1), help="Number of pairs of games with swapped seats."
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the match."
)
@click.option(
    "--clock",
    type=CLOCK,
    default="none",
    show_default=True,
    help="Time control, such as 60+1 or move=5.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of games at once.",
)
@click.option("--affinity", is_flag=True, help="Pin each running game to CPUs of its own.")
@click.option("--ponder/--no-ponder", default=None, help="Let the engines ponder, or not.")
@_engine_options
@_opening_options
@_early_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for games.jsonl, an SGF file per game and reports; a run in it is resumed.",
)
@cluster_option
@no_shards
@events_option
@click.option(
    "--listen", metavar="ENDPOINT", help="Endpoint where tcp:NAME engines connect to this program."
)
@click.option(
    "--daemon",
    type=ADDRESS,
    default="127.0.0.1:9633",
    show_default=True,
    help="Daemon that tcp:NAME engines are attached to.",
)
@_second_options
@launch_option(default=LAUNCH)
@click.option(
    "--engines",
    "engine_file",
    type=click.Path(exists=True, dir_okay=False),
    help=f"File of engines that conf:NAME takes.  [default: {ENGINES_FILE}]",
)
@click.option("--boards", is_flag=True, help="Show the board after every turn.")
@display_options
@log_option
@collect_options("settings", MatchSettings)
def command(
    engines: tuple[str, str],
    rules: Rules,
    settings: MatchSettings,
    out: Path | None,
    events: IO[str] | None,
    cluster: str | None,
    boards: bool,
    log: Path | None,
    quiet: bool,
    every: int,
    output: str,
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
    from yoddd.cli.playing import PlayOptions, play_folder
    from yoddd.cli.progress import counted
    from yoddd.daemon.runs.archive import RunError
    from yoddd.daemon.runs.preparation import prepare
    from yoddd.daemon.runs.run_folder import RunFolder
    from yoddd.referee.config import ConfigError

    options = PlayOptions(
        events=events,
        boards=boards,
        keep=out is not None,
        cluster=cluster,
        log=log,
        quiet=quiet,
        every=every,
        cutechess=output == "cutechess",
    )
    try:
        wanted = settings.config(rules, engines)
        with counted(wanted.openings.generate, "Openings") as found_one:
            config = prepare(
                wanted, Path(), start=cluster is None, found_one=found_one, say=say_aside
            )
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    with ExitStack() as stack:
        where = out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="yoddd-")))
        try:
            folder = RunFolder(where, config)
        except RunError as error:
            raise click.ClickException(str(error)) from None
        status = play_folder(folder, options)
    sys.exit(status)
