"""``yoddd serve``: the daemon."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from yoddd.daemon.base.settings import DEFAULT_HTTP, DEFAULT_LISTEN, KEYS
from yoddd.daemon.configuration import (
    SettingsError,
    Sources,
    format_settings,
    load,
    parse_setting,
)
from yoddd.daemon.net.listeners import ListenError
from yoddd.daemon.serve import serve


@click.command("serve")
@click.option(
    "--listen",
    multiple=True,
    metavar="ENDPOINT",
    help=f"Twisted endpoint string; repeatable.  [default: {DEFAULT_LISTEN}]",
)
@click.option(
    "--http",
    metavar="ENDPOINT",
    help=f"Where the web board is.  [default: {DEFAULT_HTTP}, or none where --listen is given]",
)
@click.option("--no-http", is_flag=True, help="No web board.")
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="A site whose pages may connect too, such as https://yodd.example; repeatable.",
)
@click.option(
    "--store",
    metavar="PATH|URL",
    help="Accounts and rated games: `default`, a SQLite file or a postgresql URL.",
)
@click.option("--login", is_flag=True, help="Serve only those who log in; needs a store.")
@click.option("--public", is_flag=True, help="Allow endpoints that other machines can reach.")
@click.option("--threads", type=int, help="Searches at once.  [default: 1]")
@click.option(
    "--queue",
    type=int,
    help="Searches that may wait; further ones are told that we are busy."
    f"  [default: {KEYS['queue'].default}]",
)
@click.option(
    "--connections",
    type=int,
    help=f"Served at once.  [default: {KEYS['limits.connections'].default}]",
)
@click.option(
    "--runs",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of runs (of `yoddd tournament`, `yoddd match`) whose crosstables are shown.",
)
@click.option("--verbose", is_flag=True, help="Log every connection.")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="YODDD_CONFIG",
    help="A TOML file with any of the keys of the reference.",
)
@click.option(
    "--set",
    "others",
    multiple=True,
    metavar="KEY=VALUE",
    help="Any key, such as limits.rate=50; repeatable.",
)
@click.option("--print-config", is_flag=True, help="Show every key, its value and its source.")
def command(
    config: Path | None,
    others: tuple[str, ...],
    print_config: bool,  # noqa: FBT001 — click hands it over
    **flags: Any,  # noqa: ANN401 — the other options, each by its name
) -> None:
    """Serve the protocol to engines and boards until interrupted.

    Each connection has a game of its own; engines join with `attach` (see `yoddd connect`). The web
    board is for a browser and speaks the same protocol over WebSocket at /ws. The first lines on
    standard output tell where it listens, also for port 0.

    A flag goes before the environment (YODDD_LIMITS_RATE=50), that before the file. SIGHUP reads
    file and certificates anew, SIGTERM lets games end first.

    \b
    Examples:
      yoddd serve
      yoddd serve --listen tcp:0:interface=127.0.0.1 --http tcp:0:interface=127.0.0.1
      yoddd serve --runs runs
      yoddd serve --listen unix:/tmp/yoddd.sock --listen tcp:9633:interface=127.0.0.1
      yoddd serve --config yoddd.toml --print-config
    """
    try:
        values = {**_values(config, **flags), **dict(map(parse_setting, others))}
        sources = Sources(config, dict(os.environ), values)
        configuration = load(sources)
        if print_config:
            click.echo(format_settings(configuration), nl=False)
            return
        sys.exit(serve(configuration, sources, click.echo))
    except (SettingsError, ListenError) as error:
        raise click.ClickException(str(error)) from None


def _values(
    config: Path | None,
    listen: tuple[str, ...],
    http: str | None,
    no_http: bool,  # noqa: FBT001 — click hands it over
    origins: tuple[str, ...],
    store: str | None,
    login: bool,  # noqa: FBT001 — click hands it over
    public: bool,  # noqa: FBT001 — click hands it over
    threads: int | None,
    queue: int | None,
    connections: int | None,
    runs: Path | None,
    verbose: bool,  # noqa: FBT001 — click hands it over
) -> dict[str, Any]:
    """What the flags with names of their own say, by key."""
    said: dict[str, Any] = {
        "listen": listen or None,
        "origins": origins or None,
        "http": "" if no_http or (listen and http is None and config is None) else http,
        "store": store,
        "login": login or None,
        "public": public or None,
        "threads": threads,
        "queue": queue,
        "limits.connections": connections,
        "runs": None if runs is None else str(runs),
        "log.level": "debug" if verbose else None,
    }
    return {name: value for name, value in said.items() if value is not None}
