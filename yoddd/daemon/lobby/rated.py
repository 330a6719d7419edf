"""Accounts and rated games for one daemon; imported only where a store is configured."""

from __future__ import annotations

import attrs

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.journal import Journal
from yoddd.daemon.connections.hub import Hub
from yoddd.daemon.lobby.ledger import Ledger
from yoddd.daemon.lobby.users import Users
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
    hub.gate = users.gate
    services = attrs.evolve(hub.config.services, accounts=users, login_required=login)
    hub.config = attrs.evolve(hub.config, services=services)
    return Ledger(journal, users)
