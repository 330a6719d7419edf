"""The table of commands: what one session serves."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from itertools import chain
from typing import Final
from weakref import WeakKeyDictionary

from yoddd.protocol.command import Command
from yoddd.protocol.commands import (
    accounts,
    admin,
    analysis,
    clock,
    engine,
    gogui,
    lobby,
    play,
    policy,
    queries,
    referee,
    review,
    setup,
    sgf,
    tables,
)
from yoddd.protocol.config import SessionServices

_TABLES: Final[MutableMapping[SessionServices, Mapping[str, Command]]] = WeakKeyDictionary()
"""The tables made so far: one serves all sessions with the same services."""


def command_table(services: SessionServices) -> Mapping[str, Command]:
    """The commands of a session with these services, by name, in the order of ``help``."""
    if services not in _TABLES:
        _TABLES[services] = _build(services)
    return _TABLES[services]


def _build(services: SessionServices) -> Mapping[str, Command]:
    modules = (setup, sgf, play, queries, engine, analysis, policy, review, tables, clock, gogui)
    offered = (
        (admin.CPU_TIME, services.cpu_time is not None),
        (referee.ATTACH, services.attach),
        (referee.MATCHES, services.match is not None),
        (lobby.COMMANDS, services.lobby is not None),
        (accounts.COMMANDS, services.accounts is not None),
    )
    groups = [module.COMMANDS for module in modules]
    groups += [group for group, is_offered in offered if is_offered]
    table: dict[str, Command] = {}
    for command in chain(admin.admin_commands(table), *(group.commands for group in groups)):
        table |= {entry.name: entry for entry in command.entries()}
    return table
