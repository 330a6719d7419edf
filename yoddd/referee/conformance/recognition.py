"""Recognition of the rule that an engine misreads, by the turns that it plays or refuses."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Final

import attrs

from yoddd.notation import NotationError, format_turn, parse_turn
from yoddd.referee.conformance.games import Misjudged, random_turn, set_up_game
from yoddd.referee.conformance.misreadings import MISREADINGS, Answer, Case, Misreading
from yoddd.referee.conformance.perft import Walk, examine_perft
from yoddd.referee.conformance.script import Failed, Interview, Script, Stop
from yoddd.referee.conformance.terms import Knowledge
from yoddd.rules import Colour, Position, Rules, Stone, Turn, TurnKind

_TURNS: Final = 40
_SECONDS: Final = 20.0
"""The turns that an engine is asked for, and the seconds that they may take together."""

_SAMPLE: Final = 60
"""Turns by which the share of turns that a misreading allows is estimated."""

_MARGIN: Final = 3.0
"""By how much the likeliest misreading has to be likelier than the next one, as a logarithm."""

_GENMOVES: Final = 0.6
"""The share of turns that the engine chooses itself."""

_REFUSALS: Final = 5
"""Legal turns that an engine refuses in one game before the next one begins."""


def recognise(answers: Sequence[Answer]) -> Misreading | None:
    """Return the misreading that explains all answers, unless one of another rule does as well.

    An engine is taken to choose among turns of one kind at random: of two readings that allow its
    turns, the likelier one allows fewer others.
    """
    rng = random.Random(0)
    pools = [_similar(one.case, rng) if one.chosen else [] for one in answers]
    scores = [
        (_likelihood(misreading, answers, pools), misreading)
        for misreading in MISREADINGS
        if all(misreading.allows(one.case) in (one.allowed, None) for one in answers)
    ]
    best, found = max(scores, key=lambda one: one[0], default=(-math.inf, None))
    others = [score for score, one in scores if found is not None and one.rule != found.rule]
    return found if best - max(others, default=-math.inf) >= _MARGIN else None


def _likelihood(
    misreading: Misreading, answers: Sequence[Answer], pools: list[list[Case]]
) -> float:
    """A log-likelihood; minus infinity if far more or fewer turns had to be illegal."""
    score = expected = variance = 0.0
    for pool in pools:
        allowed = [case for case in pool if misreading.allows(case)] or pool[:1]
        if allowed:
            share = sum(not case.is_legal for case in allowed) / len(allowed)
            score -= math.log(len(allowed))
            expected += share
            variance += share * (1 - share)
    wrong = sum(one.chosen and one.is_wrong for one in answers)
    return score if abs(wrong - expected) <= 1 + 3 * math.sqrt(variance) else -math.inf


def _similar(case: Case, rng: random.Random) -> list[Case]:
    """Turns with as many stones, drawn at random, for a turn that drops stones."""
    position, number = case.position, len(case.stones)
    empty = [cell for cell, content in enumerate(position.cells) if content is None]
    drawn = [case]
    while 0 < number <= len(empty) and len(drawn) < _SAMPLE:
        stones = (Stone(rng.choice(list(Colour)), cell) for cell in rng.sample(empty, number))
        drawn.append(Case(position, Turn.drop(*stones)))
    return drawn


def explained(
    run: Callable[[Interview, Knowledge], Script[str]],
) -> Callable[[Interview, Knowledge], Script[str]]:
    """The script of a check that says which misreading is behind a wrong judgement."""

    def script(interview: Interview, knowledge: Knowledge) -> Script[str]:
        try:
            return (yield from run(interview, knowledge))
        except Misjudged as failure:
            why = yield from _explain(knowledge, failure)
            raise Failed(f"{failure}{': as if ' if why else ''}{why}") from None

    return script


def _explain(knowledge: Knowledge, failure: Misjudged) -> Script[str]:
    """The misreading behind a wrong judgement; empty if unknown."""
    terms, rules = knowledge.terms, failure.position.rules
    if knowledge.lists("legal") or knowledge.lists("perft"):
        walk = Walk(games=5, seconds=_SECONDS)
        wrong = (yield from examine_perft(attrs.evolve(terms, games=(rules,)), walk)).wrong
        if wrong is not None and wrong.misreading:
            return wrong.misreading
    if rules.game.name not in knowledge.misread:
        interview = Interview(terms.patience, knowledge.launch, starts_slowly=True)
        knowledge.misread[rules.game.name] = yield from _gather(interview, knowledge, rules)
        yield Stop()
    answers = knowledge.misread[rules.game.name]
    if failure.turn is not None:
        case = Case(failure.position.copy(), failure.turn)
        answers = [Answer(case, not case.is_legal, not case.is_legal), *answers]
    found = recognise(answers)
    return (
        "" if found is None else found.describe(next(one.case for one in answers if one.is_wrong))
    )


def _gather(interview: Interview, knowledge: Knowledge, rules: Rules) -> Script[list[Answer]]:
    """Play games of random turns and turns of the engine, up to the first wrong one of each."""
    rng = random.Random(knowledge.terms.seed)
    answers: list[Answer] = []
    yield from interview.start()
    seconds = 0.0
    while len(answers) < 2 * _TURNS and seconds < _SECONDS:
        before = len(answers)
        try:
            yield from set_up_game(interview, knowledge, rules)
            seconds += yield from _play_on(interview, Position(rules), rng, answers)
        except (Failed, NotationError):
            break
        if len(answers) == before:
            break
    if all(one.allowed for one in answers):
        # Its `play` accepts anything, which says nothing of how it reads the rules.
        answers = [one for one in answers if one.chosen]
    return answers


def _play_on(
    interview: Interview, position: Position, rng: random.Random, answers: list[Answer]
) -> Script[float]:
    """Play one game and add the engine's judgements; return the seconds that it took for them."""
    seconds, refused = 0.0, 0
    while not position.is_over and refused < _REFUSALS and seconds < _SECONDS:
        player = position.player
        chosen = rng.random() < _GENMOVES
        if chosen:
            reply, took = yield from interview.ask(f"genmove {player.letter}", _SECONDS)
            turn = parse_turn(reply.text, position.rules, player) if reply.ok else None
        else:
            turn = random_turn(position, rng)
            token = format_turn(turn, position.rules)
            reply, took = yield from interview.ask(f"play {player.letter} {token}")
        seconds += took
        if turn is None or turn.kind is TurnKind.RESIGN:
            break
        answer = Answer(Case(position.copy(), turn), reply.ok, chosen)
        answers.append(answer)
        if chosen and answer.is_wrong:
            break
        if reply.ok:
            position.play(turn)
        refused += not reply.ok
    return seconds
