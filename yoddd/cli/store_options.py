"""Options and errors that the commands with a store share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

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
