"""The walk: compares the legal turns of an engine with the rules, position by position."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Final

import attrs

from yoddd.defaults import WALK_DEPTH, WALK_SECONDS
from yoddd.notation import NotationError, format_position, format_turn, parse_turn
from yoddd.protocol.commands.play import fast_copy
from yoddd.protocol.errors import one_line
from yoddd.referee.conformance.games import drawn_turn, moves_of, rules_of, set_up_game, shake_hands
from yoddd.referee.conformance.law import PAIR, law_of
from yoddd.referee.conformance.readings import readings
from yoddd.referee.conformance.recognition import PLAY, Answer, Follower, describe, recognise
from yoddd.referee.conformance.script import Failed, Interview, Script, Send, Skipped, Stop
from yoddd.referee.conformance.terms import DEFAULT_GAME, Knowledge, Terms, small_game, small_games
from yoddd.rules import PASS, SWAP, Colour, Position, Rules, Stone, Turn

LEAVES: Final = 20_000
"""The most sequences that an engine is asked to count at once."""

PAGE: Final = 1_000
"""Turns that `legal turns` is asked for at once."""

_JUDGED: Final = 2_000
"""The most turns by which a misreading is recognised."""

_PLAYED: Final = 40
"""The turns that an engine without `legal` and `perft` is asked for in each position."""

_ELSEWHERE: Final = 8
"""Other positions in which an engine that has got one wrong is asked for some turns."""


@attrs.frozen(kw_only=True)
class Walk:
    """The extent of a walk.

    Attributes:
        depth: the most turns of a sequence that the engine counts.
        seconds: after which no further position is visited.
        games: random games on each board, after its empty board.
    """

    depth: int = WALK_DEPTH
    seconds: float = WALK_SECONDS
    games: int = 100


@attrs.frozen
class Wrong:
    """The first position that the engine gets wrong.

    Attributes:
        position: its line.
        turns: that lead to it from the empty board.
        asked: the request.
        answer: the number or the number of turns in the reply.
        expected: the same by the rules.
        turn: the first turn that the engine takes wrongly for legal or for illegal; empty if it
            cannot be found out.
        allows: whether the engine allows that turn.
        reason: what the rules say of it.
        rule: the rule that the engine seems to misread; empty if unknown.
        misreading: its reading of the rule.
    """

    position: str
    turns: str
    asked: str
    answer: str
    expected: str
    turn: str = ""
    allows: bool = False
    reason: str = ""
    rule: str = ""
    misreading: str = ""


@attrs.frozen(kw_only=True)
class WalkReport:
    """The whole walk.

    Attributes:
        name: the engine's reply to ``name``.
        version: its reply to ``version``.
        asked: the commands that were compared.
        positions: the number of positions that were compared.
        turns: the number of legal turns in them.
        seconds: the time of the walk.
        wrong: the first wrong position; None if all are right.
        problem: why the walk ended otherwise; empty if it did not.
    """

    name: str = ""
    version: str = ""
    asked: tuple[str, ...] = ()
    positions: int = 0
    turns: int = 0
    seconds: float = 0.0
    wrong: Wrong | None = None
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether positions were compared, and all of them are right."""
        return self.wrong is None and not self.problem

    def as_json(self) -> dict[str, object]:
        """The report as plain values."""
        return {
            "engine": {"name": self.name, "version": self.version},
            "passed": self.passed,
            "asked": list(self.asked),
            "positions": self.positions,
            "turns": self.turns,
            "seconds": round(self.seconds, 1),
            "wrong": None if self.wrong is None else attrs.asdict(self.wrong),
            "problem": self.problem,
        }


class _Found(Exception):
    """A wrong position was found."""

    def __init__(self, wrong: Wrong) -> None:
        super().__init__(wrong.position)
        self.wrong = wrong


def examine_perft(terms: Terms, walk: Walk) -> Script[WalkReport]:
    """Walk the games of the terms with one run of an engine, up to its first wrong position."""
    walker = _Walker(terms, walk)
    wrong, problem = None, ""
    begun = yield from walker.begin()
    try:
        yield from walker.introduce()
        yield from walker.walk_all()
    except _Found as found:
        wrong = found.wrong
    except (Failed, Skipped) as failure:
        problem = one_line(str(failure)) + walker.whereabouts
    seconds = (yield from walker.now()) - begun
    yield Stop()
    engine = walker.knowledge.engine
    names = (engine.name, engine.version) if engine is not None else ("", "")
    return WalkReport(
        name=names[0],
        version=names[1],
        asked=walker.asked,
        positions=walker.positions,
        turns=walker.turns,
        seconds=seconds,
        wrong=wrong,
        problem=problem,
    )


class _Walker:
    """One run of the engine, and the position that it has now.

    Attributes:
        knowledge: the engine's replies to the handshake.
        positions: the number of positions that were compared.
        turns: the number of legal turns in them.
    """

    def __init__(self, terms: Terms, walk: Walk) -> None:
        self.knowledge = Knowledge(terms)
        self.positions = 0
        self.turns = 0
        self._terms = terms
        self._walk = walk
        self._rng = random.Random(terms.seed)
        # Those of the terms, or all of which the engine can be told.
        self._games = terms.games or small_games()
        self._interview = Interview(terms.patience, terms.launch)
        # Follows the engine's position turn by turn.
        self._position = Position(self._games[0])
        # When the walk ends, by the clock of the events.
        self._deadline = 0.0

    @property
    def asked(self) -> tuple[str, ...]:
        """The commands by which the engine is compared."""
        listed = tuple(name for name in ("legal", "perft") if self.knowledge.lists(name))
        return listed or ("play",)

    @property
    def whereabouts(self) -> str:
        """The position that the engine has now, for a message; empty before the first."""
        return f", in {format_position(self._position)}" if self.positions else ""

    def now(self) -> Script[float]:
        """The clock of the events."""
        return (yield Send(b"")).now

    def begin(self) -> Script[float]:
        """Start the engine; the time of it."""
        yield from self._interview.start()
        now = yield from self.now()
        self._deadline = now + self._walk.seconds
        return now

    def introduce(self) -> Script[None]:
        """Shake hands."""
        yield from shake_hands(self._interview, self.knowledge)
        if self._terms.games is None and not self.knowledge.lists("game"):
            self._games = (small_game(DEFAULT_GAME),)
        elif not self.knowledge.lists("game"):
            rules_of(self.knowledge)

    # -- the walk ---------------------------------------------------------------------------

    def walk_all(self) -> Script[None]:
        """Visit the empty boards, then the positions of random games, in turn."""
        for number in range(1 + self._walk.games):
            for rules in self._games:
                if (yield from self.now()) >= self._deadline:
                    return
                yield from self._set_up(rules)
                yield from self._visit()
                if number:
                    yield from self._walk_game()

    def _walk_game(self) -> Script[None]:
        """Visit the positions of a random game to its end."""
        while not self._position.is_over and (yield from self.now()) < self._deadline:
            yield from self._step(drawn_turn(self._position, self._rng))
            yield from self._visit()

    def _visit(self) -> Script[None]:
        """Compare the position that the engine has now."""
        self.positions += 1
        self.turns += self._position.count_turns()
        if "play" in self.asked:
            yield from self._compare_play()
        if "legal" in self.asked:
            yield from self._compare_list()
        if "perft" in self.asked:
            for depth in range(1, self._walk.depth + 1):
                expected = fast_copy(self._position).perft(depth)
                if expected > LEAVES:
                    break
                found = yield from self._perft(depth)
                if found != str(expected):
                    yield from self._locate(depth, found, str(expected))

    def _compare_play(self) -> Script[None]:
        """Ask by `play` for some turns; for many in the first position that is wrong."""
        for turn in _probes(self._position, self._rng, _PLAYED):
            if (yield from self._accepts(turn)) is not self._position.is_legal(turn):
                command, words = self._play_command(turn), ("refused", "accepted")
                expected = self._position.is_legal(turn)
                yield from self._locate_turn(command, words[not expected], words[expected], turn)
                raise Failed("lists neither `perft` nor `legal`, and its `play` accepts any turn")

    def _compare_list(self) -> Script[None]:
        listed = yield from self._list()
        if Counter(listed) != Counter(self._position.legal_turns()):
            raise _Found((yield from self._judge(listed)))

    def _locate(self, depth: int, found: str, expected: str) -> Script[None]:
        """Find the turn that a wrong count of sequences of so many turns comes from."""
        if depth == 1:
            yield from self._locate_turn("perft 1", found, expected)
        for turn in list(self._position.legal_turns()) if depth > 1 else ():
            yield from self._step(turn)
            below = str(fast_copy(self._position).perft(depth - 1))
            answer = yield from self._perft(depth - 1)
            if answer != below:
                yield from self._locate(depth - 1, answer, below)
            yield from self._take_back()
        raise _Found(self._wrong(f"perft {depth}", found, expected))

    def _locate_turn(self, asked: str, found: str, expected: str, *first: Turn) -> Script[None]:
        """Find the wrong turn of the position by `legal`, or by the turns that `play` accepts."""
        if "legal" in self.asked:
            return (yield from self._compare_list())
        answers: dict[Turn, bool] = {}
        for turn in dict.fromkeys((*first, *_probes(self._position, self._rng))):
            answers[turn] = yield from self._accepts(turn)
        if all(answers.values()):
            return None  # its `play` accepts anything
        raise _Found((yield from self._explained(asked, found, expected, answers)))

    # -- findings ---------------------------------------------------------------------------

    def _judge(self, listed: list[Turn]) -> Script[Wrong]:
        """The finding from a wrong list of legal turns."""
        legal, found = set(self._position.legal_turns()), set(listed)
        chosen = [*sorted(legal ^ found, key=_canonical), *_probes(self._position, self._rng)]
        answers = {turn: turn in found for turn in dict.fromkeys(chosen[:_JUDGED])}
        return (
            yield from self._explained("legal turns", str(len(listed)), str(len(legal)), answers)
        )

    def _wrong(self, asked: str, answer: str, expected: str) -> Wrong:
        position = self._position
        tokens = [format_turn(turn, position.rules) for turn in position.history]
        return Wrong(format_position(position), " ".join(tokens), asked, answer, expected)

    def _explained(
        self, asked: str, answer: str, expected: str, answers: Mapping[Turn, bool]
    ) -> Script[Wrong]:
        """The finding, with the first wrong turn and the reading that explains all answers."""
        position = self._position.copy()
        wrong = self._wrong(asked, answer, expected)
        turn = next((t for t, allowed in answers.items() if allowed != position.is_legal(t)), None)
        if turn is None:
            return attrs.evolve(
                wrong, reason="a turn is listed twice: two stones are one turn in any order"
            )
        told = _as_answers(position, answers)
        first = next(one for one, other in zip(told, answers, strict=True) if other == turn)
        wrong = attrs.evolve(
            wrong,
            turn=format_turn(turn, position.rules),
            allows=answers[turn],
            reason=position.illegality(turn) or "legal",
        )
        told += yield from self._ask_elsewhere(position.rules)
        known = readings(position.rules)
        named = recognise(position.rules, known, told, regardless=_accepted(told, position.rules))
        if not named:
            return wrong
        text = describe(named, position.rules, first)
        return attrs.evolve(wrong, rule=named[0].rule, misreading=text)

    def _ask_elsewhere(self, rules: Rules) -> Script[list[Answer]]:
        """Ask the engine for some turns in other positions of the game."""
        told: list[Answer] = []
        for _ in range(_ELSEWHERE):
            try:
                yield from self._set_up(rules)
                turns = self._rng.randrange(1, 1 + rules.geometry.cells // PAIR)
                while not self._position.is_over and len(self._position.history) < turns:
                    yield from self._step(drawn_turn(self._position, self._rng))
                probes = [*_probes(self._position, self._rng, _PLAYED)]
                if "legal" in self.asked:
                    listed = {*(yield from self._list())}
                    answers = {turn: turn in listed for turn in probes}
                else:
                    answers = {}
                    for turn in probes:
                        answers[turn] = yield from self._accepts(turn)
            except (_Found, Failed):
                continue
            told += _as_answers(self._position, answers)
        return told

    # -- the engine -------------------------------------------------------------------------

    def _set_up(self, rules: Rules) -> Script[None]:
        yield from set_up_game(self._interview, self.knowledge, rules)
        self._position = Position(rules)

    def _accepts(self, turn: Turn) -> Script[bool]:
        """Whether `play` accepts a turn, which is then taken back."""
        reply, _ = yield from self._interview.ask(self._play_command(turn))
        if reply.ok:
            yield from self._restore()
        return reply.ok

    def _play_command(self, turn: Turn) -> str:
        token = format_turn(turn, self._position.rules)
        return f"play {self._position.player.letter} {token}"

    def _step(self, turn: Turn) -> Script[None]:
        """Play a legal turn."""
        reply, _ = yield from self._interview.ask(self._play_command(turn))
        if not reply.ok:
            wrong = self._wrong(self._play_command(turn), f"? {one_line(reply.text)}", "=")
            token = format_turn(turn, self._position.rules)
            raise _Found(attrs.evolve(wrong, turn=token, reason="legal"))
        self._position.play(turn)

    def _take_back(self) -> Script[None]:
        self._position.undo()
        yield from self._restore()

    def _restore(self) -> Script[None]:
        """Bring the engine back from a turn to the position before it."""
        if self.knowledge.lists("undo"):
            yield from self._interview.demand("undo")
            return
        history = self._position.history
        yield from set_up_game(self._interview, self.knowledge, self._position.rules)
        self._position = Position(self._position.rules)
        for turn in history:
            yield from self._step(turn)

    def _perft(self, depth: int) -> Script[str]:
        text = yield from self._interview.demand(f"perft {depth}")
        return text.strip()

    def _list(self) -> Script[list[Turn]]:
        """The turns that the engine lists."""
        total, listed = 1, list[Turn]()
        while len(listed) < total:
            request = f"legal turns from={len(listed)} limit={PAGE}"
            head, *tokens = (yield from self._interview.demand(request)).split("\n")
            word, _, number = head.partition(" ")
            if word != "total" or not number.isascii() or not number.isdigit():
                raise Failed(f"`{request}` begins with {head[:40]!r}, expected `total N`")
            total = int(number)
            if not tokens and total:
                raise Failed(f"`{request}`: no turns, though the total is {total}")
            listed += (self._read(token, request) for token in tokens if token)
        return listed

    def _read(self, token: str, request: str) -> Turn:
        try:
            return parse_turn(token, self._position.rules, self._position.player)
        except NotationError as error:
            raise Failed(f"`{request}` lists {token[:40]!r}: {error.reason}") from None


def _probes(position: Position, rng: random.Random, most: int = _JUDGED) -> Iterable[Turn]:
    """Turns that readings differ in, few enough to judge each of them."""
    empty = [cell for cell, content in enumerate(position.cells) if content is None]
    # The notation has no stones of the other colour where each player has one.
    colours = [position.player] if position.rules.bare_stones else [*Colour]
    stones = [Stone(colour, cell) for colour in colours for cell in empty]
    words, singles = [PASS, SWAP], [Turn.drop(stone) for stone in stones]
    pairs = [pair for pair in combinations(stones, PAIR) if pair[0].cell != pair[1].cell]
    left = max(0, most - len(words))
    if len(singles) + len(pairs) > left:
        singles = rng.sample(singles, min(len(singles), left // PAIR))
        pairs = rng.sample(pairs, min(len(pairs), left - len(singles)))
    return [*singles, *(Turn.drop(*pair) for pair in pairs), *words]


def _as_answers(position: Position, answers: Mapping[Turn, bool]) -> list[Answer]:
    moves, player, rules = moves_of(position), position.player, position.rules
    return [
        Answer(None, moves, PLAY, player, format_turn(turn, rules), ok)
        for turn, ok in answers.items()
    ]


def _accepted(told: Iterable[Answer], rules: Rules) -> float:
    """The evidence that drops are legal whatever the groups: any other rule forbids some."""
    follower, boards = Follower(law_of(rules)), set[object]()
    for one in told:
        game = follower.at(one)
        turn = game.read(one.said, one.player)
        if one.ok and not game.allows(one.player, turn):
            boards.add(one.before)
    return float(len(boards))


def _canonical(turn: Turn) -> tuple[str, int, tuple[object, ...]]:
    return turn.kind.value, len(turn.stones), turn.stones


def describe_perft(report: WalkReport) -> str:
    """The report as text."""
    lines = [f"{report.name or 'nameless'} {report.version}".rstrip()]
    if report.wrong is not None:
        lines += _describe_wrong(report.wrong)
    verdict = "agrees with the rules" if report.passed else "DOES NOT AGREE with the rules"
    words = [report.problem or verdict]
    if report.positions:
        words.append(
            f"{' and '.join(report.asked)} in {report.positions:,} positions"
            f" with {report.turns:,} turns in {report.seconds:.1f} s"
        )
    return "\n".join([*lines, ": ".join(words)])


def _describe_wrong(wrong: Wrong) -> list[str]:
    rows = {
        "position": wrong.position,
        "turns": wrong.turns or "none",
        "asked": f"{wrong.asked}: {wrong.answer}, by the rules {wrong.expected}",
    }
    if wrong.turn:
        opinion = "legal" if wrong.allows else "illegal"
        rows["turn"] = f"{wrong.turn}: {opinion} for the engine, by the rules {wrong.reason}"
    elif wrong.reason:
        rows["reason"] = wrong.reason
    if wrong.rule:
        rows["rule"] = f"{wrong.rule}: as if {wrong.misreading}"
    return [f"  {name:<9} {text}" for name, text in rows.items()]
