"""Accounts and rated games for one daemon; imported only where a store is configured."""

from __future__ import annotations

import attrs

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.journal import Journal
from yoddd.daemon.connections.hub import Hub
from yoddd.daemon.lobby.ledger import Ledger
from yoddd.daemon.lobby.users import Users
from yoddd.protocol.entrance import LoginLimits
from yoddd.store.database import migrate, read_url
from yoddd.store.store import Store


def open_ledger(reactor: Reactor, hub: Hub, text: str, *, login: bool) -> Ledger:
    """Open the store called ``text``, and let the connections of ``hub`` log in.

    Args:
        reactor: Twisted's.
        hub: what all connections share.
        text: `default`, a path or a URL.
        login: whether only those are served who have logged in.

    Raises:
        StoreError: it cannot be opened.
    """
    url = read_url(text)
    migrate(url)
    journal = Journal(reactor, Store(url))
    users = Users(hub, journal)
    limits = LoginLimits(hub.limits.login_commands, hub.limits.login_output)
    hub.gate = users.gate
    hub.config = attrs.evolve(hub.config, accounts=users, login=limits if login else None)
    return Ledger(journal, users)
