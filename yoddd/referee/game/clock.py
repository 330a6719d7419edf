"""Time controls, their notation, the GTP commands that describe them, and the clock of a seat.

Time is an argument everywhere: seconds of any monotonic clock, as floats.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Any, Final

import attrs

from yoddd.rules import Colour

_NUMBER: Final = r"([0-9]{1,7}(?:\.[0-9]{1,6})?)"
_MAIN: Final = re.compile(rf"(?:([1-9][0-9]{{0,3}})/)?{_NUMBER}(?:\+{_NUMBER})?", re.ASCII)
_KEYED: Final = re.compile(rf"(move|start|lag|margin)={_NUMBER}", re.ASCII)
_BYOYOMI: Final = re.compile(rf"byoyomi=(?:([1-9][0-9]{{0,2}})x)?{_NUMBER}", re.ASCII)
_HOURGLASS: Final = re.compile(rf"hourglass={_NUMBER}", re.ASCII)
_DAYS: Final = re.compile(r"days=([1-9]|1[0-4])", re.ASCII)
_UNLIMITED: Final = "none"
DAY: Final = 86400.0
"""Seconds of a day."""
_LEAST: Final = 0.001
"""The fewest seconds that an engine is told."""

COMPARED: Final = 40
"""Turns of a participant for which time controls of any kind are compared."""

FORMS: Final = {
    _UNLIMITED: "no limit",
    "[MOVES/]MAIN[+INCREMENT]": "seconds for the game, given again after so many turns, and "
    "seconds that are added after each turn",
    "hourglass=S": "S seconds for the game; what a turn takes is added to the opponent's time",
    "byoyomi=NxS": "N periods of S seconds after the main time; a turn within one costs nothing",
    "move=S": "S seconds for each turn",
    "start=S": "S seconds for the first turn, which costs nothing",
    "lag=S": "S seconds of each turn that are not charged",
    "margin=S": "S seconds by which a turn may be late",
    "days=N": "by the day, alone: 1 to 14 days for each turn",
}
"""The parts of a time control, which commas join, and their meanings."""


class ClockError(ValueError):
    """A text that is not a time control."""


@attrs.frozen
class TimeControl:
    """The time that a participant has; the default is no limit.

    Attributes:
        main: seconds for the whole game; None for no such limit.
        increment: seconds added to the main time after each turn.
        hourglass: whether the seconds of a turn are added to the main time of the opponent.
        move: seconds for one turn; None for no such limit.
        start: seconds for the first turn, which is not charged; None if it is as the others.
        days: those for each turn of a game by the day, which `move` has in seconds; None in others.
        lag: seconds of every turn that are not charged, for the latency of the network.
        moves: turns after which the main time is given again; None for once only.
        margin: seconds by which a turn may be late; they are charged, as far as time is left.
        period: seconds of each period of byo-yomi, which follow the main time; None without. A turn
            within a period costs nothing, and one that is longer uses up the whole periods in it.
        periods: how many periods there are.
    """

    main: float | None = None
    increment: float = 0.0
    move: float | None = None
    lag: float = 0.0
    moves: int | None = None
    margin: float = 0.0
    period: float | None = None
    periods: int = 0
    start: float | None = None
    hourglass: bool = False
    days: int | None = None

    @property
    def limited(self) -> bool:
        """Whether a turn can be late at all."""
        return self.main is not None or self.move is not None

    @property
    def length(self) -> float:
        """The seconds for `COMPARED` turns, which order all time controls; infinite without limit.

        Those of ``start``, ``lag`` and ``margin`` do not count.
        """
        whole = each = math.inf
        if self.main is not None:
            times = max(1.0, COMPARED / self.moves) if self.moves else 1.0
            whole = self.main * times + COMPARED * (self.increment + (self.period or 0.0))
        if self.move is not None:
            each = COMPARED * self.move
        return min(whole, each)

    def __str__(self) -> str:
        if self.days is not None:
            return f"days={self.days}"
        parts = []
        if self.main is not None and self.hourglass:
            parts.append(f"hourglass={_spell(self.main)}")
        elif self.main is not None:
            moves = f"{self.moves}/" if self.moves else ""
            parts.append(f"{moves}{_spell(self.main)}+{_spell(self.increment)}")
        if self.period is not None:
            parts.append(f"byoyomi={self.periods}x{_spell(self.period)}")
        if self.move is not None:
            parts.append(f"move={_spell(self.move)}")
        if self.start is not None and parts:
            parts.append(f"start={_spell(self.start)}")
        if self.lag and parts:
            parts.append(f"lag={_spell(self.lag)}")
        if self.margin and parts:
            parts.append(f"margin={_spell(self.margin)}")
        return ",".join(parts) or _UNLIMITED


NO_LIMIT: Final = TimeControl()


def parse_clock(text: str) -> TimeControl:
    """Read a time control: ``none``, ``days=3``, ``60+1``, ``move=5``, or several with commas.

    Raises:
        ClockError: the text is none of these, repeats a key, leaves no time at all, or has byo-yomi
            with an increment, with moves in a time, or with an hourglass.
    """
    if text.strip().lower() == _UNLIMITED:
        return NO_LIMIT
    by_day = _DAYS.fullmatch(text.strip().lower())
    if by_day is not None:
        return TimeControl(move=int(by_day[1]) * DAY, days=int(by_day[1]))
    control = NO_LIMIT
    seen: set[str] = set()
    for key, values in [_parse_part(part) for part in text.strip().lower().split(",")]:
        if key in seen:
            raise ClockError(f"clock {text!r}: {key} is given twice")
        seen.add(key)
        control = attrs.evolve(control, **values)
    if control.period is not None:
        control = attrs.evolve(control, main=control.main or 0.0)
        if control.increment or control.moves or control.hourglass:
            raise ClockError(f"clock {text!r}: byo-yomi follows a main time such as 600")
    no_main = control.main == 0 and control.period is None
    if not control.limited or no_main or 0 in (control.move, control.period, control.start):
        raise ClockError(f"clock {text!r}: no time to play in; expected for example 60+1 or move=5")
    return control


def parse_live_clock(text: str) -> TimeControl:
    """Read a time control of a game that is played at a stretch, as between engines.

    Raises:
        ClockError: as for `parse_clock`, or the control is by the day.
    """
    control = parse_clock(text)
    if control.days is not None:
        raise ClockError(f"clock {text!r}: games by the day are offered in a lobby")
    return control


def _parse_part(part: str) -> tuple[str, dict[str, Any]]:
    """The key of a part, and the attributes that it sets."""
    keyed = _KEYED.fullmatch(part)
    if keyed is not None:
        return keyed[1], {keyed[1]: float(keyed[2])}
    periods = _BYOYOMI.fullmatch(part)
    if periods is not None:
        return "byoyomi", {"periods": int(periods[1] or 1), "period": float(periods[2])}
    hourglass = _HOURGLASS.fullmatch(part)
    if hourglass is not None:
        return "main", {"main": float(hourglass[1]), "hourglass": True}
    main = _MAIN.fullmatch(part)
    if main is None:
        *others, last = FORMS
        expected = f"{', '.join(others)} or {last}"
        raise ClockError(f"clock part {part!r}: expected {expected}")
    moves = int(main[1]) if main[1] else None
    return "main", {"moves": moves, "main": float(main[2]), "increment": float(main[3] or 0)}


def _spell(seconds: float) -> str:
    return f"{seconds:.6f}".rstrip("0").rstrip(".")


class Clock:
    """The clock of one seat in one game.

    Attributes:
        control: the time control that it runs under.
        is_running: whether a turn of the seat is due.
        remaining: seconds of main time left; None without main time. The increment of a turn is
            added as the turn ends.
        periods: periods of byo-yomi left, that which the next turn begins in included.
        deadline: the moment after which the turn is late; None while it rests or has no limit.
        allowed: seconds that the turn may take, before any lag and margin; None without a limit.
        excused: seconds of this turn that `deadline` has been moved by, because the machine or the
            referee took them and not the participant; they are charged, as far as time is left.
        turns: turns played.
        used: seconds that the turn which starts next has taken before a restart.
        paused: seconds for which it stands still before it goes on.
    """

    def __init__(self, control: TimeControl) -> None:
        """A clock at rest with its full time."""
        self.control = control
        self.remaining = control.main
        self.periods = control.periods
        self.is_running = False
        self.deadline: float | None = None
        self.allowed: float | None = None
        self.excused = 0.0
        self._started = 0.0
        # The end of the pause that the turn has begun with; its beginning if it has none.
        self._resumes = 0.0
        self.turns = 0
        self.used = self.paused = 0.0

    def start(self, now: float) -> None:
        """Start the clock at the beginning of a turn."""
        main = self.remaining
        if main is not None and self.control.period is not None:
            main += self.periods * self.control.period
        limits = [limit for limit in (main, self.control.move) if limit is not None]
        if limits and self._is_free:
            limits = [self.control.start or 0.0]
        self._resumes = now + self.paused
        self._started = self._resumes - self.used
        self.excused = self.used = self.paused = 0.0
        self.is_running = True
        grace = self.control.lag + self.control.margin
        self.allowed = min(limits, default=None)
        self.deadline = None if self.allowed is None else self._started + self.allowed + grace

    def pause(self, seconds: float, now: float) -> None:
        """Stand still for ``seconds`` from now on, or from the start of the turn if it rests."""
        self.paused = seconds
        used = self.elapsed(now)
        if used is not None:
            self.used = used
            self.start(now)

    def pause_left(self, now: float) -> float:
        """The seconds for which a turn that is due still stands still."""
        return max(0.0, self._resumes - now) if self.is_running else self.paused

    @property
    def _is_free(self) -> bool:
        """Whether the next turn is the first one, and costs nothing."""
        return self.turns == 0 and self.control.start is not None

    def lateness(self, now: float) -> float:
        """Seconds by which the turn is late, whatever was excused; 0 if it is in time."""
        return 0.0 if self.deadline is None else max(0.0, now - self.deadline + self.excused)

    def excuse(self, seconds: float) -> None:
        """Move the deadline of this turn by ``seconds`` altogether; it is never moved back."""
        more = seconds - self.excused
        if self.deadline is not None and more > 0:
            self.deadline += more
            self.excused = seconds

    def elapsed(self, now: float) -> float | None:
        """The seconds that the turn has taken so far; None while the clock rests."""
        return max(0.0, max(now, self._resumes) - self._started) if self.is_running else None

    def stop(self, now: float, opponent: Clock) -> float:
        """Stop the clock at the end of a turn in time; the seconds that the turn took."""
        elapsed = self.elapsed(now) or 0.0
        self.is_running = False
        self.deadline = None
        self.charge(elapsed, opponent)
        return elapsed

    def charge(self, elapsed: float, opponent: Clock) -> None:
        """Charge the seconds of a turn and add its increment; also for turns before a restart.

        Those of an hourglass run into the opponent's clock.
        """
        is_free = self._is_free
        self.turns += 1
        if self.remaining is not None:
            charged = 0.0 if is_free else max(0.0, elapsed - self.control.lag)
            if opponent.control.hourglass and opponent.remaining is not None:
                opponent.remaining += min(charged, self.remaining)
            self._use_periods(charged - self.remaining)
            self.remaining = max(0.0, self.remaining - charged) + self.control.increment
            self._refill()

    def _use_periods(self, over: float) -> None:
        """Use up the whole periods in the seconds of a turn beyond the main time."""
        if over > 0 and self.control.period is not None:
            used = math.ceil(over / self.control.period) - 1
            self.periods = max(1, self.periods - used)

    def _refill(self) -> None:
        """Add the main time again after the last of its turns."""
        moves, main = self.control.moves, self.control.main
        if moves and main is not None and self.remaining is not None and self.turns % moves == 0:
            self.remaining += main


# -- what an engine is told -------------------------------------------------------------------


def told_settings(control: TimeControl, commands: Collection[str]) -> str | None:
    """The request that tells an engine with these commands its time control; None if it has none.

    ``kata-time_settings`` has float seconds and all that we have. GTP's ``time_settings`` has whole
    seconds of main time, Canadian byo-yomi and stones: moves in a time are its byo-yomi, a time per
    move is one stone of it, and of our byo-yomi it has one period. It has no increment. Neither has
    a time per move beside a main time: then the main time alone is stated, and `told_left` corrects
    it. By the day no limit is stated: an engine is not to think for days.
    """
    if control.days is not None:
        control = NO_LIMIT
    if "kata-time_settings" in commands:
        return f"kata-time_settings {_kata(control)}"
    return f"time_settings {_gtp(control)}" if "time_settings" in commands else None


def _kata(control: TimeControl) -> str:
    main, move = control.main, control.move
    if main is not None and control.period is not None:
        return f"byoyomi {_spell(main)} {_spell(control.period)} {control.periods}"
    if main is not None and control.moves:
        return f"canadian 0 {_spell(main)} {control.moves}"
    if main is not None and control.increment:
        return f"fischer {_spell(main)} {_spell(control.increment)}"
    if main is not None:
        return f"absolute {_spell(main)}"
    return "none" if move is None else f"byoyomi 0 {_spell(move)} 1"


def _gtp(control: TimeControl) -> str:
    main, move = control.main, control.move
    if main is not None and control.period is not None:
        return f"{_whole(main) if main else 0} {_whole(control.period)} 1"
    if main is not None and control.moves:
        return f"0 {_whole(main)} {control.moves}"
    if main is not None:
        return f"{_whole(main)} 0 0"
    # By GTP's definition byo-yomi of no stones is no limit.
    return "0 1 0" if move is None else f"0 {_whole(move)} 1"


def told_left(clock: Clock, colour: Colour, commands: Collection[str]) -> str | None:
    """The request that tells an engine with these commands the time left for its next turn.

    Behind the seconds stand 0 for main time, the turns to play in them, or in byo-yomi the periods
    left, where the engine reads ``kata-time_settings`` and so knows periods. Where a main time and
    a time per move both hold, the smaller one is stated.

    Returns:
        None if the clock has no limit or is by the day, or the engine does not list ``time_left``.
    """
    control, limit = clock.control, clock.remaining
    if "time_left" not in commands or not control.limited or control.days is not None:
        return None
    kata = "kata-time_settings" in commands
    stones = control.moves - clock.turns % control.moves if control.moves else 0
    if control.period is not None and limit is not None and limit < (_LEAST if kata else 1):
        limit, stones = control.period, clock.periods if kata else 1
    if control.start is not None and not clock.turns and (limit is None or control.start < limit):
        limit, stones = control.start, int(control.main is None)
    elif control.move is not None and (limit is None or control.move < limit):
        limit, stones = control.move, int(control.main is None)
    seconds = _spell(max(limit or 0.0, _LEAST)) if kata else _whole(limit or 0.0)
    return f"time_left {colour.letter} {seconds} {stones}"


def untold(control: TimeControl, commands: Collection[str]) -> str:
    """The seconds of a time control that an engine of whole seconds is not told; may be empty."""
    if "kata-time_settings" in commands or not {"time_settings", "time_left"} & {*commands}:
        return ""
    given = (control.main, control.period, control.move, control.start)
    parts = [f"{_spell(one)} s" for one in given if one is not None and not one.is_integer()]
    return " and ".join(parts)


def _whole(seconds: float) -> int:
    """Whole seconds, rounded down but for less than one: 0 would say that there is none."""
    return max(1, int(seconds))
