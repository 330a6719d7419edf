"""The invariants of what one participant asks the other for, and of what is declined."""

from __future__ import annotations

from typing import Final

from tests.simulation.dialogue import Request
from tests.simulation.models import Model
from tests.simulation.outside import DAY
from tests.simulation.told import LONGEST, Told

WISHES: Final = ("takeback", "pause", "rematch")


class Wishes(Told):
    """Compares the requests of humans with those that spectators are told."""

    def _note_wish(self, request: Request) -> None:
        """A participant asks the other for something, agrees, or declines."""
        word, *args = request.words
        if word in WISHES and args and args[0] in self.keys:
            self.keys[args[0]].game.made.append(request)

    def _answer_wish(self, request: Request, *, is_granted: bool) -> None:
        """Take an answer: what is granted was told by the end of this event."""
        word, text, *_ = [*request.words, "", ""]
        key = self.keys.get(text) if word in WISHES else None
        if key is not None and request in key.game.made:
            key.game.made.remove(request)
            if is_granted and not self._is_past:
                key.game.granted.append(request)
                self._touched[key.game.id] = key.game

    def _judge_news(self, game: Model) -> list[str]:
        """Each request and refusal that is told was made, and each that was granted is told."""
        since = [one for one in game.streams if one.judged]
        news = super()._judge_news(game)
        for line in news:
            self._find_wish(game, line)
        granted, game.granted = game.granted, []
        for request in granted:
            saw = any(one.began < request.arrived for one in since)
            agreed = game.agreed.get((request.words[0], "".join(request.words[2:])), -1.0)
            is_told = request.is_told or agreed >= request.arrived
            self.check(is_told or not saw, f"{game.id}: {request.line}: it is not told")
        self._judge_open(game)
        return news

    def _find_wish(self, game: Model, line: str) -> None:
        """Find the request that a line tells, which tells no other."""
        answers: tuple[str, ...]
        match line.split():
            case "request", seat, "pause", days:
                answers, wish = (days,), "pause"
            case "request", seat, wish, _:
                answers = ("", "yes")
            case "refuse", seat, wish:
                answers = ("no",)
            case "rematch", _:
                answers, wish, seat = ("", "yes"), "rematch", "any"
            case "rewind", left:
                game.agreed["takeback", left] = self._seconds()
                return
            case "pause", seconds:
                game.agreed["pause", f"{float(seconds) / DAY:g}"] = self._seconds()
                return
            case _:
                return
        for one in (*game.granted, *game.made):
            mine = self.keys[one.words[1]].seat
            is_fit = one.words[0] == wish and "".join(one.words[2:]) in answers
            if is_fit and not one.is_told and ("any" in (seat, mine) or mine == seat):
                one.is_told = True
                return
        self.check(False, f"{game.id}: {line}: it is not asked for")

    def _judge_open(self, game: Model) -> None:
        """A new spectator is told what is asked, unless that is being carried out."""
        is_agreed = any("".join(one.words[2:]).isdigit() for one in game.made)
        if game.record is None and not is_agreed:
            found = [one for one in game.streams if one.is_begun]
            for one in found:
                text = f"{game.id}: {one.line}: {one.open} is asked, others {found[0].open}"
                self.check(one.open == found[0].open, text)

    def _told_request(self, game: Model, request: Request, rest: list[str]) -> None:
        super()._told_request(game, request, rest)
        seat, wish, value = rest
        request.open = seat, wish, value
        if wish == "pause":
            is_due = game.by_day and 1 <= int(value) <= LONGEST
        elif wish == "rematch":
            is_due = game.record is not None and value != game.id and game.rematch is None
        else:
            is_due = game.record is None
        self.check(is_due, f"{game.id}: request {rest}")

    def _told_refuse(self, game: Model, request: Request, rest: list[str]) -> None:
        """Either of the two ends what is asked: one declines, or asks no longer."""
        asked, request.open = request.open, None
        is_asked = asked is not None and asked[1] == rest[1]
        self.check(is_asked, f"{game.id}: {request.line}: refuse {rest}, {asked} is asked")

    def _told_rematch(self, game: Model, request: Request, rest: list[str]) -> None:
        """The rematch that was offered begins, once."""
        asked, request.open = request.open, None
        text = f"{game.id}: {request.line}: rematch {rest}, {asked} is asked"
        is_live = request.began < self._seconds()
        self.check(not is_live or (asked is not None and asked[1:] == ("rematch", rest[0])), text)
        told = [line for line in request.lines if line.startswith("rematch ")]
        self.check(len(told) == 1 and game.record is not None, f"{text}: told {told}")
        self.check(game.rematch in (None, rest[0]), f"{text}: told {game.rematch}")
        game.rematch = rest[0]
