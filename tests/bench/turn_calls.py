"""Counts the calls of functions of yoddd in a human's turn, from its bytes to its commit.

``python -m tests.bench.turn_calls`` prints the number of calls, the classes of the objects of the
lobby, the referee and the store that the turn passes, and which of them it changes; with ``--list``
each function.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sized
from pathlib import Path
from types import FrameType
from typing import Any, Final

import attrs
from twisted.logger import globalLogBeginner

import yoddd
from tests.simulation import outside
from tests.simulation.daemon import TEXT
from tests.simulation.plan import Plan
from tests.simulation.runner import Simulation
from tests.simulation.wires import Wire

YODDD: Final = f"{Path(yoddd.__file__).parent}/"
OWNERS: Final = ("daemon/lobby/", "daemon/play/", "daemon/base/store/")
OWNERS_BELOW: Final = ("referee/hosted/", "referee/game/game.py")
"""The folders whose objects a turn passes between the session and the store."""


@attrs.define(eq=False)
class Client:
    """A client over TCP that keeps the daemon's bytes."""

    text: str = ""

    def heard(self, data: bytes) -> None:
        pass

    def wrote(self, data: bytes) -> None:
        pass

    def took(self, data: bytes) -> None:
        self.text += data.decode()

    def closing(self) -> None: ...

    def lost(self) -> None:
        pass


@attrs.define
class Count:
    """The calls of one turn.

    Attributes:
        calls: by function.
        given: how many there were until the turn was given to the next commit.
        owners: the objects that are passed, each with its state before.
        is_over: whether the turn has been committed.
    """

    calls: Counter[str] = attrs.Factory(Counter)
    owners: dict[int, tuple[object, list[object]]] = attrs.Factory(dict)
    given: int = 0
    is_over: bool = False

    def note(self, frame: FrameType, event: str, _arg: Any) -> None:
        """Take an event of the profiler; comprehensions are no functions."""
        code = frame.f_code
        if event != "call" or self.is_over or not code.co_filename.startswith(YODDD):
            return
        if code.co_name.startswith("<") and code.co_name != "<lambda>":
            return
        path = code.co_filename.removeprefix(YODDD)
        self.calls[f"{path} {code.co_qualname}"] += 1
        owner = frame.f_locals.get("self")
        if owner is not None and path.startswith((*OWNERS, *OWNERS_BELOW)):
            self.owners.setdefault(id(owner), (owner, state_of(owner)))
        if code.co_qualname == "GroupCommit.commit":
            self.given = self.calls.total()
        self.is_over = code.co_qualname == "add_turns"

    @property
    def changed(self) -> list[str]:
        """The classes of the owners that the turn has changed."""
        found = [one for one, before in self.owners.values() if state_of(one) != before]
        return [type(one).__name__ for one in found]


def state_of(owner: object) -> list[object]:
    """The fields of an object, with the sizes of its containers."""
    names = [*getattr(owner, "__dict__", {}), *getattr(type(owner), "__slots__", ())]
    values = [getattr(owner, name, None) for name in names if not name.startswith("__")]
    return [(id(one), len(one) if isinstance(one, Sized) else 0) for one in values]


def count() -> tuple[Count, list[str]]:
    """Play a game of two humans over TCP, with a store; count the second turn, and its changes."""
    simulation = Simulation(Plan(1, True, (), (), 0.0))
    wires: list[tuple[Wire, Client]] = []

    def ask(wire: Wire, client: Client, line: str) -> str:
        client.text = ""
        wire.send(f"{line}\n".encode())
        simulation._until(lambda: client.text.endswith("\n\n"), 5)
        return client.text.strip().removeprefix("=").strip()

    with outside.replaced():
        simulation.house.boot()
        simulation._until(lambda: simulation.house.is_ready, 60)
        for number in (1, 2):
            client = Client()
            wires.append((simulation.connect(TEXT, f"198.51.100.{number}", client), client))
        (black, _), (white, reader) = wires
        game, key = ask(*wires[0], "seek gil board=hex3 seat=b").split()
        other = ask(*wires[1], f"accept {game} hal")
        assert ask(black, wires[0][1], f"put {key} 1a1 1") == ""
        found, reader.text = Count(), ""
        sys.setprofile(found.note)
        white._protocol.dataReceived(f"put {other} 1b1 2\n".encode())
        simulation._until(lambda: found.is_over, 5)
        sys.setprofile(None)
        changed = found.changed
        simulation._until(lambda: bool(reader.text), 5)
        assert found.is_over
        assert reader.text.startswith("="), reader.text
        simulation.house.crash()
    return found, changed


def main() -> None:
    """Print the count."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.turn_calls", description=__doc__)
    parser.add_argument("--list", action="store_true", help="print each function")
    options = parser.parse_args()
    globalLogBeginner.beginLoggingTo([], redirectStandardIO=False, discardBuffer=True)
    found, changed = count()
    if options.list:
        for name, calls in found.calls.items():
            print(f"{calls:4} {name}")
    files = {name.split()[0] for name in found.calls}
    print(f"{found.given} calls until the turn is in the next commit")
    print(f"{found.calls.total()} calls in {len(files)} files until that is written")
    print("passes:", *(type(one).__name__ for one, _ in found.owners.values()))
    print("changes:", *changed)


if __name__ == "__main__":
    main()
