"""Questions that tell readings apart: turns, refusals, and scores that an engine is asked for."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

import attrs

from yoddd.notation import NotationError, format_position, format_turn, parse_turn
from yoddd.protocol.errors import one_line
from yoddd.referee.conformance.games import (
    Misjudged,
    Run,
    begun_game,
    drawn_game,
    drawn_turn,
    moves_of,
    rules_of,
    set_up_game,
)
from yoddd.referee.conformance.law import PAIR, UNDO, Moves, Player
from yoddd.referee.conformance.readings import Reading, readings
from yoddd.referee.conformance.recognition import (
    GENMOVE,
    PLAY,
    SCORE,
    Answer,
    Judgements,
    wrong_answers,
)
from yoddd.referee.conformance.script import Advised, Failed, Interview, Script, Skipped, Stop
from yoddd.referee.conformance.terms import Knowledge
from yoddd.rules import PASS, SWAP, Colour, Position, PositionLike, Rules, Stone, Turn, TurnKind

_SCENES: Final = 8
_FEW: Final = 16
_TURNS: Final = 48
_SECONDS: Final = 20.0
_GAMES: Final = 60
"""The games and the turns that an engine is asked for, and more after a wrong one, the seconds that
they may take, and the games that are begun for them."""

_REFUSALS: Final = 5
"""Legal turns that an engine refuses in one game before the next one begins."""

_PROBES: Final = 2
"""Illegal turns that a position is asked about."""

_DEAF: Final = 8
"""Illegal turns after which an engine that has accepted all is not asked about others."""

_SCORES: Final = ("score", "ties", "neighbours", "orthogonality")
_SCORED: Final = 10
_DRAWN: Final = 80
_FILLED: Final = 400
"""The rules that a score depends on; the finished games that an engine is asked to score at
least, and random ones among which more are sought, played or just filled."""

_AGAIN: Final = 5
_LAST: Final = 14
"""How often each of so many positions with one empty cell is asked about."""

_CANDIDATES: Final = 40
"""Random turns among which an illegal one is sought."""

_SOUGHT: Final = 760
"""The cells of the random positions in which readings are sought to differ from the rules."""


class _Scene:
    """One game in which an engine is asked."""

    def __init__(
        self, interview: Interview, knowledge: Knowledge, rules: Rules, rng: random.Random
    ) -> None:
        self.interview = interview
        self.knowledge = knowledge
        self.rng = rng
        self.position: Position = Position(rules)
        self.start: PositionLike | None = None
        self.before: Moves = ()
        self.seconds = 0.0

    def answer(self, asked: str, said: str, *, ok: bool) -> Answer:
        """An answer in the position of now."""
        turn = _read(said, self.position)
        right = turn is not None and self.position.is_legal(turn)
        problem = "" if right is ok else _problem(turn, self.position)
        player = self.position.player
        return Answer(self.start, self.before, asked, player, said.lower(), ok, problem)

    def begin(self, given: Position | None = None) -> Script[None]:
        """Set up the game, from a position line if one is given that the engine can read."""
        yield from set_up_game(self.interview, self.knowledge, self.position.rules)
        if given is not None and self.knowledge.lists("position"):
            yield from self.interview.demand(f"position {format_position(given)}")
            self.position, self.start = given.copy(), given.copy()

    def ask(self, turn: Turn) -> Script[Answer]:
        """Ask by `play`; the turn is played if it is legal and accepted."""
        player, token = self.position.player, _token(turn, self.position)
        reply, took = yield from self.interview.ask(f"play {player.letter} {token}")
        self.seconds += took
        answer = self.answer(PLAY, token, ok=reply.ok)
        if reply.ok:
            self.before = (*self.before, (player, token))
            if self.position.is_legal(turn):
                self.position.play(turn)
        return answer

    def choose(self) -> Script[Answer]:
        """Ask for a turn, which is played if it is legal."""
        player = self.position.player
        reply, took = yield from self.interview.ask(f"genmove {player.letter}", _SECONDS)
        self.seconds += took
        said = one_line(reply.text)
        answer = self.answer(GENMOVE, said, ok=reply.ok)
        turn = _read(said, self.position) if reply.ok else None
        if turn is not None and turn.kind is not TurnKind.RESIGN and self.position.is_legal(turn):
            self.position.play(turn)
            self.before = (*self.before, (player, said.lower()))
        return answer

    def take_back(self) -> Script[None]:
        """Take the last turn back."""
        yield from self.interview.demand("undo")
        self.position.undo()
        self.before = (*self.before, (self.position.player, UNDO))


def _token(turn: Turn, position: PositionLike) -> str:
    """A turn as text, with the colours of stones that are not the player's."""
    labels = position.rules.geometry.labels
    if any(stone.colour is not position.player for stone in turn.stones):
        return ",".join(one.colour.digit + labels[one.cell] for one in turn.stones)
    return format_turn(turn, position.rules)


def _read(said: str, position: PositionLike) -> Turn | None:
    try:
        return parse_turn(said, position.rules, position.player)
    except NotationError:
        return None


def _problem(turn: Turn | None, position: PositionLike) -> str:
    if turn is None:
        return f"no turn on {position.rules.geometry.name}"
    return position.illegality(turn) or "it is legal"


def _begun(rules: Rules, rng: random.Random) -> Position:
    """A position in the middle of a random game or near its end."""
    cells = rules.geometry.cells
    return begun_game(rules, rng, rng.randrange(cells // 3, cells))


def _illegal_turn(position: Position, rng: random.Random) -> Turn | None:
    """A turn on empty cells that some reading may allow, but not the rules."""
    empty = [cell for cell, content in enumerate(position.cells) if content is None]
    words = (PASS, SWAP) if position.rules.pie else (PASS,)
    for _ in range(_CANDIDATES):
        kind = rng.randrange(PAIR + 1)
        if kind == 0 or kind > len(empty):
            turn = rng.choice(words)
        else:
            cells = rng.sample(empty, kind)
            turn = Turn.drop(*sorted(Stone(rng.choice((*Colour,)), cell) for cell in cells))
        if not position.is_legal(turn):
            return turn
    return None


def judge(interview: Interview, knowledge: Knowledge, rules: Rules) -> Script[Judgements]:
    """Ask an engine about one game, and recognise its reading."""
    rng = random.Random(knowledge.terms.seed)
    found = Judgements(rules)
    try:
        yield from _ask_turns(interview, knowledge, found, rng)
        found.named = found.recognise()
        if found.wrong and not found.named:
            likely = found.recognise(_SECONDS)
            if likely and all(one.ignores_groups for one in likely):
                yield from _ask_again(_Scene(interview, knowledge, rules, rng), found)
                found.named = found.recognise()
    except Failed as failure:
        found.problem = failure
        found.named = found.recognise()
    return found


def _ask_turns(
    interview: Interview, knowledge: Knowledge, found: Judgements, rng: random.Random
) -> Script[None]:
    rules, answers = found.rules, found.answers
    seconds = 0.0
    if knowledge.lists("final_score"):
        for position in scored_games(rules):
            if not (yield from _ask_score(interview, knowledge, position, found)):
                break
    for question in telling_questions(rules):
        if seconds < _SECONDS / 4:
            scene = _Scene(interview, knowledge, rules, rng)
            yield from _put(question, scene, answers)
            seconds += scene.seconds
    seconds, put = 0.0, len(answers)
    for number in range(_GAMES):
        chosen = sum(one.asked == GENMOVE for one in answers[put:])
        if (chosen >= _FEW and number >= _SCENES) or seconds > _SECONDS / 4:
            is_wrong = bool(wrong_answers(rules, answers))
            if not is_wrong or chosen >= _TURNS or seconds > _SECONDS:
                return
        scene = _Scene(interview, knowledge, rules, rng)
        yield from scene.begin(_begun(rules, rng) if number % 2 else None)
        yield from _play_on(scene, answers)
        seconds += scene.seconds


def explained(run: Callable[[Interview, Knowledge], Script[str]]) -> Run:
    """The script of a check that says which reading explains a wrong judgement."""

    def script(interview: Interview, knowledge: Knowledge) -> Script[str]:
        try:
            return (yield from run(interview, knowledge))
        except Misjudged as failure:
            rules = failure.position.rules
            found = yield from judged(knowledge.terms.patience, knowledge, rules)
            why = found.told
            raise Failed(f"{failure}{': as if ' if why else ''}{why}", cause=why) from None

    return script


def judged(patience: float, knowledge: Knowledge, rules: Rules) -> Script[Judgements]:
    """The answers of the engine in one game; it is asked once."""
    name = rules.game.name
    if name not in knowledge.judgements:
        yield Stop()
        fresh = Interview(patience, knowledge.launch, starts_slowly=True)
        yield from fresh.start()
        knowledge.judgements[name] = yield from judge(fresh, knowledge, rules)
    return knowledge.judgements[name]


def check_turns(_interview: Interview, knowledge: Knowledge) -> Script[str]:
    """Ask for turns in drawn positions, and whether illegal ones are refused."""
    return (yield from _report(knowledge, scores=False))


def check_final_score(_interview: Interview, knowledge: Knowledge) -> Script[str]:
    """Ask for the scores of finished games."""
    if not knowledge.lists("final_score"):
        raise Skipped("lists no `final_score`")
    return (yield from _report(knowledge, scores=True))


def _report(knowledge: Knowledge, *, scores: bool) -> Script[str]:
    """Report the first wrong answer of each game that is a score, or is none."""
    rules_of(knowledge)
    number = 0
    faults, advice, causes = list[str](), list[str](), list[str]()
    for rules in knowledge.games:
        found = yield from judged(knowledge.terms.patience, knowledge, rules)
        number += sum((one.asked == SCORE) is scores for one in found.answers)
        wrong = [one for one in found.wrong if (one.asked == SCORE) is scores]
        own = [one for one in wrong if one.is_own or scores]
        if wrong:
            why = f": as if {found.told}" if found.told else ""
            text = f"{rules.game.name}: {(own or wrong)[0].fault}{why}"
            (faults if own else advice).append(text)
            causes.append(found.told)
        elif found.problem is not None:
            faults.append(f"{rules.game.name}: {found.problem}")
            causes.append("")
    # Advice of which the cause has failed a check already is reported there.
    if faults or (advice and causes[0] in knowledge.causes):
        raise Failed("; ".join(faults or advice), cause=causes[0])
    if advice:
        raise Advised("; ".join(advice))
    return f"{number} {'scores' if scores else 'answers'} in {len(knowledge.games)} games"


def _play_on(scene: _Scene, answers: list[Answer]) -> Script[None]:
    """Play one game, up to the first illegal turn of the engine."""
    rng, position = scene.rng, scene.position
    # The turns after which the engine is asked for its own.
    quiet = rng.choice((0, 0, rng.randrange(position.rules.geometry.cells)))
    refused = 0
    while not position.is_over and refused < _REFUSALS:
        if (yield from _probe(scene, answers)):
            return
        if position.number > quiet and rng.random() < 1 / 2:
            answer = yield from scene.choose()
            answers += [answer] * (answer.said != "resign")
            if scene.before == answer.before:
                return
            continue
        turn = drawn_turn(position, rng)
        answer = yield from scene.ask(turn)
        answers.append(answer)
        refused += not answer.ok
        if answer.ok and scene.knowledge.lists("undo") and rng.random() < _undone(position):
            yield from scene.take_back()


def _undone(position: Position) -> float:
    """The share of turns that are taken back, higher for first turns and swaps."""
    return 1 / 2 if position.number <= 1 + PAIR else 1 / 8


def _probe(scene: _Scene, answers: list[Answer]) -> Script[bool]:
    """Ask about illegal turns; return whether the engine has accepted one."""
    knowledge = scene.knowledge
    for _ in range(_PROBES):
        turn = _illegal_turn(scene.position, scene.rng)
        if turn is None or (knowledge.accepted_illegal >= _DEAF and not knowledge.judges):
            return False
        answer = yield from scene.ask(turn)
        answers.append(answer)
        if answer.ok:
            knowledge.accepted_illegal += 1
            return True
        knowledge.judges = True
    return False


@cache
def scored_games(rules: Rules) -> tuple[Position, ...]:
    """Finished games by whose scores readings are told apart, and some others."""
    rng = random.Random(0)
    drawn = (_finished(rules, rng) for _ in range(_DRAWN if rules.has_pass else _FILLED))
    games = [Player(one.law) for one in readings(rules) if one.rule in _SCORES]
    found: list[Position] = []
    parts: list[list[int]] = [[*range(len(games))]]
    for position in drawn:
        if not position.is_over:
            continue
        scores = []
        for game in games:
            game.cells = [*position.cells]
            scores.append(game.score())
        split = [part for old in parts for part in _split(old, scores)]
        if len(split) > len(parts) or len(found) < _SCORED:
            parts = split
            found.append(position)
    return tuple(found)


@attrs.frozen
class Question:
    """A question in one position: whether a turn is legal, or for a turn.

    Attributes:
        position: the position.
        by_line: whether it is given as a line.
        turn: the turn that is asked about; None to ask for one.
        undone: a turn that is played and taken back before; None without.
    """

    position: Position
    by_line: bool
    turn: Turn | None
    undone: Turn | None = None


@cache
def telling_questions(rules: Rules) -> tuple[Question, ...]:
    """Questions that engines with different readings answer wrongly, as few as are found."""
    rng = random.Random(0)
    found, shown = list[Question](), set[tuple[Reading, str]]()
    known = [one for one in readings(rules) if one.rule not in {"score", "ties"}]
    for number in range(_SOUGHT // rules.geometry.cells):
        early = number % 4 == 0
        position = drawn_game(rules, rng, rng.randrange(3)) if early else _begun(rules, rng)
        told: PositionLike | Moves = position if number % 2 else moves_of(position)
        undone = drawn_turn(position, rng) if early else None
        if undone is not None and isinstance(told, tuple):
            told = (*told, (position.player, _token(undone, position)), (position.player, UNDO))
        turns = [turn for turn in (drawn_turn(position, rng), _illegal_turn(position, rng)) if turn]
        legal = {_token(turn, position): position.is_legal(turn) for turn in turns}
        new: dict[Turn | None, set[tuple[Reading, str]]] = {turn: set() for turn in turns}
        new[None] = set()
        for reading in known:
            game, player = _seen(told, reading), position.player
            for turn, (token, right) in zip(turns, legal.items(), strict=True):
                if game.allows(player, game.read(token, player)) is not right:
                    new[turn].add((reading, str(right)))
            for size in (0, *game.sizes):
                if (reading, str(size)) not in shown and _errs(game, position, size, rng):
                    new[None].add((reading, str(size)))
        for asked, some in new.items():
            if some - shown:
                found.append(Question(position, bool(number % 2), asked, undone))
                shown |= some
    return tuple(found)


def _seen(told: PositionLike | Moves, reading: Reading) -> Player:
    """The game as an engine with a reading sees it, after a position line or after turns."""
    game = Player(reading.law)
    if isinstance(told, tuple):
        game.follow(told)
    else:
        game.set_up(told)
    return game


def _errs(game: Player, position: PositionLike, size: int, rng: random.Random) -> bool:
    """Whether a turn that a reading allows is illegal by the rules, of that size or the first."""
    drop = _drop(game, position.player, size, rng)
    if drop is None:
        return False
    labels = game.law.labels
    turn = _read(",".join(one.colour.digit + labels[one.cell] for one in drop), position)
    return turn is None or not position.is_legal(turn)


def _drop(game: Player, player: Colour, size: int, rng: random.Random) -> tuple[Stone, ...] | None:
    """A random turn of so many stones that a reading allows, or the first of all for 0."""
    if size == 0:
        return next(game.drops(player), None)
    empty = [cell for cell, content in enumerate(game.cells) if content is None]
    for _ in range(_CANDIDATES if len(empty) >= size else 0):
        stones = (Stone(rng.choice((*Colour,)), cell) for cell in rng.sample(empty, size))
        drop = tuple(sorted(stones))
        if game.fits(player, drop):
            return drop
    return None


def _put(question: Question, scene: _Scene, answers: list[Answer]) -> Script[None]:
    """Put one question."""
    position, turn = question.position, question.turn
    knowledge = scene.knowledge
    illegal = turn is not None and not position.is_legal(turn)
    if illegal and knowledge.accepted_illegal >= _DEAF and not knowledge.judges:
        return
    yield from scene.begin(position if question.by_line else None)
    if scene.start is None:
        for played in position.history:
            answer = yield from scene.ask(played)
            if not answer.ok:
                answers.append(answer)
                return
    if question.undone is not None and knowledge.lists("undo"):
        answer = yield from scene.ask(question.undone)
        if not answer.ok:
            answers.append(answer)
            return
        yield from scene.take_back()
    answer = yield from (scene.choose() if turn is None else scene.ask(turn))
    answers += [answer] * (answer.said != "resign")
    knowledge.accepted_illegal += illegal and answer.ok
    knowledge.judges |= illegal and not answer.ok


def _finished(rules: Rules, rng: random.Random) -> Position:
    """A random finished game, if two passes end it in time."""
    if rules.has_pass:
        return drawn_game(rules, rng, rules.geometry.cells * PAIR)
    position = Position(rules)
    cells = rng.sample(range(rules.geometry.cells), rules.geometry.cells)
    while cells:
        if position.is_legal(SWAP) and rng.random() < 1 / 2:
            position.play(SWAP)
        own, most = rules.is_own(position.number), rules.stones_of_turn(position.number)[-1]
        colours = (position.player,) if own else (*Colour,)
        turn = [Stone(rng.choice(colours), cells.pop()) for _ in range(min(most, len(cells)))]
        position.play(Turn.drop(*sorted(turn)))
    return position


def _split(numbers: Sequence[int], scores: Sequence[str]) -> list[list[int]]:
    """Numbers by what the score of each is."""
    found: dict[str, list[int]] = {}
    for number in numbers:
        found.setdefault(scores[number], []).append(number)
    return [*found.values()]


def _ask_score(
    interview: Interview, knowledge: Knowledge, position: Position, found: Judgements
) -> Script[bool]:
    """Ask for the score of a finished game; return whether the engine could play it."""
    yield from set_up_game(interview, knowledge, position.rules)
    moves, outcome = moves_of(position), position.outcome()
    if outcome is None:
        return True
    for player, token in moves:
        reply, _ = yield from interview.ask(f"play {player.letter} {token}")
        if not reply.ok:
            return False
    reply, _ = yield from interview.ask("final_score")
    said = one_line(reply.text).upper() if reply.ok else ""
    right = f"{outcome.winner.letter.upper()}+{outcome.score}"
    problem = right if said != right else ""
    answer = Answer(None, moves, SCORE, position.player, said, reply.ok, problem)
    found.answers.append(answer)
    return True


def _ask_again(scene: _Scene, found: Judgements) -> Script[None]:
    """Ask for a turn on the last empty cell of some positions, several times."""
    rules, rng = scene.position.rules, scene.rng
    for _ in range(_GAMES):
        drawn = drawn_game(rules, rng, rules.geometry.cells * PAIR)
        while drawn.history and drawn.cells.count(None) < 1:
            drawn.undo()
        if drawn.cells.count(None) != 1 or drawn.is_over:
            continue
        colours, moves = list[str](), moves_of(drawn)
        for _ in range(_AGAIN):
            yield from set_up_game(scene.interview, scene.knowledge, rules)
            for player, token in moves:
                reply, _ = yield from scene.interview.ask(f"play {player.letter} {token}")
            reply, _ = yield from scene.interview.ask(f"genmove {drawn.player.letter}", _SECONDS)
            colours += [reply.text[0]] * (reply.ok and reply.text[:1] in {"1", "2"})
        found.last += [colours] * bool(colours)
        if len(found.last) == _LAST:
            return
