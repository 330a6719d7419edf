"""``yoddd serve``: the daemon."""

from __future__ import annotations

import gc
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
