"""The invariants of what spectators are told: turns, clocks and presence."""

from __future__ import annotations

import json
import math
from typing import Final

from tests.simulation.dialogue import Request
from tests.simulation.ends import LENIENCE, Ends
from tests.simulation.models import SECOND, Key, Model, allowance
from tests.simulation.outside import DAY, PERIOD
from yoddd.daemon.base.store.wait import AGAIN
from yoddd.daemon.lobby.presence import AWAY
from yoddd.store.values import digest

NOON: Final = "notice we go down at noon"
"""The notice that the administrator sends."""

LONGEST: Final = 14
"""The most days of a pause."""

SOON: Final = 0.1
"""Seconds after which a beginning that was kept is told."""


class Told(Ends):
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
        request.open = None
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

    def _told_position(self, game: Model, request: Request, rest: list[str]) -> None:
        """The stream begins: from the end of this event on it is told what the others are."""

    def _told_restart(self, game: Model, request: Request, rest: list[str]) -> None:
        """Each who watches is told, as of all news."""

    def judge_restart(self) -> None:
        """Judge what is told as a daemon begins to stop: each who watches hears of it at once."""
        for game in self.games.values():
            for request in game.streams if game.record is None else ():
                is_told = not request.is_begun or "restart" in request.lines[-1].split()
                self.check(is_told, f"{game.id}: {request.line}: the restart is not announced")

    def broadcast(self) -> None:
        """The administrator sends a notice, of which each who watches is told at once."""
        self.notices += 1
        self._touched |= {game.id: game for game in self.games.values() if game.streams}

    def _judge_news(self, game: Model) -> list[str]:
        """All who have watched since before this event are told the same lines in it.

        A new spectator is told who is away, as the others were.
        """
        since = [one for one in game.streams if one.judged]
        told = [one.lines[one.judged :] for one in since]
        for request, lines in zip(since, told, strict=True):
            text = f"{game.id}: {request.line} is told {lines}, {since[0].line} {told[0]}"
            self.check(lines == told[0], text)
            told_now = sum(line.startswith(NOON) for line in lines)
            due = self.notices - request.notices
            self.check(told_now == due, f"{game.id}: {request.line}: {told_now} notices, of {due}")
        for request in game.streams:
            request.judged, request.notices = len(request.lines), self.notices
        if game.record is None:
            self._judge_away(game)
        return told[0] if told else []

    def _judge_away(self, game: Model) -> None:
        """All are told the same of who is away, and none who observes is."""
        begun = [one for one in game.streams if one.is_begun]
        for request in begun:
            text = f"{game.id}: {request.line}: {request.away} are away, others {begun[0].away}"
            self.check(request.away == begun[0].away, text)
        if begun and begun[0].away:
            here = [
                one.seat
                for one in self.keys.values()
                if one.game is game and one.seat in begun[0].away and self._observes(one, math.inf)
            ]
            self.check(not here, f"{game.id}: {here} observe, and are told to be away")

    def _expect_absence(self, game: Model, request: Request) -> None:
        """Expect that spectators are told soon that one who watches no more is away."""
        key = self.keys.get(request.words[-1])
        if key is None or key.game is not game or game.by_day or not request.is_begun:
            return
        left = self._seconds()

        def look() -> None:
            mine = {text: one for text, one in self.keys.items() if one.game is game}
            same = {text for text, one in mine.items() if one.seat in (key.seat, "any")}
            is_back = any(mine[text].alive > left for text in same) or any(
                same & {*one.words} for one in game.streams
            )
            is_on = self._calm() > AWAY and game.record is None and key.void == math.inf
            if is_back or not is_on or (self.has_store and not self._is_kept(key)):
                return
            watching = [one for one in game.streams if one.is_begun and one.began < left]
            for one in watching:
                self.check(key.seat in one.away, f"{game.id}: {one.line}: {key.seat} is away")

        self._later(AWAY + SOON, look)

    def _is_kept(self, key: Key) -> bool:
        """Whether the store has the key: another one may have lost its answer."""
        kept = self.stored_keys(key.game)
        return any(one is key and digest(text) in kept for text, one in self.keys.items())

    def _told_notice(self, game: Model, request: Request, rest: list[str]) -> None:
        told = request.lines.count(request.lines[-1])
        is_once = told == 1 or request.lines[-1].startswith(NOON)
        self.check(is_once, f"{game.id}: {told} notices {' '.join(rest)!r}")

    def _listed(self, line: str) -> None:
        """A line of ``games`` tells what spectators were told."""
        game_id, word, *words = line.split()
        game = self.games.get(game_id if self.has_store else f"{self.epoch}/{game_id}")
        if game is not None and game.record is not None:
            self._listed_over(game, line)
        if game is None or word != "playing" or not any(one.is_begun for one in game.streams):
            return
        seat = f"turn={'bw'[len(game.turns) % 2]}"
        self.check(words[4] == str(len(game.turns)), f"{line}: told {game.turns}")
        self.check(seat in words, f"{line}: not {seat}")

    def _listed_over(self, game: Model, line: str) -> None:
        """A game whose end was told is listed as over, with its winner."""
        assert game.record is not None
        winner = game.record["winner"]
        _, word, *words = line.split()
        wanted = [f"winner={winner}"] if winner else []
        self.check(word == "over", f"{line}: its end was told")
        self.check(
            [one for one in words if one.startswith("winner=")] == wanted, f"{line}: {wanted}"
        )

    def _told_request(self, game: Model, request: Request, rest: list[str]) -> None:
        game.asked = request.asked
        if game.asked is not None and game.asked[1] == "takeback":
            left, number = int(rest[2]), len(request.turns)
            is_own = rest[0] == "bw"[left % 2]
            self.check(is_own and number - 2 <= left < number, f"{game.id}: {rest} of {number}")

    def _told_turn(self, game: Model, request: Request, rest: list[str]) -> None:
        request.open = None
        seat, token, seconds = rest[0], rest[1], float(rest[2])
        number = len(request.turns)
        self.check(game.record is None or number <= len(game.turns), f"{game.id}: a turn after it")
        if number <= len(game.turns):
            known = game.turns[number - 1]
            text = f"{game.id}: turn {number} is {rest}, told {known}"
            self.check(known == (seat, token, seconds), text)
            return
        self.check(number == len(game.turns) + 1, f"{game.id}: turn {number} is told too early")
        self.check(seat == "bw"[(number - 1) % 2], f"{game.id}: turn {number} of {seat}")
        if game.told and game.turns:
            spent = self._seconds() - game.told - self.rested(game)[0]
            text = f"{game.id}: turn {number} took {seconds} s, since the last one {spent:.3f}"
            self.check(seconds <= spent + SECOND, text)
        game.turns.append((seat, token, seconds))
        game.rewinding.clear()  # what was asked for before is void
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
        request.open = None
        self.check(request.rewound > 0, f"{game.id}: a rewind to {rest} takes nothing back")
        if self.has_store:
            stored, turns = self.stored(game), request.turns
            self.check(stored == turns, f"{game.id}: {stored} after a rewind to {turns}")
        del game.turns[int(rest[0]) :]
        self._end_pause(game)
        game.told, game.served = self._seconds(), self.served
        game.times.clear()
        game.rewinding.clear()

    def _told_record(self, game: Model, request: Request, rest: list[str]) -> None:
        request.open = None
        record = json.loads(" ".join(rest))
        self.check(game.record in (None, record), f"{game.id} has ended twice: {record}")
        lines = [line for line in request.lines if line.startswith("record ")]
        self.check(len(lines) == 1, f"{game.id}: {len(lines)} records")
        if game.record is None:
            game.record = record
            self.ended += 1
            self._judge_end(game, record)
