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
    ask,
    clock,
    engine,
    gogui,
    lobby,
    play,
    policy,
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
    offered = []
    if services.cpu_time is not None:
        offered.append(admin.cpu_time_command(services.cpu_time))
    if services.attach:
        offered.append(referee.attach_command())
    if services.match is not None:
        offered += referee.match_commands(services.match, services.list_matches)
    if services.lobby is not None:
        offered += lobby.lobby_commands(services.lobby)
    if services.accounts is not None:
        offered += accounts.account_commands(services.accounts)
    table: dict[str, Command] = {}
    groups = (setup, sgf, play, ask, engine, analysis, policy, review, tables, clock, gogui)
    commands = chain(*(group.COMMANDS for group in groups), offered)
    for command in (*admin.admin_commands(table), *commands):
        table |= command.entries()
    return table
