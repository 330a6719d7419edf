"""Repeats what cannot be done while the store is away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from twisted.internet.task import deferLater
from twisted.logger import Logger

from yoddd.daemon.base.clock import Reactor
from yoddd.store.errors import StoreAway

T = TypeVar("T")

AGAIN: Final = 2.0
"""Seconds between two attempts to reach a store that was unavailable."""

LOG: Final = Logger()


async def until_back(reactor: Reactor, attempt: Callable[[], Awaitable[T]]) -> T:
    """Return the result of an attempt, made again for as long as the store is away."""
    while True:
        try:
            return await attempt()
        except StoreAway as error:
            LOG.warn("waiting for the store: {reason}", reason=str(error))
        await deferLater(reactor, AGAIN)
