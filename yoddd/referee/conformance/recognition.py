"""Recognition of the reading that an engine plays by, from its answers.

Each reading, the rules as they are, and a rule that is not in the list explain each answer with a
probability. An answer that contradicts a reading costs it likelihood and does not exclude it:
engines fall back to another turn where their own list is empty. A reading is named if it explains
the answers much better than every other one, or with the one that it cannot be told from.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Final

import attrs

from yoddd.referee.conformance.law import PAIR, UNDO, Law, Moves, Player, law_of
from yoddd.referee.conformance.readings import Reading, readings
from yoddd.rules import Colour, PositionLike, Rules, Stone

_CONTRADICTION: Final = 5.0
"""What an answer costs a reading that excludes it, as a logarithm of a likelihood."""

_BORNE: Final = 25
"""Turns of its choice for each of which a contradiction is borne."""

_EXPLAINED: Final = 10
"""Wrong answers for each of which a contradiction is borne, as well."""

_MARGIN: Final = 3.0
"""By how much a reading has to be likelier than another to be told from it."""

_EVIDENCE: Final = 4.0
"""By how much it has to be likelier than a rule that is not in the list."""

_SURPRISE: Final = 1.2
"""How much less likely an unknown rule makes a certain wrong answer than any wrong one."""

_SAMPLE: Final = 60
"""Turns by which the share of turns that a reading allows is estimated."""

_NAMED: Final = 2
"""The most readings that are named together."""

_WORDS: Final = ("pass", "swap")
PLAY: Final = "play"
GENMOVE: Final = "genmove"
SCORE: Final = "final_score"


@attrs.frozen
class Answer:
    """One judgement of an engine.

    Attributes:
        start: the position that was given as a line; None for the empty board.
        before: the turns that have been played or, by ``undo``, taken back since then.
        asked: `PLAY`, `GENMOVE` or `SCORE`.
        player: who is to move.
        said: the turn or the score.
        ok: whether the engine takes the turn for legal.
        problem: why the rules say otherwise; empty if they do not.
    """

    start: PositionLike | None
    before: Moves
    asked: str
    player: Colour
    said: str
    ok: bool = True
    problem: str = attrs.field(default="", eq=False)

    @property
    def is_right(self) -> bool:
        """Whether the rules say the same."""
        return not self.problem

    @property
    def is_own(self) -> bool:
        """Whether a wrong answer may lose a game: a turn, or the refusal of a legal one."""
        return self.asked == GENMOVE or not self.ok

    @property
    def fault(self) -> str:
        """A wrong answer as a sentence."""
        where, letter = f"turn {1 + self._turns}", self.player.letter
        if self.asked == SCORE:
            if not self.ok:
                return "`final_score` refused"
            return f"`final_score` answers {self.said!r}, expected {self.problem!r}"
        if self.asked == GENMOVE:
            if not self.ok:
                return f"{where}: `genmove {letter}` refused: {self.said}"
            return f"{where}: {self.said} is illegal: {self.problem}"
        if not self.ok:
            return f"{where}: the legal `play {letter} {self.said}` is refused"
        return f"{where}: `play {letter} {self.said}` is accepted: {self.problem}"

    @property
    def _turns(self) -> int:
        backs = [token for _, token in self.before].count(UNDO)
        begun = 0 if self.start is None else self.start.number - 1
        return begun + len(self.before) - 2 * backs


@attrs.define
class Judgements:
    """The answers of an engine in one game.

    Attributes:
        rules: of the game.
        answers: the answers.
        wrong: those that contradict the rules.
        last: the colours that it has chosen on the last empty cell of each position.
        named: the readings that explain them.
        problem: why no more could be asked; None if all was.
    """

    rules: Rules
    answers: list[Answer] = attrs.Factory(list)
    wrong: tuple[Answer, ...] = ()
    last: list[list[str]] = attrs.Factory(list)
    named: tuple[Reading, ...] = ()
    problem: Exception | None = None

    @property
    def told(self) -> str:
        """The readings as a phrase, with what shows them; empty if unknown."""
        if not self.named:
            return ""
        own = (one for one in self.wrong if one.is_own)
        return describe(self.named, self.rules, next(own, self.wrong[0]))

    def recognise(self, regardless: float | None = None) -> tuple[Reading, ...]:
        """The readings that explain the answers so far, given or not that groups do not matter."""
        evidence = without_regard(self.last) if regardless is None else regardless
        self.wrong = wrong_answers(self.rules, self.answers)
        return recognise(self.rules, readings(self.rules), self.answers, regardless=evidence)


def wrong_answers(rules: Rules, answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers that contradict the rules."""
    return _fit(law_of(rules), answers, count=False).wrong


class Follower:
    """Follows the games of some answers by one law."""

    def __init__(self, law: Law) -> None:
        """Begin with the empty board."""
        self._law = law
        self._player = Player(law)
        self._start: PositionLike | None = None
        self._done: Moves = ()

    def at(self, answer: Answer) -> Player:
        """The game before an answer."""
        kept = len(self._done)
        if answer.start is not self._start or answer.before[:kept] != self._done:
            self._player, self._start, kept = Player(self._law), answer.start, 0
            if answer.start is not None:
                self._player.set_up(answer.start)
        self._player.follow(answer.before[kept:])
        self._done = answer.before
        return self._player


@attrs.frozen
class _Fit:
    """The fit of a law to answers.

    Attributes:
        wrong: the answers that contradict it.
        likelihood: the logarithm of the probability of all.
        alike: for each answer the logarithm of the number of turns of its kind that it allows.
        excused: the number of answers that it neither forbids nor expects, where it has no turn.
    """

    wrong: tuple[Answer, ...]
    likelihood: float
    alike: tuple[float, ...] = ()
    excused: int = 0


def _fit(
    law: Law, answers: Sequence[Answer], *, count: bool = True, borne: float = math.inf
) -> _Fit:
    """The fit of a law, of likelihood minus infinity if more than so many answers contradict it."""
    follower, wrong, alike = Follower(law), list[Answer](), list[float]()
    # Turns that it forbids: those that the engine has accepted, and how many it has refused.
    accepted, refused, excused = list[Answer](), 0, 0
    for answer in answers:
        game, number, excluded = follower.at(answer), 0.0, False
        if answer.asked == SCORE:
            excluded = game.score() != answer.said
            wrong += [answer] * excluded
        else:
            turn = game.read(answer.said, answer.player)
            legal = game.allows(answer.player, turn)
            if turn and not isinstance(turn, str) and game.is_unsure(answer.player, turn):
                legal = answer.ok
            if answer.asked == PLAY and not legal and turn is not None:
                refused += not answer.ok
                accepted += [answer] * answer.ok
            elif legal is not answer.ok and _is_stuck(game, answer.player):
                excused += not answer.is_right
            elif legal is not answer.ok:
                wrong.append(answer)
                excluded = answer.asked == PLAY
            if answer.asked == GENMOVE and answer.ok and count and answer.said not in _WORDS:
                number = _count_alike(game, answer, legal=legal)
        alike.append(number)
        # Scores and refusals are computed: only a choice may have been an exception.
        if len(wrong) > borne or (excluded and borne < math.inf):
            return _Fit(tuple(wrong), -math.inf)
    # An engine that accepts all of them does not judge what it is told to play.
    wrong += accepted if refused else []
    if refused and accepted and borne < math.inf:
        return _Fit(tuple(wrong), -math.inf)
    likelihood = -sum(alike) - _CONTRADICTION * len(wrong)
    return _Fit(tuple(wrong), likelihood, tuple(alike), excused)


def _is_stuck(game: Player, player: Colour) -> bool:
    """Whether there is no legal turn, so that an engine may answer anything."""
    return game.is_over or not (game.allows(player, "pass") or any(game.drops(player)))


def _count_alike(game: Player, answer: Answer, *, legal: bool) -> float:
    """The logarithm of the number of turns with as many stones, all of them or the legal ones."""
    empty = [cell for cell, content in enumerate(game.cells) if content is None]
    number = answer.said.count(",") + 1
    every = 2 * len(empty) if number == 1 else 2 * len(empty) * (len(empty) - 1)
    if not legal or every == 0:
        return math.log(max(1, every))
    if number == 1:
        return math.log(max(1, sum(1 for _ in game.drops(answer.player, 1))))
    rng = random.Random(len(empty))
    fitting = 0
    for _ in range(_SAMPLE):
        stones = (Stone(rng.choice((*Colour,)), cell) for cell in rng.sample(empty, PAIR))
        fitting += game.fits(answer.player, tuple(sorted(stones)))
    return math.log(max(1.0, every * (fitting + 0.5) / (_SAMPLE + 1)))


def recognise(
    rules: Rules,
    known: Sequence[Reading],
    answers: Sequence[Answer],
    *,
    regardless: float = 0.0,
) -> tuple[Reading, ...]:
    """The reading that explains the answers, or two that cannot be told apart; empty if unknown.

    Args:
        rules: the rules as they are.
        known: the readings.
        answers: what the engine has said.
        regardless: the evidence that it chooses turns without regard to groups.
    """
    right = _fit(law_of(rules), answers)
    if not right.wrong:
        return ()
    chosen = sum(one.asked == GENMOVE for one in answers)
    borne = min(chosen // _BORNE, len(right.wrong) // _EXPLAINED)
    fits = [
        (_fit(reading.law, answers), reading)
        for reading in known
        if _fit(reading.law, answers, count=False, borne=borne).likelihood > -math.inf
    ]
    # What no turn is expected for shows nothing.
    fits = [one for one in fits if 2 * one[0].excused <= len(right.wrong)]
    if not fits:
        return ()
    fits.sort(key=lambda one: -one[0].likelihood)
    best = fits[0][0]
    near = [one for fit, one in fits if best.likelihood - fit.likelihood < _MARGIN]
    unknown = _by_unknown_rule(right, answers)
    evidence = best.likelihood - unknown
    if all(one.ignores_groups for one in near):
        evidence = regardless
    elif any(one.ignores_groups for one in near):
        near = [one for one in near if not one.ignores_groups]
    if evidence < _EVIDENCE or len({one.text for one in near}) > _NAMED:
        return ()
    return tuple({one.text: one for one in near}.values())


def _by_unknown_rule(right: _Fit, answers: Sequence[Answer]) -> float:
    """The likelihood of all answers by the rules but for as many exceptions as there are."""
    wrong = Counter(one.asked for one in right.wrong)
    every = Counter(one.asked for one in answers)
    total = 0.0
    for asked, number in every.items():
        share = wrong[asked] / number
        for part in (share, 1 - share):
            total += number * part * math.log(part) if part else 0.0
    return total - sum(right.alike) - _SURPRISE * len(right.wrong)


def describe(named: Sequence[Reading], rules: Rules, answer: Answer) -> str:
    """The readings as phrases, with the number of groups by wrong neighbours."""
    found = named[0]
    text = " or ".join(one.text for one in named)
    right = law_of(rules)
    if len(named) == 1 and found.law.near != right.near and answer.asked != SCORE:
        text += _by_neighbours(Follower(found.law).at(answer), Follower(right).at(answer), answer)
    return f"{text}; see {found.section}"


def _by_neighbours(wrong: Player, right: Player, answer: Answer) -> str:
    """The numbers of groups after a turn, and two cells that differ in touching."""
    turn = right.read(answer.said, answer.player)
    if turn is None:
        return ""
    before = right.law.near
    for game in (wrong, right):
        game.play(answer.player, turn)
    cells, labels = right.cells, right.law.labels
    places = set() if isinstance(turn, str) else {stone.cell for stone in turn}
    pairs = [
        (one not in places, one, other)
        for one, colour in enumerate(cells)
        for other in {*before[one]} ^ {*wrong.law.near[one]}
        if colour is not None and colour == cells[other]
    ]
    if not pairs:
        return ""
    _, one, other = min(pairs)
    touch = "touch" if other in before[one] else "do not touch"
    return (
        f": by your neighbours the number of groups would be {wrong.total}, by the rules it is "
        f"{right.total}: {labels[one]} and {labels[other]} {touch}"
    )


def without_regard(colours: Sequence[Sequence[str]]) -> float:
    """The evidence that stones on a last empty cell are chosen without regard to groups.

    Of each position come the colours that were chosen there, again and again. By a rule of groups
    one colour or the other or both are legal, in different positions different ones.
    """
    drawn = listed = 0.0
    for some in colours:
        half: float = 0.5 ** len(some)
        same = len({*some}) == 1
        drawn += math.log(half) - math.log(half / 3 + same / 3)
        listed -= math.log(2 / 3)
    # An engine that takes the first turn of its list takes the same one everywhere.
    constant = len({one for some in colours for one in some}) == 1
    return listed - math.log(2) if constant else drawn
