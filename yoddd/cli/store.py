"""``yoddd store``: the database as a whole."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import click

from yoddd.cli.files import EXISTING_FILE
from yoddd.cli.outputs import OUTPUT_FILE
from yoddd.cli.store_options import opened, reporting, store_option, url_of

DAYS: Final = 30.0
MOST: Final = 10_000
"""The defaults of `limits.old_games` and `limits.most_games`."""


@click.group("store")
def command() -> None:
    """Manage the database of accounts, games and ratings.

    A SQLite store can be backed up while a daemon uses it. For PostgreSQL use pg_dump and
    pg_restore.

    \b
    Examples:
      yoddd store migrate
      yoddd store show
      yoddd store backup yoddd-today.sqlite3
      yoddd store restore yoddd-today.sqlite3 --force
    """


@command.command("migrate")
@store_option
def migrate(text: str) -> None:
    """Create the store or migrate its schema, as a daemon does when it starts."""
    url = url_of(text)
    from yoddd.store import database

    with reporting():
        database.migrate(url, lambda text: click.echo(text, err=True))
    click.echo(database.shown(url))


@command.command("show")
@store_option
def show(text: str) -> None:
    """Print what the store holds, also while a daemon uses it."""
    from yoddd.store.pruning import holdings

    with opened(text) as store, reporting():
        found = store.read(holdings)
    for name, count in found.items():
        click.echo(f"{count:>10}  {name}")


@command.command("prune")
@click.option(
    "--days", type=click.FloatRange(0, 36_500), default=DAYS, help="Days that a game is kept."
)
@click.option(
    "--most", type=click.IntRange(min=0), default=MOST, help="Number of games that are kept."
)
@store_option
def prune(days: float, most: int, text: str) -> None:
    """Delete finished games of players without an account, as the daemon does by itself.

    Deletes the games that ended more than --days ago, and the oldest games beyond --most. Also
    deletes expired log-ins of browsers.
    """
    from yoddd.store.pruning import prune_games, prune_sessions

    now = datetime.now(UTC)
    before, games = _moment(now - timedelta(days=days)), 0
    with opened(text) as store, reporting():
        sessions = store.transact(partial(prune_sessions, now=_moment(now)))
        while count := store.transact(partial(prune_games, before=before, most=most)):
            games += count
    click.echo(f"deleted: {games} games, {sessions} sessions")


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@command.command("backup")
@click.argument("file", type=OUTPUT_FILE)
@click.option("--force", is_flag=True, help="Overwrite a file that exists.")
@store_option
def backup(file: Path, force: bool, text: str) -> None:
    """Copy the store to FILE, also while a daemon uses it; FILE is written whole or not at all."""
    url = url_of(text)
    from yoddd.store.backup import back_up

    with reporting():
        back_up(url, file, force=force)


@command.command("restore")
@click.argument("file", type=EXISTING_FILE)
@click.option("--force", is_flag=True, help="Overwrite a store that exists.")
@store_option
def restore(file: Path, force: bool, text: str) -> None:
    """Replace the store with the copy in FILE; no daemon may be using it."""
    url = url_of(text)
    from yoddd.store import backup as copies

    with reporting():
        copies.restore(file, url, force=force)
