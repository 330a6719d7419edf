"""The invariants of how games end: who has won, why, and what that took."""

from __future__ import annotations

from typing import Any, Final

from tests.simulation.dialogue import Request
from tests.simulation.models import SECOND, Games, Key, Model, allowance
from tests.simulation.outside import PERIOD
from yoddd.notation import NotationError, parse_turn
from yoddd.notation.reasons import FORFEITS
from yoddd.protocol.origin import fold
from yoddd.referee.game.clock import parse_clock
from yoddd.rules import IllegalTurn, Position, make_rules
from yoddd.store.values import digest

CLAIMED: Final = "claimed by"
ABSENCES: Final = (
    CLAIMED,
    "not there to go on",
    "neither side was there",
    "while no one was there",
)
"""Words of the details of games that end because humans are away."""

LENIENCE: Final = 3.0
"""Seconds after the end of a time by which its end is told."""

OTHER: Final = {"b": "w", "w": "b"}
"""The other seat."""


class Ends(Games):
    """Judges the records of games that have ended."""

    def _note_end(self, request: Request) -> None:
        """A human asks for what ends a game: a resignation, or a claim."""
        word, text, *rest = [*request.words, "", ""]
        key = self.keys.get(text)
        if key is not None and request.arrived <= key.void:
            if word == "put" and rest[0].lower() == "resign":
                key.game.deeds.add((key.seat, "resign"))
            elif word == "claim":
                key.game.deeds.add((key.seat, "claim"))

    def _has_done(self, game: Model, seat: str, deed: str) -> bool:
        """Whether a human has asked for this; of some keys the seat was not told."""
        return bool({(seat, deed), ("any", deed)} & game.deeds)

    def judge_result(self, record: dict[str, Any]) -> None:
        """The winner is that of the board as it is played again, or the one who has no blame."""
        winner, reason, blame = record["winner"], record["reason"], record["blame"]
        turns: list[str] = record["turns"]
        text = f"{record['id']}: {winner} has won by {reason}, blame {blame}"
        if reason == "void":
            self.check((winner, blame) == (None, "referee"), text)
        elif reason in FORFEITS:
            self.check(blame is not None and winner == OTHER.get(blame), text)
        else:
            self.check(blame is None and winner in OTHER, text)
        position = Position(make_rules(record["game"], record["board"], record["options"]))
        try:
            for token in turns:
                position.play(parse_turn(token, position.rules, position.player))
        except (NotationError, IllegalTurn) as error:
            self.check(False, f"{text}: {turns}: {error}")
            return
        outcome = position.outcome()
        self.check((outcome is not None) == (reason == "groups"), f"{text} after {turns}")
        if outcome is not None:
            seat = "bw"[outcome.winner ^ (turns.count("swap") % 2)]
            score = f"{outcome.winner.letter.upper()}+{outcome.score}"
            wanted = f"{turns} are won by {seat}, {score}"
            self.check((winner, record["score"]) == (seat, score), f"{text}: {wanted}")

    def _judge_facts(self, game: Model, record: dict[str, Any]) -> None:
        """The record has the names, the clock, the board and the times that were told."""
        if game.names:
            *names, last = [*game.names[:-1], *game.names[-1].split()]
            told = [record["black"], record["white"]]
            self.check(told == names, f"{game.id}: the record is of {told}, told {names}")
            clock = parse_clock(record["clock"]) == parse_clock(last)
            self.check(clock, f"{game.id}: the record has the clock {record['clock']}")
        for word in ("game", "board"):
            wanted = game.words.get(word, record[word])
            self.check(record[word] == wanted, f"{game.id}: the record has {record[word]}")
        seconds = [one for _, _, one in game.turns]
        times = record["times"]
        is_same = len(times) == len(seconds) and all(
            abs(one - other) < SECOND for one, other in zip(times, seconds, strict=False)
        )
        self.check(is_same, f"{game.id}: the record has the times {times}, told {seconds}")

    def _judge_end(self, game: Model, record: dict[str, Any]) -> None:
        turns = [token for _, token, _ in game.turns]
        self.check(record["turns"] == turns, f"{game.id}: record {record['turns']}, told {turns}")
        text = (
            f"{game.id}: {record['reason']} ({record.get('detail')}), blame {record.get('blame')}"
        )
        self.judge_result(record)
        self._judge_facts(game, record)
        is_absence = record["reason"] in ("disconnect", "stall")
        self.check(not (game.by_day and is_absence), f"by the day: {text}")
        if record["reason"] == "time":
            self._judge_time(game, record["blame"], text)
        elif record["reason"] == "resign":
            loser = OTHER.get(record["winner"], "")
            self.check(self._has_done(game, loser, "resign"), f"{text}: {loser} has not resigned")
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
            winner = record["winner"]
            self.check(self._has_done(game, winner, "claim"), f"{text}: {winner} claims nothing")
            name = record[{"b": "black", "w": "white"}[winner]]
            self.check(record["detail"].endswith(f"{CLAIMED} {name}"), f"{text}: not {name}")
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

    def rested(self, game: Model) -> tuple[float, float]:
        """The least and the most seconds of the present turn that a pause has not charged."""
        if game.pause is None:
            return 0.0, 0.0
        seconds, (since, before), earliest = game.pause
        now, starts = self.served
        given = (starts - before) * (PERIOD + LENIENCE) + SECOND
        least = max(0.0, min(seconds, now - since) - SECOND)
        return least, min(seconds + given, now - earliest)

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
