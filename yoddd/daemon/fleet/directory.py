"""The directories that the nodes of a fleet publish to each other."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import attrs

from yoddd.store.fleet import Process


@attrs.frozen
class Directory:
    """What one node offers.

    Attributes:
        people: the users that have logged in, and when by the node's calendar.
        engines: the engines that have attached.
        games: by id, the line of ``games`` and the folded names of the users who play the game and
            could `resume` it.
        matches: the lines of ``matches``.
    """

    people: dict[str, float] = attrs.Factory(dict)
    engines: list[str] = attrs.Factory(list)
    games: dict[str, tuple[str, list[str]]] = attrs.Factory(dict)
    matches: list[str] = attrs.Factory(list)

    def dump(self) -> str:
        """Return it as it is kept in the store."""
        return json.dumps(attrs.asdict(self, recurse=False), separators=(",", ":"))

    @classmethod
    def load(cls, text: str) -> Directory:
        """Read what another node has published; unknown fields of a newer one are ignored."""
        raw: dict[str, Any] = json.loads(text)
        names = [field.name for field in attrs.fields(cls)]
        return cls(**{name: raw[name] for name in names if name in raw})


class NodeDirectory:
    """The nodes that are alive, and a mirror of what those besides this one offer."""

    def __init__(self) -> None:
        """Create an empty mirror; see `update`."""
        # This node's number; 0 before the first update.
        self._own = 0
        # The nodes whose leases hold, oldest first, as the store had them last.
        self._alive: tuple[Process, ...] = ()
        # What the others have published: parsed, and as text to see what has changed.
        self._others: dict[int, Directory] = {}
        self._texts: dict[int, str] = {}

    def update(self, own: int, alive: tuple[Process, ...]) -> list[Directory]:
        """Take over what the store has; returns the directories that have changed.

        Args:
            own: the number of this node.
            alive: the nodes whose leases hold, oldest first.
        """
        self._own, self._alive = own, alive
        texts = {one.number: one.directory for one in alive if one.number != own}
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
    def known(self) -> Iterable[tuple[int, Directory]]:
        """The number and the directory of each of the others."""
        return self._others.items()

    @property
    def others(self) -> Iterable[Directory]:
        """The directories of the others."""
        return self._others.values()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the others."""
        return tuple(self._texts)

    @property
    def oldest(self) -> Process | None:
        """The node that engines attach to; None if that is this one."""
        first = self._alive[0] if self._alive else None
        return None if first is None or first.number == self._own else first

    def find_node(self, number: int) -> Process | None:
        """Return the node of a number while it is alive."""
        return next((one for one in self._alive if one.number == number), None)

    def home_of(self, game_id: str) -> int | None:
        """Return the other node that has a game, as far as it was published."""
        return next((number for number, one in self._others.items() if game_id in one.games), None)

    def elsewhere(self) -> list[tuple[str, str]]:
        """Return name and kind of every user and engine at another node."""
        found = [(name, "person") for one in self.others for name in one.people]
        return found + [(name, "engine") for one in self.others for name in one.engines]
