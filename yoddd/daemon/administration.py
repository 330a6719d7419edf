"""What an administrator can ask of a running daemon, over a UNIX socket of its own.

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

from yoddd.daemon.connections.hub import Hub, Peer
from yoddd.daemon.runs.control import Answer
from yoddd.protocol.errors import PeerError, one_line


class Administration:
    """The orders of an administrator, carried out on a hub."""

    def __init__(self, hub: Hub) -> None:
        """Nothing is ordered yet."""
        self._hub = hub
        self.orders = {
            "list": self._list,
            "kick": self._kick,
            "pause": self._pause,
            "resume": self._resume,
            "abort": self._abort,
            "broadcast": self._broadcast,
        }

    def _list(self, _rest: str) -> Answer:
        hub = self._hub
        return {
            "pairing": hub.pairing.reason or "open",
            "connections": [_describe(peer) for peer in hub.peers.values()],
            "engines": list(hub.registry.names),
            "games": hub.live.describe(),
        }

    def _kick(self, rest: str) -> Answer:
        peer = self._hub.peers.get(int(rest)) if rest.isdecimal() else None
        if peer is None:
            raise ValueError(f"no connection {rest!r}: `list` shows their numbers")
        peer.part("kicked by the administrator")
        return {"kicked": peer.number}

    def _pause(self, _rest: str) -> Answer:
        self._check_up()
        self._hub.pairing.close("no game may begin for now")
        return {"pairing": self._hub.pairing.reason}

    def _resume(self, _rest: str) -> Answer:
        self._check_up()
        self._hub.pairing.open()
        return {"pairing": "open"}

    def _check_up(self) -> None:
        if self._hub.is_closing:
            raise ValueError("the daemon is going down")

    def _abort(self, rest: str) -> Answer:
        try:
            game = self._hub.live.find(rest)
        except PeerError as error:
            raise ValueError(error.detail) from None
        if game.abort is None:
            raise ValueError(f"{rest} is not being played")
        game.abort("aborted by the administrator")
        return {"aborted": rest}

    def _broadcast(self, rest: str) -> Answer:
        text = one_line(rest)
        if not text:
            raise ValueError("expected a text")
        told = 0
        for game in self._hub.live:
            told += game.watchers
            game.notice(text)
        return {"told": told}


def _describe(peer: Peer) -> dict[str, Any]:
    requests, errors = peer.worker.asked if peer.worker is not None else (0, 0)
    return {
        "number": peer.number,
        "kind": peer.kind,
        "host": peer.host,
        "engine": None if peer.engine is None else peer.engine.name,
        "unread": peer.is_unread,
        "requests": requests,
        "errors": errors,
    }
