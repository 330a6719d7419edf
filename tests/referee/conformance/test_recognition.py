"""Engines with one misreading each: it is named, and never another one."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import attrs
import pytest

from tests.referee.conformance.examiner import SMALL, Examiner
from tests.referee.conformance.reading_bots import HABITS, Bot, ReadingEngine, right_bot
from yoddd.protocol.controller import Handshake
from yoddd.referee.conformance import Knowledge, Script, Verdict
from yoddd.referee.conformance.questions import judge
from yoddd.referee.conformance.readings import Reading, readings
from yoddd.referee.conformance.recognition import Judgements, recognise, without_regard
from yoddd.referee.conformance.script import Interview
from yoddd.rules import Rules, make_rules

GAMES = tuple(
    make_rules(game, board)
    for game, board in (
        ("yodd", "hex3"),
        ("xodd", "square4"),
        ("odd", "hex3"),
        ("yoin", "hex3"),
        ("product", "hex3"),
    )
)


@attrs.frozen
class Case:
    """One engine and what is drawn of it."""

    reading: Reading
    bot: Bot


@cache
def cases(number: int, seed: int) -> tuple[Case, ...]:
    """Drawn engines with any reading; half of them refuse to play what is illegal by it."""
    rng = random.Random(seed)
    found = []
    for _ in range(number):
        rules = rng.choice(GAMES)
        reading = rng.choice(readings(rules))
        bot = Bot(rules, reading.law, rng.choice(HABITS), strict=rng.random() < 1 / 2)
        found.append(Case(reading, attrs.evolve(bot, seed=rng.randrange(1000))))
    return tuple(found)


def judged(bot: Bot) -> Judgements:
    """The answers of an engine."""
    rules = bot.rules
    knowledge = Knowledge(attrs.evolve(SMALL, games=(rules,)))

    def script() -> Script[Judgements]:
        interview = Interview(2.0, 2.0, starts_slowly=True)
        yield from interview.start()
        handshake = Handshake()
        while handshake.command is not None:
            reply, _ = yield from interview.ask(handshake.command)
            knowledge.engine = handshake.answer(reply)
        return (yield from judge(interview, knowledge, rules))

    return Examiner(kind=ReadingEngine, more={"bot": bot}).carry_out(script())  # type: ignore[dict-item]  # not a text


def outcomes(some: tuple[Case, ...]) -> Counter[str]:
    """The numbers of engines that are named, silent, and so on, also without their reading."""
    found = Counter[str]()
    for case in some:
        said = judged(case.bot)
        texts = {one.text for one in said.named}
        if not said.wrong:
            found["right"] += 1  # nothing that it says contradicts the rules
        elif not texts:
            found["silent"] += 1
        else:
            found["named" if case.reading.text in texts else f"wrong: {case}, {texts}"] += 1
        others = [one for one in readings(case.bot.rules) if one.text not in texts]
        if texts and recognise(
            case.bot.rules, others, said.answers, regardless=without_regard(said.last)
        ):
            found[f"another: {case}"] += 1
    return found


@pytest.mark.parametrize(
    ("number", "seed"),
    [(24, 1), pytest.param(500, 2, marks=[pytest.mark.whole, pytest.mark.timeout(3600)])],
)
def test_recognise_drawn_misreadings_are_named_and_none_wrongly(number: int, seed: int) -> None:
    found = outcomes(cases(number, seed))
    named, silent = found["named"], found["silent"]
    assert not [text for text in found if text.startswith(("wrong", "another"))]
    assert named >= 0.85 * (named + silent), found
    assert named > number / 3, found


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.game.name)
def test_judge_engine_that_plays_by_the_rules_is_never_wrong(rules: Rules) -> None:
    for habit in HABITS:
        found = judged(right_bot(rules, habit=habit))
        assert (found.wrong, found.named, found.problem) == ((), (), None)


def by_text(rules: Rules, text: str) -> Reading:
    return next(one for one in readings(rules) if text in one.text)


@pytest.mark.parametrize(
    ("game", "text", "verdict", "habit"),
    [
        (*one, "greedy") if len(one) < 4 else one
        for one in (
            (1, "touch at a corner", Verdict.FAIL),
            (3, "the higher count wins", Verdict.FAIL),
            (4, "three largest", Verdict.FAIL),
            (3, "changes its colour when sides are swapped", Verdict.FAIL),
            (2, "upside down", Verdict.FAIL),
            (0, "does not take back the number", Verdict.FAIL),
            # To accept an illegal turn breaks a SHOULD (E5.7), to choose it loses a game (E9.1).
            (0, "the first turn may be a pass", Verdict.WARN),
            (0, "the first turn may be a pass", Verdict.FAIL, "uniform"),
        )
    ],
)
def test_check_names_a_misreading_in_one_finding(
    game: int, text: str, verdict: Verdict, habit: str
) -> None:
    rules = GAMES[game]
    bot = Bot(rules, by_text(rules, text).law, habit)
    terms = attrs.evolve(SMALL, games=(rules,))
    report = Examiner(kind=ReadingEngine, more={"bot": bot}).run(terms)  # type: ignore[dict-item]
    named = [
        one for one in report.findings if text in one.detail and one.verdict is not Verdict.SKIP
    ]
    assert [one.verdict for one in named] == [verdict], report
    assert "; see E" in named[0].detail


def test_recognise_unknown_rule_has_no_name() -> None:
    rules = GAMES[0]
    said = judged(Bot(rules, by_text(rules, "has to be even").law))
    shuffled = [attrs.evolve(one, ok=n % 3 == 0) for n, one in enumerate(said.answers)]
    assert recognise(rules, readings(rules), shuffled) == ()


def test_without_regard_colours_that_depend_on_the_position_are_no_evidence() -> None:
    assert without_regard([("1", "2", "1", "2")] * 8) > 4
    assert without_regard([("1", "1", "1")] * 14) > 4
    assert without_regard([("1", "1", "1"), ("2", "2", "2")] * 5) < 0
    assert without_regard([]) <= 0
