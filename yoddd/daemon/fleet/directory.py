"""The directories that the nodes of a fleet publish to each other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import attrs

from yoddd.store.fleet import Process


@attrs.frozen
class Directory:
    """The users, engines, games and matches of one node.

    Attributes:
        users: the users that have logged in, each with the time in seconds since 1970 by the
            node's clock.
        engines: the names of the engines that have attached.
        games: by id, the line of ``games`` and the folded names of the users who play the game and
            could `resume` it.
        matches: the lines of ``matches``.
    """

    users: dict[str, float] = attrs.Factory(dict)
    engines: list[str] = attrs.Factory(list)
    games: dict[str, tuple[str, list[str]]] = attrs.Factory(dict)
    matches: list[str] = attrs.Factory(list)

    def dump(self) -> str:
        """Return the directory as JSON, the form in which the store has it."""
        values = {
            "people": self.users,
            "engines": self.engines,
            "games": self.games,
            "matches": self.matches,
        }
        return json.dumps(values, separators=(",", ":"))

    @classmethod
    def load(cls, text: str) -> Directory:
        """Parse what `dump` of another node has written.

        Missing fields are empty, and the fields that a newer version adds are ignored.
        """
        raw: dict[str, Any] = json.loads(text)
        return cls(
            users=raw.get("people", {}),
            engines=raw.get("engines", []),
            games=raw.get("games", {}),
            matches=raw.get("matches", []),
        )


class NodeDirectory:
    """The nodes that are alive, and a mirror of the directories of all but this one."""

    def __init__(self) -> None:
        """Create an empty mirror; see `update`."""
        # The number of this node; 0 before the first update.
        self._own = 0
        # The nodes whose leases hold, oldest first, this one included; replaced by each update.
        self._alive: tuple[Process, ...] = ()
        # The parsed directories of the other nodes, by number. An update adds, replaces and
        # removes entries; the keys are the other nodes that are alive.
        self._others: dict[int, Directory] = {}
        # The same directories as the store had them at the last update, to parse only those that
        # have changed since.
        self._texts: dict[int, str] = {}

    def update(self, own: int, alive: tuple[Process, ...]) -> list[Directory]:
        """Replace the mirror; returns the directories that have changed.

        Args:
            own: the number of this node.
            alive: the nodes whose leases hold, oldest first.
        """
        self._own, self._alive = own, alive
        texts = {node.number: node.directory for node in alive if node.number != own}
        changed = {
            number: Directory.load(text)
            for number, text in texts.items()
            if self._texts.get(number) != text
        }
        self._others |= changed
        for number in set(self._others) - set(texts):
            del self._others[number]
        self._texts = texts
        return list(changed.values())

    @property
    def others(self) -> Mapping[int, Directory]:
        """The directories of the other nodes, by number."""
        return self._others

    @property
    def engine_node(self) -> Process | None:
        """The oldest node, to which engines are relayed; None if that is this one."""
        oldest = self._alive[0] if self._alive else None
        return None if oldest is None or oldest.number == self._own else oldest

    def find_node(self, number: int) -> Process | None:
        """Return the node with this number, or None if it is not alive."""
        return next((node for node in self._alive if node.number == number), None)

    def find_owner(self, game_id: str) -> int | None:
        """Return the number of the other node that has published a game; None if none has."""
        return next((number for number, one in self._others.items() if game_id in one.games), None)

    def remote_names(self) -> list[tuple[str, str]]:
        """Return the name and the kind, as in ``who``, of each user and engine of other nodes."""
        directories = self._others.values()
        users = [(name, "person") for one in directories for name in one.users]
        return users + [(name, "engine") for one in directories for name in one.engines]
