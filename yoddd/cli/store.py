"""``yoddd store`` and ``yoddd user``: the database as a whole, and its accounts."""

from __future__ import annotations

import functools
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import click

from yoddd.cli.files import EXISTING_FILE
from yoddd.cli.options import NumberRange
from yoddd.cli.outputs import OUTPUT_FILE
from yoddd.extras import needs_extra
from yoddd.store.errors import StoreError, StoreMissing

if TYPE_CHECKING:  # the store's libraries are an extra
    from sqlalchemy.engine import URL

    from yoddd.store.store import Store


def store_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--store`` with its default, and an error before the command runs without the extra."""

    @functools.wraps(command)
    def checked(*args: Any, **kwargs: Any) -> Any:
        need_store()
        return command(*args, **kwargs)

    return click.option(
        "--store",
        "text",
        metavar="PATH|URL",
        default="default",
        show_default="the platform's data folder",
        envvar="YODDD_STORE",
        show_envvar=True,
        help="Store: a SQLite file, or postgresql://USER@HOST/DATABASE.",
    )(checked)


@contextmanager
def reporting() -> Iterator[None]:
    """Report errors of the store to the user and end."""
    try:
        yield
    except StoreMissing as error:
        raise click.UsageError(str(error)) from None
    except StoreError as error:
        raise click.ClickException(str(error)) from None


def need_store() -> None:
    """Check that the store's libraries are installed.

    Raises:
        ExtraMissing: they are not.
    """
    with needs_extra("accounts and ratings", "store"):
        from yoddd.store import database  # noqa: F401 — imported for its libraries


def url_of(text: str) -> URL:
    """The URL of the database that ``--store`` names."""
    from yoddd.store.database import read_url

    with reporting():
        return read_url(text)


@contextmanager
def opened(text: str) -> Iterator[Store]:
    """The store that ``--store`` names, created or migrated first."""
    url = url_of(text)
    from yoddd.store.database import migrate
    from yoddd.store.store import Store

    with reporting():
        migrate(url, lambda text: click.echo(text, err=True))
        store = Store(url)
        try:
            yield store
        finally:
            store.close()


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


_ANCHOR = NumberRange(-10_000, 10_000)


@click.group("user")
def user() -> None:
    """Manage accounts of users and engines.

    Accounts are for `login`, `attach NAME token=T` and rated games. A token is shown once, when it
    is made; the store keeps only its SHA-256.

    \b
    Examples:
      yoddd user add ann
      yoddd user token ann --revoke
      yoddd user list --json
    """


def _name(_ctx: click.Context, _option: click.Parameter, value: str) -> str:
    from yoddd.protocol.arguments import NAME_RULE, is_name

    if not is_name(value):
        raise click.BadParameter(NAME_RULE)
    return value


@user.command("add")
@click.argument("name", callback=_name)
@click.option("--anchor", type=_ANCHOR, metavar="ELO", help="Rating to fix the account at.")
@store_option
def add(name: str, anchor: float | None, text: str) -> None:
    """Add an account and print its token."""
    from yoddd.daemon.base.clock import wall
    from yoddd.store import accounts
    from yoddd.store.values import TOKEN_BYTES

    with opened(text) as store:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        store.transact(
            lambda connection: accounts.register(connection, name, token, wall(), anchor)
        )
    click.echo(token)


@user.command("token")
@click.argument("name")
@click.option("--revoke", is_flag=True, help="Revoke all its other tokens.")
@store_option
def token(name: str, revoke: bool, text: str) -> None:
    """Print a new token of an account."""
    from yoddd.daemon.base.clock import wall
    from yoddd.store import accounts
    from yoddd.store.values import TOKEN_BYTES

    with opened(text) as store:
        fresh = secrets.token_urlsafe(TOKEN_BYTES)

        def do(connection: Any) -> None:
            if revoke:
                accounts.revoke_tokens(connection, name, wall())
            accounts.add_token(connection, name, fresh, wall())

        store.transact(do)
    click.echo(fresh)


@user.command("disable")
@click.argument("name")
@store_option
def disable(name: str, text: str) -> None:
    """Refuse logins of an account, and end its sessions, its offers and its games in play.

    Its tokens and its finished games are kept.
    """
    from yoddd.store import accounts

    with opened(text) as store:
        store.transact(partial(accounts.set_disabled, name=name, disabled=True))


@user.command("enable")
@click.argument("name")
@store_option
def enable(name: str, text: str) -> None:
    """Allow logins of an account again."""
    from yoddd.store import accounts

    with opened(text) as store:
        store.transact(partial(accounts.set_disabled, name=name, disabled=False))


@user.command("anchor")
@click.argument("name")
@click.argument("elo", type=_ANCHOR, required=False)
@store_option
def anchor(name: str, elo: float | None, text: str) -> None:
    """Fix the rating of an account at ELO, or let it change if ELO is omitted."""
    from yoddd.store import accounts

    with opened(text) as store:
        store.transact(partial(accounts.set_anchor, name=name, anchor=elo))


@user.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@store_option
def list_all(as_json: bool, text: str) -> None:
    """List all accounts: name, tokens, creation time and notes."""
    from yoddd.store import accounts

    with opened(text) as store:
        found = store.read(accounts.list_accounts)
    for account in found:
        if as_json:
            click.echo(json.dumps(attrs.asdict(account)))
            continue
        notes = ["disabled"] * account.disabled
        notes += [] if account.anchor is None else [f"anchor={account.anchor:g}"]
        tokens = f"{account.tokens} token{'' if account.tokens == 1 else 's'}"
        click.echo("  ".join([f"{account.name:<32}", tokens, account.created, *notes]))
