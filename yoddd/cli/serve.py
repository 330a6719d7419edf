"""``yoddd serve`` and ``yoddd admin``: the daemon, and commands for a running one."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from yoddd.cli.files import EXISTING_FILE
from yoddd.cli.options import (
    load_games,
    say_without_kernel,
    setting_options,
    thread_count,
)
from yoddd.daemon.base.settings import DEFAULT_HTTP, DEFAULT_LISTEN, KEYS, Settings

_ENDPOINT: Final = {"metavar": "ENDPOINT"}
_QUEUE: Final = "Number of searches that may wait; further ones are refused as busy."
_SETTINGS: Final[Mapping[str, str | Mapping[str, Any]]] = {
    "listen": {
        "text": f"Twisted endpoint to listen at; repeatable.  [default: {DEFAULT_LISTEN}]",
        **_ENDPOINT,
    },
    "http": {
        "text": f"Endpoint of the page.  [default: {DEFAULT_HTTP}]",
        **_ENDPOINT,
    },
    "store": {
        "text": "Store of accounts and games: `default`, a SQLite file or a postgresql URL.",
        "metavar": "PATH|URL",
    },
    "analysis": {
        "text": "Endpoint of the analysis engine, for JSON queries; repeatable.  [default: none]",
        **_ENDPOINT,
    },
    "origins": {
        "text": "Further site whose pages may connect, such as https://yodd.example; repeatable.",
        "name": "--origin",
        "metavar": "URL",
    },
    "login": "Serve only users who log in; needs a store.",
    "public": "Allow endpoints that other machines can reach.",
    "searches": {
        "text": "Number of searches at once; auto: all processors but one.  [default: auto]",
        "type": thread_count,
        "metavar": "N|auto",
    },
    "queue": f"{_QUEUE}  [default: {KEYS['queue'].default}]",
    "limits.connections": (
        f"Number of connections at once.  [default: {KEYS['limits.connections'].default}]"
    ),
    "ladder.concurrency": {
        "text": "Rated games of attached engines that are played at once; needs a store."
        "  [default: 0]",
        "name": "--ladder",
        "metavar": "GAMES",
    },
    "runs": {
        "text": (
            "Folder of runs (of `yoddd tournament`, `yoddd match`) whose crosstables are shown."
        ),
        "type": click.Path(exists=True, file_okay=False),
    },
    "log.level": {
        "text": "Log every connection.",
        "name": "--verbose",
        "flag_value": "debug",
    },
}


@click.command("serve")
@setting_options(Settings, _SETTINGS)
@click.option(
    "--config",
    type=EXISTING_FILE,
    envvar="YODDD_CONFIG",
    help="TOML file with any keys of the configuration reference.",
)
@click.option(
    "--set",
    "others",
    multiple=True,
    metavar="KEY=VALUE",
    help="Key to set, such as limits.rate=50; repeatable.",
)
@click.option("--no-http", is_flag=True, help="Serve no page.")
@click.option("--print-config", is_flag=True, help="Show every key, its value and its source.")
def command(
    settings: dict[str, Any],
    config: Path | None,
    others: tuple[str, ...],
    no_http: bool,
    print_config: bool,
) -> None:
    """Serve the protocol to engines and boards until interrupted.

    Each connection has a game of its own; engines join with `attach` (see `yoddd connect`). The
    page is for browsers and speaks the same protocol over WebSocket at /ws. The first lines on
    standard output say where the daemon listens, also for port 0.

    --ladder pairs the attached engines of accounts for rated games: of the game, the board and the
    clock of the keys `ladder.game`, `ladder.board` and `ladder.clock`. Prints a line for each game
    that is over, and the standings after every ten.

    Flags override the environment (YODDD_LIMITS_RATE=50), which overrides the file. SIGHUP reads
    the file and the certificates again; SIGTERM lets games end first.

    \b
    Examples:
      yoddd serve
      yoddd serve --listen tcp:0:interface=127.0.0.1 --http tcp:0:interface=127.0.0.1
      yoddd serve --runs runs
      yoddd serve --listen unix:/tmp/yoddd.sock --listen tcp:9633:interface=127.0.0.1
      yoddd serve --store default --ladder 2 --set ladder.board=hex5
      yoddd serve --config yoddd.toml --print-config
    """
    gc.disable()  # until the reactor runs: a tenth of the start, for a few thousand objects
    from yoddd.daemon.configuration import (
        SettingsError,
        Sources,
        format_settings,
        load,
        parse_setting,
    )
    from yoddd.daemon.net.listeners import ListenError
    from yoddd.daemon.serve import serve

    if no_http:
        settings["http"] = ""
    try:
        values = {**settings, **dict(map(parse_setting, others))}
        sources = Sources(config, dict(os.environ), values)
        configuration = load(sources)
        if print_config:
            for warning in configuration.warnings:
                click.echo(warning, err=True)
            click.echo(format_settings(configuration), nl=False)
            return
        say_without_kernel()
        load_games(configuration.settings.game_files)
        sys.exit(serve(configuration, sources))
    except (SettingsError, ListenError) as error:
        raise click.ClickException(str(error)) from None
    finally:
        gc.enable()


_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("admin")
@click.option(
    "--socket",
    "path",
    type=click.Path(path_type=Path),
    envvar="YODDD_ADMIN",
    help="Path of the socket: the daemon's key `admin`.  [required]",
)
@click.pass_context
def admin(ctx: click.Context, path: Path | None) -> None:
    """Query and control a running daemon over its UNIX socket.

    Only root and the user that the daemon runs as may connect.

    \b
    Examples:
      yoddd admin --socket /run/yoddd/admin list
      yoddd admin --socket /run/yoddd/admin broadcast down at noon, back at one
    """
    ctx.obj = path


def _ask(ctx: click.Context, *words: str) -> dict[str, Any]:
    from yoddd.daemon.runs.control import NotRunning, ask_socket

    if ctx.obj is None:  # a required option would be asked for by `yoddd admin list --help` too
        raise click.UsageError("missing option '--socket'", ctx.parent)
    try:
        return ask_socket(ctx.obj, *words)
    except (NotRunning, ValueError) as error:
        raise click.ClickException(str(error)) from None


@admin.command("list")
@_JSON
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List connections, engines and games."""
    found = _ask(ctx, "list")
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(f"pairing: {found['pairing']}")
    for peer in found["connections"]:
        engine = f" engine {peer['engine']}" if peer["engine"] else ""
        counts = f"{peer['requests']} requests, {peer['errors']} errors"
        click.echo(
            f"connection {peer['number']} {peer['kind']} {peer['host'] or '-'}{engine}: {counts}"
        )
    for game in found["games"]:
        click.echo(f"game {game}")


@admin.command("kick")
@click.argument("number", type=int)
@click.pass_context
def kick(ctx: click.Context, number: int) -> None:
    """Close a connection."""
    _ask(ctx, "kick", str(number))


@admin.command("pause")
@click.pass_context
def pause(ctx: click.Context) -> None:
    """Start no more games; running games continue."""
    _ask(ctx, "pause")


@admin.command("resume")
@click.pass_context
def resume(ctx: click.Context) -> None:
    """Start games again after a pause."""
    _ask(ctx, "resume")


@admin.command("abort")
@click.argument("game")
@click.pass_context
def abort(ctx: click.Context, game: str) -> None:
    """End a game without a result."""
    _ask(ctx, "abort", game)


@admin.command("broadcast")
@click.argument("words", nargs=-1, required=True)
@click.pass_context
def broadcast(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Send a message to all spectators."""
    told = _ask(ctx, "broadcast", *" ".join(words).split())["told"]
    click.echo(f"told {told}")
