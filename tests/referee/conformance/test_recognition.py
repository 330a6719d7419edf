"""Engines with one misreading each: it is named, and never another one."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import attrs
import pytest

from tests.referee.conformance.examiner import SMALL, Examiner
from tests.referee.conformance.reading_bots import HABITS, NOISES, Bot, ReadingEngine, right_bot
from yoddd.notation import NotationError, format_turn, parse_turn
from yoddd.protocol.controller import Handshake
from yoddd.referee.conformance import Knowledge, Script, Verdict
from yoddd.referee.conformance.games import random_turn
from yoddd.referee.conformance.questions import judge
from yoddd.referee.conformance.readings import Reading, readings
from yoddd.referee.conformance.recognition import Judgements, recognise, without_regard
from yoddd.referee.conformance.script import Interview
from yoddd.rules import IllegalTurn, Position, Rules, make_rules

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
def cases(number: int, seed: int, noises: tuple[str, ...] = ("",)) -> tuple[Case, ...]:
    """Drawn engines with any reading; half of them refuse to play what is illegal by it."""
    rng = random.Random(seed)
    found = []
    for _ in range(number):
        rules = rng.choice(GAMES)
        reading = rng.choice(readings(rules))
        bot = Bot(rules, reading.law, rng.choice(HABITS), strict=rng.random() < 1 / 2)
        seed_of_bot, noise = rng.randrange(1000), rng.choice(noises)
        found.append(Case(reading, attrs.evolve(bot, seed=seed_of_bot, noise=noise)))
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


def hides(bot: Bot) -> bool:
    """Whether an engine plays whole games by the rules and takes whatever it is told to play.

    Its misreading only leaves some legal turns out of its list, so no answer contradicts the rules.
    """
    engine = ReadingEngine({}, plain=False, banner=b"", status="", won=None, bot=bot)
    rng, rules = random.Random(bot.seed), bot.rules
    for _ in range(20):
        engine.do_clear_board()
        position = Position(rules)
        while not position.is_over:
            letter = position.player.letter
            said = engine.do_genmove(letter) if rng.random() < 1 / 2 else "resign"
            if said == "resign":  # which is legal at any time
                said = format_turn(random_turn(position, rng), rules)
                if engine.do_play(letter, said) is None:
                    return False
            try:
                position.play(parse_turn(said, rules, position.player))
            except (NotationError, IllegalTurn):
                return False
            if rng.random() < 1 / 8:
                engine.do_undo()
                position.undo()
        outcome = position.outcome()
        assert outcome is not None
        if engine.do_final_score() != f"{outcome.winner.letter.upper()}+{outcome.score}":
            return False
    return True


def outcomes(some: tuple[Case, ...]) -> Counter[str]:
    """The numbers of engines that are named, silent, and so on, also without their reading."""
    found = Counter[str]()
    for case in some:
        said = judged(case.bot)
        texts = {one.text for one in said.named}
        if not said.wrong:
            found["hidden" if hides(case.bot) else "silent"] += 1
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


def assert_none_is_wrong(found: Counter[str]) -> None:
    assert not [text for text in found if text.startswith(("wrong", "another"))]


@pytest.mark.parametrize(
    ("number", "seed"),
    [(24, 1), pytest.param(500, 2, marks=[pytest.mark.whole, pytest.mark.timeout(3600)])],
)
def test_recognise_drawn_misreadings_are_named_and_none_wrongly(number: int, seed: int) -> None:
    found = outcomes(cases(number, seed))
    named, silent, hidden = found["named"], found["silent"], found["hidden"]
    assert_none_is_wrong(found)
    assert named + silent + hidden == number
    assert named >= 0.85 * (named + silent), found
    assert silent <= 0.1 * (named + silent), found
    assert hidden <= 0.15 * number, found


@pytest.mark.parametrize(
    ("number", "seed"),
    [(6, 3), pytest.param(60, 4, marks=[pytest.mark.whole, pytest.mark.timeout(1800)])],
)
def test_recognise_noisy_misreadings_are_mostly_named_and_none_wrongly(
    number: int, seed: int
) -> None:
    found = outcomes(cases(number, seed, NOISES))
    named, silent = found["named"], found["silent"]
    assert_none_is_wrong(found)
    assert named >= 0.6 * (named + silent), found


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
