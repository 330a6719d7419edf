"""The invariants of what spectators are told: turns, clocks, presence, and how games end."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.simulation.dialogue import Request
from tests.simulation.models import SECOND, Games, Key, Model, allowance
from tests.simulation.outside import DAY, PERIOD
from yoddd.daemon.base.store.wait import AGAIN
from yoddd.notation.reasons import FORFEITS
from yoddd.protocol.origin import fold
from yoddd.store.values import digest

LENIENCE: Final = 3.0
"""Seconds after the end of a time by which its end is told."""

LONGEST: Final = 14
"""The most days of a pause."""

SOON: Final = 0.1
"""Seconds after which a beginning that was kept is told."""

CLAIMED: Final = "claimed by"
ABSENCES: Final = (
    CLAIMED,
    "not there to go on",
    "neither side was there",
    "while no one was there",
)
"""Words of the details of games that end because humans are away."""


class Told(Games):
    """Judges each line that spectators are told, by the word that it begins with."""

    def _told_game(self, game: Model, request: Request, rest: list[str]) -> None:
        names, plays = rest[1:], self.range_of(game.words)
        is_new = not game.is_begun and request.began < self._seconds() and game.epoch == self.epoch
        if plays is not None and is_new:
            closed = min(self._seconds() - plays.closed, self._calm())
            # Where the store fails a beginning is kept by a later attempt.
            soon = SOON if self.keeps_time else AGAIN + SOON
            self.check(closed < soon, f"{game.id} begins, its engine has closed")
        self.check(game.names in ([], names), f"{game.id}: {names} play, not {game.names}")
        game.names, game.is_begun = names, True
        if not game.words:  # of the ladder
            game.clock = names[-1].split()[-1]

    def _told_clock(self, game: Model, request: Request, rest: list[str]) -> None:
        self.check(request.is_begun, f"{game.id}: a spectator is not told that it has begun")
        number = len(request.turns)
        self.check(rest[0] in ("-", "bw"[number % 2]), f"{game.id}: clock {rest} of turn {number}")
        if request.began < self._seconds() and rest[0] != "-":
            self.check(float(rest[1]) == 0, f"{game.id}: its clock begins at {rest[1]}")
            if game.told != self._seconds():
                self._expect_flag(game, len(game.turns))
            game.times = {len(game.turns): self._seconds()}
            game.told, game.served = self._seconds(), self.served
        elif game.by_day and game.told and rest[0] != "-" and number == len(game.turns):
            self._judge_used(game, float(rest[1]))

    def _end_pause(self, game: Model) -> None:
        game.pause, game.may_rest = None, False

    def rested(self, game: Model) -> tuple[float, float]:
        """The least and the most seconds of the present turn that a pause has not charged."""
        if game.pause is None:
            return 0.0, 0.0
        seconds, (since, before), earliest = game.pause
        now, starts = self.served
        given = (starts - before) * (PERIOD + LENIENCE) + SECOND
        least = max(0.0, min(seconds, now - since) - SECOND)
        return least, min(seconds + given, now - earliest)

    def _judge_used(self, game: Model, used: float) -> None:
        """The time without a daemon is not charged, and of each restart little is given back."""
        (now, starts), (then, before) = self.served, game.served
        least, most = self.rested(game)
        text = f"{game.id}: its turn has taken {used} s, of {now - then:.3f} s with a daemon"
        self.check(used <= now - then - least + SECOND, f"{text}, paused {least:.3f}")
        if self.keeps_time and not game.may_rest:
            given = (starts - before) * (PERIOD + LENIENCE) + SECOND
            text = f"{text}, {starts - before} restarts, paused {most:.3f}"
            self.check(used >= now - then - most - given, text)

    def _told_pause(self, game: Model, request: Request, rest: list[str]) -> None:
        """A pause has as many days as one has asked for; its rest is told to later spectators."""
        seconds = float(rest[0])
        if request.began < self._seconds():
            days = seconds / DAY
            seats = {seat for seat, wish in game.wishes if wish == f"{days:g}"}
            is_agreed = len(seats) > 1 or "any" in seats
            self.check(is_agreed, f"{game.id}: {days} days, {seats} of {game.wishes}")
            self.check(game.by_day and 1 <= days <= LONGEST, f"{game.id}: a pause of {days} days")
            if game.pause is None or game.pause[1] != self.served:  # no other spectator was told
                game.may_rest = game.pause is not None
                game.pause = seconds, self.served, game.pausing
            game.times.clear()
            return
        now, starts = self.served
        whole, (since, before), earliest = game.pause or (0.0, (0.0, 0), 0.0)
        given = (starts - before) * (PERIOD + LENIENCE) + SECOND
        least, most = whole - (now - earliest), whole - (now - since) + given
        if not self.keeps_time:  # nor what is left of a pause
            most = whole
        fits = least - SECOND <= seconds <= min(whole, most)
        if game.pause is None or (game.may_rest and starts > before and not fits):
            # Another one, which was kept by a daemon that has ended before it told it.
            self.check(seconds <= LONGEST * DAY, f"{game.id}: {seconds} s are left of a pause")
            game.pause = seconds, self.served, now
        else:
            text = f"{game.id}: {seconds} s are left of a pause of {whole} s after {now - since}"
            self.check(fits, text)

    def _told_presence(self, game: Model, request: Request, rest: list[str]) -> None:
        """Each change is told once; the seconds of an absence are those to a claim."""
        self.check(not game.by_day, f"{game.id}: presence in a game by the day")
        seat, word, *times = " ".join(rest).split()
        text = f"{game.id}: {request.line}: presence {' '.join(rest)}"
        self.check((seat in request.away) == (word == "here"), text)
        request.away ^= {seat}
        if times:
            spent, left = map(int, times)
            self.check(abs(max(0.0, self.claim - spent) - left) <= 1, text)
            mine = [one for one in self.keys.values() if one.game is game and one.seat == seat]
            self.check(not any(map(self._observes, mine)), f"{text}: it observes")

    def _told_notice(self, game: Model, request: Request, rest: list[str]) -> None:
        told = request.lines.count(request.lines[-1])
        most = self.notices if rest[-1].endswith("noon") else 1
        self.check(told <= most, f"{game.id}: {told} notices {' '.join(rest)!r}, of {most}")

    def _listed(self, line: str) -> None:
        """A line of ``games`` tells what spectators were told."""
        game_id, word, *words = line.split()
        game = self.games.get(game_id if self.has_store else f"{self.epoch}/{game_id}")
        if game is None or word != "playing" or not any(one.is_begun for one in game.streams):
            return
        seat = f"turn={'bw'[len(game.turns) % 2]}"
        self.check(words[4] == str(len(game.turns)), f"{line}: told {game.turns}")
        self.check(seat in words, f"{line}: not {seat}")

    def _told_request(self, game: Model, request: Request, rest: list[str]) -> None:
        game.asked = request.asked
        if game.asked is not None and game.asked[1] == "takeback":
            left, number = int(rest[2]), len(request.turns)
            is_own = rest[0] == "bw"[left % 2]
            self.check(is_own and number - 2 <= left < number, f"{game.id}: {rest} of {number}")

    def _told_turn(self, game: Model, request: Request, rest: list[str]) -> None:
        seat, token, seconds = rest[0], rest[1], float(rest[2])
        number = len(request.turns)
        self.check(game.record is None or number <= len(game.turns), f"{game.id}: a turn after it")
        if number <= len(game.turns):
            self.check(game.turns[number - 1][:2] == (seat, token), f"{game.id}: turn {number}")
            return
        self.check(number == len(game.turns) + 1, f"{game.id}: turn {number} is told too early")
        self.check(seat == "bw"[(number - 1) % 2], f"{game.id}: turn {number} of {seat}")
        if game.told and game.turns:
            spent = self._seconds() - game.told - self.rested(game)[0]
            text = f"{game.id}: turn {number} took {seconds} s, since the last one {spent:.3f}"
            self.check(seconds <= spent + SECOND, text)
        game.turns.append((seat, token, seconds))
        self._end_pause(game)
        game.told = 0.0  # for all that is known: there may be no spectator yet
        if request.began < self._seconds():  # not one of those that a new spectator is told at once
            game.told = game.times[number] = self._seconds()
            game.served = self.served
            self._expect_flag(game, number)

    def _expect_flag(self, game: Model, number: int) -> None:
        """The game is over soon after the time of who is to move has run out."""
        seat = "bw"[number % 2]
        turns = [seconds for one, _, seconds in game.turns if one == seat]
        left = allowance(game.clock, len(turns))
        if not game.clock.startswith(("move=", "days=")):
            left -= sum(turns)

        begun = self._seconds()

        def look() -> None:
            goes_on = game.times.get(number) == game.told == begun
            calm = goes_on and self._calm() > left + LENIENCE
            is_over = game.record is not None or len(game.turns) != number
            self.check(is_over or not calm, f"{game.id}: {seat} has had {left} s, and more")

        if left < 100:
            self._later(left + LENIENCE, look)

    def _told_rewind(self, game: Model, request: Request, rest: list[str]) -> None:
        self.check(request.rewound > 0, f"{game.id}: a rewind to {rest} takes nothing back")
        if self.has_store:
            stored, turns = self.stored(game), request.turns
            self.check(stored == turns, f"{game.id}: {stored} after a rewind to {turns}")
        del game.turns[int(rest[0]) :]
        self._end_pause(game)
        game.told, game.served = self._seconds(), self.served
        game.times.clear()
        game.rewinding = None

    def _told_record(self, game: Model, request: Request, rest: list[str]) -> None:
        record = json.loads(" ".join(rest))
        self.check(game.record in (None, record), f"{game.id} has ended twice: {record}")
        lines = [line for line in request.lines if line.startswith("record ")]
        self.check(len(lines) == 1, f"{game.id}: {len(lines)} records")
        if game.record is None:
            game.record = record
            self.ended += 1
            self._judge_end(game, record)

    def _judge_end(self, game: Model, record: dict[str, Any]) -> None:
        turns = [token for _, token, _ in game.turns]
        self.check(record["turns"] == turns, f"{game.id}: record {record['turns']}, told {turns}")
        text = (
            f"{game.id}: {record['reason']} ({record.get('detail')}), blame {record.get('blame')}"
        )
        is_absence = record["reason"] in ("disconnect", "stall")
        self.check(not (game.by_day and is_absence), f"by the day: {text}")
        if record["reason"] == "time":
            self._judge_time(game, record["blame"], text)
        absence = next((one for one in ABSENCES if one in record.get("detail", "")), None)
        if absence is not None:
            self._judge_absence(game, record, text, is_claimed=absence == CLAIMED)
        elif record["reason"] == "void":
            is_revoked = {fold(record["black"]), fold(record["white"])} & self._revoked
            self.check("void" in game.ended_by or is_revoked, f"a fault of ours: {text}")
        else:
            self.judge_engines(record)
        for one in self.keys.values():
            if one.game is game:
                one.void = min(one.void, self._seconds())

    def _judge_absence(
        self, game: Model, record: dict[str, Any], text: str, *, is_claimed: bool
    ) -> None:
        """A participant who observes the game is there; a claim needs a longer absence.

        One may come back after the end was decided, while a slow store keeps it.
        """
        if is_claimed:
            away = game.absence
            self.check(away >= self.claim - SECOND, f"{text}: away for {away} s")
            return
        seats = record["blame"].replace("referee", "bw")
        decided = self.decided.get((record["id"], record["ended"]))
        for one in self.keys.values():
            if one.game is game and one.seat in seats:
                self.check(not self._observes(one, decided), f"{text}: it is there")

    def _observes(self, key: Key, moment: float | None = None) -> bool:
        """Whether the holder of a key has observed the game since before a moment, or this one."""
        moment = self._seconds() if moment is None else moment
        streams = [one for one in key.game.streams if one.began < moment]
        words = [word for one in streams for word in one.words[2:] if self.keys.get(word) is key]
        if self.has_store:  # another key may be kept, and have lost its answer
            kept = self.stored_keys(key.game)
            words = [word for word in words if digest(word) in kept]
        return bool(words)

    def deed(self, name: str, reason: str) -> None:
        """An engine does something that it can lose by."""
        self.deeds.add((fold(name), reason))

    def judge_engines(self, record: dict[str, Any], *, time: bool = False) -> None:
        """A participant loses by a fault that it has committed, such as its ``time``."""
        loser = {"b": "white", "w": "black"}.get(record["winner"] or "", "")
        name, reason = fold(record.get(loser) or ""), record["reason"]
        if reason in FORFEITS and (time or reason != "time"):
            text = f"{record['id']}: {name} has lost by {reason}: {record.get('detail')}"
            self.check((name, reason) in self.deeds, f"a fault of ours: {text}")

    def _judge_time(self, game: Model, blame: str, text: str) -> None:
        self.check(blame == "bw"[len(game.turns) % 2], f"{text}: not to move")
        allowed = allowance(game.clock, sum(seat == blame for seat, _, _ in game.turns))
        before = sum(seconds for seat, _, seconds in game.turns if seat == blame)
        if game.clock.startswith(("move=", "days=")):
            before = 0.0
        since = self._seconds() - game.told
        if game.by_day and game.told:
            since = self.served[0] - game.served[0] - self.rested(game)[0]
        rounded = SECOND * (len(game.turns) + 1)
        self.check(
            before + since >= allowed - rounded, f"{text}: {before:.3f} + {since:.3f} s only"
        )
