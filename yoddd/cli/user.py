"""``yoddd user``: accounts and their tokens."""

from __future__ import annotations

import json
import secrets
from functools import partial
from typing import Any

import attrs
import click

from yoddd.cli.options import NumberRange
from yoddd.cli.store_options import opened, store_option

_ANCHOR = NumberRange(-10_000, 10_000)


@click.group("user")
def command() -> None:
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


@command.command("add")
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


@command.command("token")
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


@command.command("disable")
@click.argument("name")
@store_option
def disable(name: str, text: str) -> None:
    """Refuse logins of an account, and end its sessions, its offers and its games in play.

    Its tokens and its finished games are kept.
    """
    from yoddd.store import accounts

    with opened(text) as store:
        store.transact(partial(accounts.set_disabled, name=name, disabled=True))


@command.command("enable")
@click.argument("name")
@store_option
def enable(name: str, text: str) -> None:
    """Allow logins of an account again."""
    from yoddd.store import accounts

    with opened(text) as store:
        store.transact(partial(accounts.set_disabled, name=name, disabled=False))


@command.command("anchor")
@click.argument("name")
@click.argument("elo", type=_ANCHOR, required=False)
@store_option
def anchor(name: str, elo: float | None, text: str) -> None:
    """Fix the rating of an account at ELO, or let it change if ELO is omitted."""
    from yoddd.store import accounts

    with opened(text) as store:
        store.transact(partial(accounts.set_anchor, name=name, anchor=elo))


@command.command("list")
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
