"""``yoddd serve``: the daemon."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import attrs
import click

from yoddd.cli.files import EXISTING_FILE
from yoddd.cli.options import collect_options, say_without_kernel
from yoddd.daemon.base.settings import DEFAULT_HTTP, DEFAULT_LISTEN, KEYS


@attrs.frozen(kw_only=True)
class ServeFlags:
    """The options of ``yoddd serve`` that stand for a key of the configuration."""

    listen: tuple[str, ...]
    http: str | None
    no_http: bool
    analysis: tuple[str, ...]
    origins: tuple[str, ...]
    store: str | None
    login: bool
    public: bool
    threads: int | None
    queue: int | None
    connections: int | None
    runs: Path | None
    verbose: bool

    def values(self, config: Path | None) -> dict[str, Any]:
        """The values that were given, by key; ``config`` is the configuration file."""
        only_listen = bool(self.listen) and self.http is None and config is None
        given: dict[str, Any] = {
            "listen": self.listen or None,
            "analysis": self.analysis or None,
            "origins": self.origins or None,
            "http": "" if self.no_http or only_listen else self.http,
            "store": self.store,
            "login": self.login or None,
            "public": self.public or None,
            "threads": self.threads,
            "queue": self.queue,
            "limits.connections": self.connections,
            "runs": None if self.runs is None else str(self.runs),
            "log.level": "debug" if self.verbose else None,
        }
        return {name: value for name, value in given.items() if value is not None}


@click.command("serve")
@click.option(
    "--listen",
    multiple=True,
    metavar="ENDPOINT",
    help=f"Twisted endpoint to listen at; repeatable.  [default: {DEFAULT_LISTEN}]",
)
@click.option(
    "--http",
    metavar="ENDPOINT",
    help=f"Endpoint of the web board.  [default: {DEFAULT_HTTP}, or none where --listen is given]",
)
@click.option("--no-http", is_flag=True, help="Serve no web board.")
@click.option(
    "--analysis",
    multiple=True,
    metavar="ENDPOINT",
    help="Endpoint of the analysis engine, for JSON queries; repeatable.  [default: none]",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="Further site whose pages may connect, such as https://yodd.example; repeatable.",
)
@click.option(
    "--store",
    metavar="PATH|URL",
    help="Store of accounts and games: `default`, a SQLite file or a postgresql URL.",
)
@click.option("--login", is_flag=True, help="Serve only users who log in; needs a store.")
@click.option("--public", is_flag=True, help="Allow endpoints that other machines can reach.")
@click.option("--threads", type=int, help="Number of searches at once.  [default: 1]")
@click.option(
    "--queue",
    type=int,
    help="Number of searches that may wait; further ones are refused as busy."
    f"  [default: {KEYS['queue'].default}]",
)
@click.option(
    "--connections",
    type=int,
    help=f"Number of connections at once.  [default: {KEYS['limits.connections'].default}]",
)
@click.option(
    "--runs",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of runs (of `yoddd tournament`, `yoddd match`) whose crosstables are shown.",
)
@click.option("--verbose", is_flag=True, help="Log every connection.")
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
@click.option("--print-config", is_flag=True, help="Show every key, its value and its source.")
@collect_options("flags", ServeFlags)
def command(
    config: Path | None,
    others: tuple[str, ...],
    print_config: bool,
    flags: ServeFlags,
) -> None:
    """Serve the protocol to engines and boards until interrupted.

    Each connection has a game of its own; engines join with `attach` (see `yoddd connect`). The web
    board is for browsers and speaks the same protocol over WebSocket at /ws. The first lines on
    standard output say where the daemon listens, also for port 0.

    Flags override the environment (YODDD_LIMITS_RATE=50), which overrides the file. SIGHUP reads
    the file and the certificates again; SIGTERM lets games end first.

    \b
    Examples:
      yoddd serve
      yoddd serve --listen tcp:0:interface=127.0.0.1 --http tcp:0:interface=127.0.0.1
      yoddd serve --runs runs
      yoddd serve --listen unix:/tmp/yoddd.sock --listen tcp:9633:interface=127.0.0.1
      yoddd serve --config yoddd.toml --print-config
    """
    from yoddd.daemon.configuration import (
        SettingsError,
        Sources,
        format_settings,
        load,
        parse_setting,
    )
    from yoddd.daemon.net.listeners import ListenError
    from yoddd.daemon.serve import serve

    try:
        values = {**flags.values(config), **dict(map(parse_setting, others))}
        sources = Sources(config, dict(os.environ), values)
        configuration = load(sources)
        if print_config:
            for warning in configuration.warnings:
                click.echo(warning, err=True)
            click.echo(format_settings(configuration), nl=False)
            return
        say_without_kernel()
        sys.exit(serve(configuration, sources))
    except (SettingsError, ListenError) as error:
        raise click.ClickException(str(error)) from None
