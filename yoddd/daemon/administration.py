"""Commands of an administrator to a running daemon, over a UNIX socket of its own.

The socket has mode 0600, so that only its owner and root get in. It takes one request a line and
answers each with one line of JSON, as a run's does (`yoddd.daemon.runs.control`)::

    list
    kick 17
    pause | resume
    abort t3
    broadcast we go down at noon
"""

from __future__ import annotations

from typing import Any

from yoddd.daemon.connections.connection_table import ConnectionTable, OpenConnection
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.runs.control import Answer
from yoddd.protocol.errors import PeerError, one_line


class Administration:
    """The commands of an administrator, carried out on a daemon."""

    def __init__(self, connections: ConnectionTable, games: GameServices) -> None:
        """Create it for the connections and games of a daemon."""
        self._connections = connections
        self._games = games
        self.commands = {
            "list": self._list,
            "kick": self._kick,
            "pause": self._pause,
            "resume": self._resume,
            "abort": self._abort,
            "broadcast": self._broadcast,
        }

    def _list(self, _rest: str) -> Answer:
        return {
            "pairing": self._games.start_gate.reason or "open",
            "connections": [
                _describe(connection) for connection in self._connections.by_number.values()
            ],
            "engines": list(self._games.engines.names),
            "games": self._games.describe(),
        }

    def _kick(self, rest: str) -> Answer:
        open_ones = self._connections.by_number
        connection = next((one for number, one in open_ones.items() if str(number) == rest), None)
        if connection is None:
            raise ValueError(f"no connection {rest[:20]!r}: `list` shows their numbers")
        connection.disconnect("kicked by the administrator")
        return {"kicked": connection.number}

    def _pause(self, _rest: str) -> Answer:
        self._check_up()
        self._games.start_gate.close("no game may begin for now")
        return {"pairing": self._games.start_gate.reason}

    def _resume(self, _rest: str) -> Answer:
        self._check_up()
        self._games.start_gate.open()
        return {"pairing": "open"}

    def _check_up(self) -> None:
        if self._connections.is_closing:
            raise ValueError("the daemon is going down")

    def _abort(self, rest: str) -> Answer:
        try:
            runner = self._games.find(rest)
        except PeerError as error:
            raise ValueError(error.detail) from None
        if runner.game.phase.word != "playing":
            raise ValueError(f"{rest} is not being played")
        runner.abort("aborted by the administrator")
        return {"aborted": rest}

    def _broadcast(self, rest: str) -> Answer:
        text = one_line(rest)
        if not text:
            raise ValueError("expected a text")
        told = 0
        for runner in self._games:
            told += runner.spectators
            runner.notice(text)
        return {"told": told}


def _describe(connection: OpenConnection) -> dict[str, Any]:
    requests, errors = connection.requests
    return {
        "number": connection.number,
        "kind": connection.kind,
        "host": connection.host,
        "engine": connection.engine_name,
        "unread": connection.is_unread,
        "requests": requests,
        "errors": errors,
    }
