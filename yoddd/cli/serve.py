"""``yoddd serve``: the daemon."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from yoddd.daemon.hub import CONNECTIONS
from yoddd.daemon.listeners import ListenError
from yoddd.daemon.run import log_to_stderr
from yoddd.daemon.serve import ServeOptions, serve

TEXT: Final = "tcp:9633:interface=127.0.0.1"
HTTP: Final = "tcp:9634:interface=127.0.0.1"


@click.command("serve")
@click.option(
    "--listen",
    multiple=True,
    metavar="ENDPOINT",
    help=f"Twisted endpoint string; repeatable.  [default: {TEXT}]",
)
@click.option(
    "--http",
    metavar="ENDPOINT",
    help=f"Where the web board is.  [default: {HTTP}, or none where --listen is given]",
)
@click.option("--no-http", is_flag=True, help="No web board.")
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="A site whose pages may connect too, such as https://yodd.example; repeatable.",
)
@click.option("--public", is_flag=True, help="Allow endpoints that other machines can reach.")
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="Searches at once."
)
@click.option(
    "--connections",
    type=click.IntRange(1),
    default=CONNECTIONS,
    show_default=True,
    help="Served at once.",
)
@click.option(
    "--runs",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of runs (of `yoddd tournament`, `yoddd match`) whose crosstables are shown.",
)
@click.option("--verbose", is_flag=True, help="Log every connection.")
def command(
    listen: tuple[str, ...],
    http: str | None,
    no_http: bool,  # noqa: FBT001 — click hands it over
    origins: tuple[str, ...],
    public: bool,  # noqa: FBT001 — click hands it over
    threads: int,
    connections: int,
    runs: Path | None,
    verbose: bool,  # noqa: FBT001 — click hands it over
) -> None:
    """Serve the protocol to engines and boards until interrupted.

    Each connection has a game of its own; engines join with `attach` (see `yoddd connect`). The web
    board is for a browser and speaks the same protocol over WebSocket at /ws. The first lines on
    standard output tell where it listens, also for port 0.

    \b
    Examples:
      yoddd serve
      yoddd serve --listen tcp:0:interface=127.0.0.1 --http tcp:0:interface=127.0.0.1
      yoddd serve --runs runs
      yoddd serve --listen unix:/tmp/yoddd.sock --listen tcp:9633:interface=127.0.0.1
    """
    log_to_stderr(verbose=verbose)
    if http is None and not listen:
        http = HTTP
    board = None if no_http else http or None
    options = ServeOptions(listen or [TEXT], board, origins, public, threads, connections, runs)
    try:
        sys.exit(serve(options, click.echo))
    except ListenError as error:
        raise click.ClickException(str(error)) from None
