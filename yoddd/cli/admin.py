"""``yoddd admin``: queries and commands for a running daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

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
def command(ctx: click.Context, path: Path | None) -> None:
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


@command.command("list")
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


@command.command("kick")
@click.argument("number", type=int)
@click.pass_context
def kick(ctx: click.Context, number: int) -> None:
    """Close a connection."""
    _ask(ctx, "kick", str(number))


@command.command("pause")
@click.pass_context
def pause(ctx: click.Context) -> None:
    """Start no more games; running games continue."""
    _ask(ctx, "pause")


@command.command("resume")
@click.pass_context
def resume(ctx: click.Context) -> None:
    """Start games again after a pause."""
    _ask(ctx, "resume")


@command.command("abort")
@click.argument("game")
@click.pass_context
def abort(ctx: click.Context, game: str) -> None:
    """End a game without a result."""
    _ask(ctx, "abort", game)


@command.command("broadcast")
@click.argument("words", nargs=-1, required=True)
@click.pass_context
def broadcast(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Send a message to all spectators."""
    told = _ask(ctx, "broadcast", *" ".join(words).split())["told"]
    click.echo(f"told {told}")
