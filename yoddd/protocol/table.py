"""The table of commands, the only place where they come together."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

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
    referee,
    setup,
    sgf,
)
from yoddd.protocol.config import SessionConfig


def build_table(config: SessionConfig) -> Mapping[str, Command]:
    """Every command that a session of this kind serves, by name, in the order of ``help``."""
    offered = [referee.ATTACH] if config.attach else []
    if config.match is not None:
        offered += referee.match_commands(config.match, config.matches)
    if config.lobby is not None:
        offered += lobby.lobby_commands(config.lobby)
    if config.accounts is not None:
        offered += accounts.account_commands(config.accounts)
    groups = (admin, setup, sgf, play, ask, engine, analysis, clock, gogui)
    commands = chain(*(group.COMMANDS for group in groups), offered)
    return {command.name: command for command in commands}
