"""The plan of a simulation, drawn from its seed; a smaller plan of that seed is a shorter one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

FAULTS: Final = {
    "cut": 0.02,  # of the pieces that a connection carries, it is lost within
    "split": 0.1,  # of the pieces arrive in two
    "away": 0.04,  # of the requests to the store fail, each third one by a read of the disk
    "unsure": 0.03,  # of them fail although they are done
    "full": 0.01,  # of the writes find the disk full, and those of the next seconds
    "slow": 0.1,  # of the requests to the store take seconds
    "late": 0.1,  # of the results of threads are late
    "crash": 0.0008,  # of the events are the last of a daemon
    "calendar": 0.002,  # of the events set the calendar
    "memory": 0.002,  # of the events leave the daemon short of memory, for some seconds
    "lock": 0.002,  # of the events end the session that holds the lock of the store
}
"""The faults, with their rates."""

OF_THE_STORE: Final = ("away", "unsure", "full", "slow", "crash", "lock")

CLIENTS: Final = {
    "pair": 10,
    "stranger": 3,
    "solo": 4,
    "match": 3,
    "measure": 3,
    "administrator": 2,
    "standby": 2,
    "ladder": 2,
    "visitor": 3,
    "member": 1,
    "searcher": 3,
    "author": 2,
    "tournament": 1,
}
"""The kinds of clients, with the weights by which they are drawn."""

OPERATIONS: Final = (
    "abort",  # the administrator aborts games
    "away",  # clients leave for a while, in the middle of a game
    "claim",  # they claim the game of one who is away for some seconds
    "crowd",  # the daemon has places for few games
    "desert",  # they leave for so long that a game that a restart has interrupted ends
    "invite",  # they offer games by invites, which they accept late, or too late
    "meddle",  # they ask out of turn
    "mute",  # engines stop answering, both in one instant
    "queue",  # several games wait for one engine
    "resign",
    "snatch",  # another client accepts an offer at the same moment
    "takeback",
    "think",  # they play slowly
    "withdraw",
)
"""What the clients of a plan can favour."""

NEEDS: Final = {
    "abort": ("administrator", "slow"),
    "crowd": ("pair", "pair", "crash"),
    "desert": ("crash", "slow"),
    "meddle": ("solo", "slow"),
    "mute": ("match",),
    "queue": ("solo",),
    "snatch": ("slow",),
    "withdraw": ("slow",),
}
"""The clients and faults without which an operation does not happen."""

STRONGLY: Final = 5
"""By how much the rate of a kind of faults that a plan favours is higher."""


@attrs.frozen
class Alone:
    """Clients that have plans for themselves.

    Attributes:
        share: of the plans.
        favours: of the plans; a kind of faults among them may be absent.
        faults: the kinds that a plan has in any case: one of these is drawn.
    """

    share: float
    clients: tuple[str, ...]
    seconds: float
    favours: tuple[str, ...]
    faults: tuple[tuple[str, ...], ...] = ((),)


ALONE: Final = (
    Alone(
        0.2,
        ("corner",),
        130.0,
        ("claim", "crowd", "desert"),  # whose limits are small enough
        (("slow", "crash"), ("slow", "away"), ("slow", "crash", "away")),
    ),
    Alone(0.06, ("pair", "pair"), 40.0, ("unsure",), (("away", "unsure"),)),
    Alone(0.09, ("match", "match"), 70.0, ("mute",)),  # who does not answer has 60 s
    Alone(
        0.04,
        ("daily", "solo"),
        130.0,
        ("crash", "desert", "claim"),  # a day has 20 s
        (("crash",), ("crash", "calendar"), ("crash", "slow", "away")),
    ),
    Alone(0.03, ("daily", "daily"), 40.0, ("takeback", "crash"), (("crash",), ("crash", "unsure"))),
    Alone(0.03, ("member", "member", "administrator"), 40.0, (), ((), ("slow",), ("away",))),
    Alone(
        0.03,
        ("tournament", "tournament", "tournament"),
        60.0,
        (),
        ((), ("full",), ("slow",)),
    ),
    Alone(0.03, ("author", "author"), 40.0, ("crash",), (("crash",), ("crash", "slow"), ("cut",))),
    Alone(0.03, ("choosy", "solo"), 60.0, (), ((), ("cut",), ("slow",), ("slow", "crash"))),
    Alone(
        0.06,
        ("daily", "daily"),
        60.0,
        ("pause", "crash", "desert"),  # who ask for pauses, and leave for longer than a day
        (("crash",), ("crash", "calendar"), ("crash", "slow", "away")),
    ),
    Alone(
        0.02,
        ("inviter", "inviter"),
        40.0,
        (),
        (("crash",), ("crash", "slow"), ("crash", "away")),
    ),
)
"""Those by which the rare phases of games are reached; others meet in the other plans."""

WITH_STORE: Final = ("standby", "ladder", "outsider", "member")
"""Those that need a store."""

KEPT: Final = Path(__file__).parent / "kept.txt"
"""A plan for each bug that was found, with its name: each gate runs them."""


@attrs.frozen
class Plan:
    """One simulation.

    Attributes:
        seed: decides everything that the others leave open.
        has_store: whether the daemon has a store.
        clients: the kinds of clients; each plays by a chance of its own.
        faults: the kinds of faults that happen.
        seconds: of virtual time after which the faults end.
        only: by kind, the numbers of the faults that happen, from 0; all of a kind without an
            entry.
        favours: the operations of clients and kinds of faults that happen most.
    """

    seed: int
    has_store: bool
    clients: tuple[tuple[int, str], ...]
    faults: tuple[str, ...]
    seconds: float
    only: tuple[tuple[str, tuple[int, ...]], ...] = ()
    favours: tuple[str, ...] = ()

    @staticmethod
    def of(seed: int) -> Plan:
        """Draw the plan of a seed: some of the clients and faults, so that all mixtures occur.

        It favours few operations and faults: what needs many of one kind is reached by some plans,
        and hardly ever by those that have a little of everything.
        """
        chance = random.Random(f"plan {seed}")
        share = chance.random()
        for one in ALONE:
            share -= one.share
            if share < 0:
                return Plan._alone(seed, chance, one)
        has_store = chance.random() < 0.7
        kinds = chance.choices(list(CLIENTS), list(CLIENTS.values()), k=chance.randint(1, 3))
        kinds[0] = "pair"
        possible = [one for one in FAULTS if has_store or one not in OF_THE_STORE]
        faults = [one for one in possible if chance.random() < 0.4]
        seconds = chance.choice((6.0, 10.0, 15.0, 20.0))
        favours = chance.sample(OPERATIONS, chance.randint(1, 3))
        needed = [one for word in favours for one in NEEDS.get(word, ())]
        favours += [one for one in needed if one in possible]
        favours += chance.sample(faults, min(len(faults), chance.randint(0, 2)))
        seconds = max(seconds, 30.0) if "mute" in favours else seconds
        if "measure" in kinds and chance.random() < 0.6:  # limits of 120, 300 and 10 s
            alone, seconds = chance.choice(
                (("measure", 130.0), ("patient", 310.0), ("outsider", 25.0))
            )
            kinds, needed, favours = [alone], [], []
        kinds += [one for one in needed if one in CLIENTS]
        faults = [one for one in possible if one in (*faults, *favours)]
        favours = list(dict.fromkeys(favours))
        kinds = [one for one in kinds if has_store or one not in WITH_STORE] or ["pair"]
        clients = tuple(enumerate(kinds))
        return Plan(seed, has_store, clients, tuple(faults), seconds, favours=tuple(favours))

    @staticmethod
    def _alone(seed: int, chance: random.Random, alone: Alone) -> Plan:
        """Draw a plan for clients that are alone, with few other faults."""
        needed = chance.choice(alone.faults)
        faults = tuple(one for one in FAULTS if chance.random() < 0.1 or one in needed)
        clients = tuple(enumerate(alone.clients))
        return Plan(seed, True, clients, faults, alone.seconds, favours=alone.favours)

    def with_(self, word: str) -> Plan:
        """The plan with one more favour, kind of faults, or client."""
        if word in OPERATIONS:
            return attrs.evolve(self, favours=tuple(dict.fromkeys((*self.favours, word))))
        if word in FAULTS:
            return attrs.evolve(self, faults=tuple(dict.fromkeys((*self.faults, word))))
        clients = (*self.clients, (len(self.clients), word))
        return attrs.evolve(self, clients=clients, has_store=self.has_store or word in WITH_STORE)

    def has(self, kind: str) -> bool:
        """Whether a kind of client takes part."""
        return any(one == kind for _, one in self.clients)

    def smaller(self, count: Mapping[str, int]) -> Iterator[Plan]:
        """Yield plans with less in them; ``count`` says how many faults of a kind happened."""
        if self.seconds > 1:
            yield attrs.evolve(self, seconds=self.seconds / 2)
        for one in self.clients if len(self.clients) > 1 else ():
            yield attrs.evolve(self, clients=tuple(two for two in self.clients if two != one))
        for fault in self.faults:
            yield attrs.evolve(self, faults=tuple(two for two in self.faults if two != fault))
        for word in self.favours:
            yield attrs.evolve(self, favours=tuple(two for two in self.favours if two != word))
        only = dict(self.only)
        for fault in self.faults:
            numbers = only.get(fault, tuple(range(count[fault])))
            size = max(1, len(numbers) // 4)
            for start in range(0, len(numbers), size) if len(numbers) > 1 else ():
                fewer = numbers[:start] + numbers[start + size :]
                yield attrs.evolve(self, only=tuple((only | {fault: fewer}).items()))

    def __str__(self) -> str:
        clients = ",".join(f"{number}:{kind}" for number, kind in self.clients)
        only = {kind: ":" + "+".join(map(str, numbers)) for kind, numbers in self.only}
        faults = ",".join(kind + only.get(kind, "") for kind in self.faults)
        words = f"store={int(self.has_store)} clients={clients} faults={faults}"
        words += f" favours={','.join(self.favours)}" if self.favours else ""
        return f"{self.seed} {words} seconds={self.seconds:g}"

    @staticmethod
    def read(text: str) -> Plan:
        """Read what `__str__` has written, or a seed alone."""
        seed, *words = text.split()
        given = dict(word.split("=", 1) for word in words)
        if not given:
            return Plan.of(int(seed))
        pairs = [one.split(":") for one in given["clients"].split(",")]
        clients = tuple((int(number), kind) for number, kind in pairs)
        faults = [one.partition(":") for one in filter(None, given["faults"].split(","))]
        only = [(kind, tuple(map(int, text.split("+")))) for kind, _, text in faults if text]
        return Plan(
            int(seed),
            given["store"] == "1",
            clients,
            tuple(kind for kind, _, _ in faults),
            float(given["seconds"]),
            tuple(only),
            tuple(filter(None, given.get("favours", "").split(","))),
        )


def kept() -> dict[Plan, str]:
    """The plans of the file, each with what it has found."""
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    pairs = [line.partition("#") for line in lines if line.strip() and line[0] != "#"]
    return {Plan.read(plan): text.strip() for plan, _, text in pairs}


def keep(plan: Plan, violation: str) -> None:
    """Add a plan to the file; its bug is given a name when it is mended."""
    with KEPT.open("a", encoding="utf-8") as file:
        file.write(f"{plan} # {' '.join(violation.split())[:160]}\n")
