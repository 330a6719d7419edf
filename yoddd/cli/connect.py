"""``yoddd connect``: attach a local engine to a daemon."""

from __future__ import annotations

import functools
import shlex
import sys
from pathlib import Path

import attrs
import click

from yoddd.cli.options import ADDRESS, EngineCommand, log_option, passed_on


def _check_range(
    _ctx: click.Context, _option: click.Parameter, words: tuple[str, ...]
) -> tuple[str, ...]:
    from yoddd.protocol.arguments import parse_settings
    from yoddd.protocol.errors import PeerError
    from yoddd.referee.game.engine_range import OPTIONS, EngineRange

    try:
        EngineRange.read(parse_settings(words, OPTIONS))
    except PeerError as error:
        raise click.BadParameter(error.detail) from None
    return words


@click.command("connect", cls=EngineCommand)
@click.argument("address", type=ADDRESS)
@click.option("--as", "name", required=True, help="Name of the engine at the daemon.")
@click.option(
    "--token",
    envvar="YODDD_TOKEN",
    show_envvar=True,
    help="Token of the account of that name; other users of this machine can read command lines.",
)
@click.option("--open", "is_open", is_flag=True, help="Let other clients play against it.")
@click.option(
    "--secret",
    envvar="YODDD_SECRET",
    show_envvar=True,
    help="16 to 64 letters and digits that keep the name for the engine, also after a restart of "
    "this command; random by default.",
)
@click.option(
    "--plays",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_check_range,
    help="What the engine plays, where that is not everything; repeatable: games=odd,yoin, "
    "boards=hex4..hex8,square9 or clock=10..1800+30.",
)
@click.option(
    "--at-once",
    "copies",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Games that it plays at once, each with a process of its own.",
)
@log_option
@click.argument("engine", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND…")
def command(
    address: tuple[str, int],
    name: str,
    token: str | None,
    is_open: bool,
    secret: str | None,
    plays: tuple[str, ...],
    copies: int,
    log: Path | None,
    engine: tuple[str, ...],
) -> None:
    """Run a local engine and attach it to the daemon at ADDRESS (HOST:PORT).

    COMMAND is any program that speaks GTP on its standard streams, with its own options. A lost
    connection is restored, with a new process. Exits with status 1 when the engine ends or is
    refused.

    The engine plays for clients at your address or with your account alone, unless you add --open;
    clients at the daemon's own machine can let any engine play.

    \b
    Examples:
      yoddd connect 127.0.0.1:9633 --as uct -- yoddd gtp --engine uct
      yoddd connect 127.0.0.1:9633 --as my-bot -- ./my-bot --level 3
      yoddd connect yodd.example:9633 --as my-bot --open --plays boards=hex3..hex5 -- ./my-bot
    """
    from yoddd.daemon.runs.connect import AttachOptions, ConnectFailed, connect

    say = functools.partial(click.echo, err=True)
    try:
        options = AttachOptions(token, is_open, plays=plays)
        if secret is not None:
            options = attrs.evolve(options, secret=secret)
        status = connect(address, name, shlex.join(engine), say, options, log, copies)
    except ConnectFailed as error:
        raise click.ClickException(f"{error}{passed_on(engine)}") from None
    sys.exit(status)
