"""Marks: the corners that a simulation has been to, counted while its games take their events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final
from weakref import WeakSet

from yoddd.protocol.lobby import Claim
from yoddd.referee.game.effects import Call, Finished, Paused, TurnPlayed, TurnsTakenBack
from yoddd.referee.hosted.events import (
    Accept,
    Alarm,
    Event,
    Kept,
    Open,
    Present,
    Rematched,
    Requested,
    Suspend,
    Withdraw,
)
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.hosted.state import Phase
from yoddd.referee.seat import Seat

PAIRS: Final = {
    Phase.OFFERED: "Open Accept Arrived Present Alarm Kept Put TakeBack Claim Lapse SetKey "
    "Withdraw Terminate",
    Phase.TAKEN: "Accept Present Kept Refused Put TakeBack Claim Withdraw Terminate",
    Phase.WAITING: "Arrived Present Alarm Kept Put TakeBack Claim Lapse SetKey Withdraw Terminate "
    "Suspend",
    Phase.PLAYING: "Present Ready Replied Lost Sent Alarm Prompt Begun Kept Refused Put TakeBack "
    "Pause Claim SetKey Withdraw Terminate Suspend Call",
    Phase.OVER: "Kept Refused Terminate Propose Rematched Leave",
}
"""The events that a game of each phase can be given, requests by their names."""

SELDOM: Final = {
    Phase.OFFERED: "Refused",
    Phase.TAKEN: "Lapse",
    Phase.WAITING: "Refused",
    Phase.PLAYING: "Accept Lapse",
    Phase.OVER: "Accept Begun",
}
"""Those that it is given too, by two clients or a fault at the right moment."""

OTHERS: Final = (
    "a turn taken back",
    "two turns taken back",
    "the first turn taken back",
    "a claim granted",
    "an offer withdrawn",
    "an invite accepted",
    "an invite expired",
    "the wait for an engine ended",
    "both late in one instant",
    "both away",
    "one did not return",
    "neither returned",
    "a suspended game restored",
    "three games wait for an engine",
    *("by day: a claim", "by day: lost by time", "by day: a turn taken back", "by day: a restart"),
    *("by day: an engine is called", "by day: a pause", "by day: a pause ended by a turn"),
    *(f"a restart while {phase.value}" for phase in Phase),
    *(f"a rematch after {reason}" for reason in ("groups", "resign", "time", "disconnect", "void")),
)


def _names(pairs: Mapping[Phase, str]) -> tuple[str, ...]:
    return tuple(
        f"{phase.value}: {name}" for phase, names in pairs.items() for name in names.split()
    )


WANTED: Final = (*_names(PAIRS), *OTHERS)
"""All marks that are to be reached."""

LEAST: Final = 20
"""How often each has to be reached in `MANY` drawn seeds."""

MANY: Final = 300

_HANDLE: Final = HostedGame.handle


class Marks:
    """The marks of one simulation.

    Attributes:
        count: how often each was reached, by name.
        waiting: returns how many games wait for one engine.
        decided: when each end was decided, by the id and the end of its record.
        games: those that are in memory.
    """

    def __init__(self, waiting: Callable[[], int], decided: dict[tuple[str, str], float]) -> None:
        self.count: Counter[str] = Counter()
        self.waiting, self.decided = waiting, decided
        self.games: WeakSet[HostedGame] = WeakSet()
        self._suspended: set[str] = set()

    def handle(self, game: HostedGame, event: Event, now: float) -> list[Any]:
        """Let a game take an event, and note what it was in and what came of it."""
        phase, turns = game.phase, len(game.turns)
        self.games.add(game)
        name = type(event.request if isinstance(event, Requested) else event).__name__
        self.count[f"{phase.value}: {name}"] += 1
        if phase is Phase.PLAYING and isinstance(event, Alarm):
            self.count["both late in one instant"] += _are_late(game, now)
        if game.by_day and name == "Claim":
            self.count["by day: a claim"] += 1
        is_paused = game.game is not None and game.game.pause_left(now) > 0
        effects = _HANDLE(game, event, now)
        if game.by_day:
            self.count["by day: an engine is called"] += any(
                isinstance(one, Call) for one in effects
            )
        if is_paused and any(isinstance(one, TurnPlayed) for one in effects):
            self.count["by day: a pause ended by a turn"] += 1
        records = [one.record for one in effects if isinstance(one, Finished)]
        self.decided |= {(one.id, one.ended): now for one in records}
        self.count.update(self._reached(game, event, phase, turns))
        return effects

    def _reached(  # noqa: C901, PLR0912 — one match over the events
        self, game: HostedGame, event: Event, phase: Phase, turns: int
    ) -> Iterator[str]:
        """Yield what an event has led to that came in a phase, after some turns."""
        match event:
            case Kept(Finished(_, record)) if game.by_day and record.reason == "time":
                yield "by day: lost by time"
            case Kept(Paused()):
                yield "by day: a pause"
            case Kept(TurnsTakenBack(length)):
                yield from ["by day: a turn taken back"] * game.by_day
                yield ("a turn" if turns - length == 1 else "two turns") + " taken back"
                yield from ["the first turn taken back"] * (length == 0)
            case Requested(_, Claim()):
                yield "a claim granted"
            case Withdraw(token) if token is not None:
                yield "an offer withdrawn"
            case Accept() if game.terms.invite is not None:
                yield "an invite accepted"
            case Alarm() if phase is Phase.OFFERED and game.phase is Phase.OVER:
                is_invite = game.terms.invite is not None
                yield "an invite expired" if is_invite else "the wait for an engine ended"
            case Alarm() if phase is Phase.WAITING and game.is_ending:
                away = sum(game.away[seat] is not None for seat in Seat)
                yield "neither returned" if away == len(Seat) else "one did not return"
            case Present() if phase is Phase.PLAYING and None not in game.away:
                yield "both away"
            case Suspend():
                self._suspended.add(game.id)
            case Open(started) if started is not None and game.id in self._suspended:
                self._suspended.remove(game.id)
                yield "a suspended game restored"
            case Open() if self.waiting() > 2:
                yield "three games wait for an engine"
            case Rematched() if game.record is not None:
                yield f"a rematch after {game.record.reason}"

    def crashed(self, games: Iterable[HostedGame]) -> None:
        """Note the phases of the games of a daemon that crashes."""
        for game in games:
            self.count[f"a restart while {game.phase.value}"] += 1
            self.count["by day: a restart"] += game.by_day and game.phase is Phase.PLAYING


def _are_late(game: HostedGame, now: float) -> bool:
    states = () if game.game is None else game.game._states
    return bool(states) and all(one.due <= now for one in states)


def scarce(count: Counter[str], seeds: int) -> list[str]:
    """The marks that some drawn seeds have not reached often enough, but once in any case."""
    least = max(1, LEAST * seeds // MANY)
    return [one for one in WANTED if count[one] < least]


def unknown(count: Counter[str]) -> list[str]:
    """The marks that none of the lists has, such as a pair that was taken for impossible."""
    return sorted({*count} - {*WANTED, *_names(SELDOM)})


def table(count: Counter[str]) -> str:
    """The marks, the rarest first, each with how often it was reached."""
    names = sorted({*WANTED, *count}, key=lambda one: (count[one], one))
    return "\n".join(
        f"{count[one]:9} {one}{'' if one in WANTED else ' (not wanted)'}" for one in names
    )
