"""``yoddd store``: the database as a whole."""

from __future__ import annotations

from pathlib import Path

import click

from yoddd.cli.files import EXISTING_FILE
from yoddd.cli.store_options import reporting, store_option, url_of

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.group("store")
def command() -> None:
    """Manage the database of accounts, games and ratings.

    A SQLite store can be backed up while a daemon uses it. For PostgreSQL use pg_dump and
    pg_restore.

    \b
    Examples:
      yoddd store migrate
      yoddd store backup yoddd-today.sqlite3
      yoddd store restore yoddd-today.sqlite3 --force
    """


@command.command("migrate")
@store_option
def migrate(text: str) -> None:
    """Create the store or migrate its schema; run it after each upgrade of yoddd."""
    url = url_of(text)
    from yoddd.store import database

    with reporting():
        database.migrate(url)
    click.echo(database.shown(url))


@command.command("backup")
@click.argument("file", type=_FILE)
@store_option
def backup(file: Path, text: str) -> None:
    """Copy the store to FILE, also while a daemon uses it; FILE is written whole or not at all."""
    url = url_of(text)
    from yoddd.store.backup import back_up

    with reporting():
        back_up(url, file)


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
