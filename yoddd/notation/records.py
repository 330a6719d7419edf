"""Finished games as JSONL: one object per line, append-only.

`protocol/schemas/game-record.schema.json` is the same contract for other languages. The reader
checks everything that needs no replay of the game; `replay` checks the turns.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, NoReturn

import attrs

from yoddd.notation.errors import BadKey, NotationError
from yoddd.notation.evaluations import Evaluation
from yoddd.notation.positions import parse_position
from yoddd.notation.reasons import FORFEITS, REASONS
from yoddd.notation.text import bad_byte
from yoddd.notation.turns import format_turn, parse_turn
from yoddd.rules import (
    Colour,
    IllegalTurn,
    Position,
    PositionLike,
    Rules,
    RulesError,
    described,
    make_rules,
)

_OPTIONAL: Final = ("machine", "evaluations", "unread", "rules_hash", "description")
"""Keys that are left out if they are empty or None."""

# Names: cattrs resolves the types of attributes in place, after which they are not equal any more.
_EVALUATION: Final = frozenset(attrs.fields_dict(Evaluation))

_DEPTH: Final = 32
"""Levels of lists and objects in JSON from outside; nothing that is read has more than four."""

_SCORE: Final = re.compile(r"[BW]\+[1-9][0-9]{0,5}", re.ASCII)
MOMENT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z", re.ASCII
)
"""The format of a date and time in records."""


@attrs.frozen(kw_only=True)
class GameRecord:
    """One finished game.

    `black` and `white` name the *participants* by the colour they began with. They keep that seat
    after a Yoin swap, and `winner` and `blame` are seats; only `score` is by colour.

    Attributes:
        id: unique within the archive.
        game: name of the game, such as ``yodd``.
        board: canonical name of the board, such as ``hex8``.
        options: all options of the game, spelled as in the ``game`` command.
        black: the participant who began as Black.
        white: the participant who began as White.
        turns: canonical tokens, oldest first, from `position` or the empty board.
        times: seconds used, one for each turn; 0 for a turn that was given.
        machine: those of the seconds that the machine or the referee took and not the participant,
            one for each turn; empty if they were not measured.
        evaluations: of each turn that of the engine that played it, None where it stated none;
            empty if there are none at all. Nothing of it is checked but its form.
        unread: by seat, how many evaluations were malformed; empty if none was.
        winner: the seat ``b`` or ``w``; None for a void game only.
        reason: one of `REASONS`.
        detail: a human-readable addition to the reason; may be empty.
        blame: the seat at fault (``b`` or ``w``) for a forfeit, ``referee`` for a void game, else
            None.
        score: ``B+n`` or ``W+n`` of the final board by *colour*; required for ``groups``, optional
            for ``adjudicated``, else None.
        started: ISO 8601 in UTC with a final Z.
        ended: likewise.
        clock: the time control as the clock notation spells it, such as ``60+1`` or ``none``.
        position: the start as a position line; None for the empty board.
        opening: the number of turns that were given instead of chosen by the participants.
        seed: the seed of the match, if it made random choices.
        pair: the key of its pair of games in a tournament.
        leg: 1 or 2, its number in the pair.
        attempt: 1 plus the number of earlier, void games of the leg.
        rules_hash: that of the facts; None only until the record is read or written.
        description: of a game that does not come with the program.
    """

    id: str
    game: str
    board: str
    options: dict[str, str] = attrs.field(hash=False)
    black: str
    white: str
    turns: tuple[str, ...]
    times: tuple[float, ...]
    machine: tuple[float, ...] = ()
    evaluations: tuple[Evaluation | None, ...] = ()
    unread: tuple[int, ...] = ()
    winner: str | None
    reason: str
    detail: str = ""
    blame: str | None = None
    score: str | None = None
    started: str
    ended: str
    clock: str
    position: str | None = None
    opening: int = 0
    seed: int | None = None
    pair: str | None = None
    leg: int | None = None
    attempt: int = 1
    rules_hash: str | None = attrs.field(default=None, eq=False)
    description: dict[str, Any] | None = attrs.field(default=None, hash=False)

    @classmethod
    def of(cls, rules: Rules, **values: Any) -> GameRecord:
        """The record of a game by these rules."""
        own: dict[str, Any] = {
            "game": rules.game.name,
            "board": rules.geometry.name,
            "options": rules.options(),
            "rules_hash": rules.facts.hash,
            "description": described(rules.game),
        }
        return cls(**own | values)


def dump_record(record: GameRecord) -> str:
    """The record as one line of ASCII without its LF; keys stand in the order of the class.

    What was not measured or stated has no key.
    """
    values = attrs.asdict(record, filter=_is_said)
    return json.dumps(values, separators=(",", ":"), allow_nan=False)


def _is_said(attribute: attrs.Attribute[Any], value: object) -> bool:
    """Whether an attribute of a record or of its evaluations is written."""
    if attribute.name in _EVALUATION:
        return value not in (None, ())
    return attribute.name not in _OPTIONAL or value not in (None, ())


def load_record(text: str, line: int = 1) -> GameRecord:
    """Read one line of an archive.

    Unknown keys are ignored, so that a later version may add some; a duplicate key is refused.
    Omitted options have their default in the result.

    Args:
        text: the line.
        line: its number, for the errors.

    Raises:
        NotationError: not JSON, not a record, or one that contradicts itself; ``column`` points at
            the JSON error or at the key to blame.
    """
    from yoddd.notation.structure import structure

    try:
        return _check(structure(decode_unique(text), GameRecord))
    except BadKey as problem:
        column = _column_of(text, problem.key)
        raise NotationError(f"{problem.key}: {problem.reason}", line=line, column=column) from None
    except NotationError as error:
        raise error.moved(line=line - 1) from None


def filled(line: str) -> str:
    """The line of a record, with the hash of its rules if an older version has written it."""
    if '"rules_hash"' in line:
        return line
    with suppress(NotationError):  # it stays as it is
        return dump_record(load_record(line))
    return line


def checked(record: GameRecord) -> GameRecord:
    """The record as `load_record` would read it: consistent, and with all options.

    Raises:
        NotationError: it contradicts itself; the reason begins with the key to blame.
    """
    return load_record(dump_record(record))


def read_records(lines: Iterable[str]) -> Iterator[GameRecord | NotationError]:
    """Read an archive line by line; a bad line yields its error.

    Blank lines are skipped. A last line cut short by a crash is an error like any other.
    """
    for number, text in enumerate(lines, start=1):
        if text.strip():
            try:
                yield read_record(text, number)
            except NotationError as error:
                yield error


def read_record(text: str, line: int = 1) -> GameRecord:
    """Read one line of a file, decoded as `yoddd.notation.text` does; else as `load_record`.

    Raises:
        NotationError: as `load_record`, or a byte of it is not UTF-8.
    """
    problem = bad_byte(text)
    if problem is not None:
        raise problem.moved(line=line - 1)
    return load_record(text, line)


def rules_of(record: GameRecord) -> Rules:
    """The rules of the game.

    Raises:
        RulesError: the record was not read by `load_record` and names no such game.
    """
    return make_rules(record.game, record.board, record.options, record.description)


def start_of(record: GameRecord, on: type[PositionLike] = Position) -> PositionLike:
    """A new position of the class ``on`` as it was before the first turn.

    Raises:
        NotationError: the position line is malformed.
    """
    rules = rules_of(record)
    return parse_position(record.position, on, rules.game) if record.position else on(rules)


def play_over(record: GameRecord, position: PositionLike) -> Iterator[Colour]:
    """Play the turns of the record on ``position`` and yield the colour of each.

    Raises:
        NotationError: a turn is malformed or illegal; the reason names it. At the end: the result
            of a game that the board decides differs from the record's.
    """
    for number, token in enumerate(record.turns, start=1):
        colour = position.player
        try:
            position.play(parse_turn(token, position.rules, colour))
        except (IllegalTurn, NotationError) as error:
            raise NotationError(f"turns: number {number}, {token}: {error.reason}") from None
        yield colour
    if record.reason == "groups":
        _check_outcome(record, position)


def _check_outcome(record: GameRecord, position: PositionLike) -> None:
    outcome = position.outcome()
    if outcome is None:
        raise NotationError("reason: groups, but the game goes on")
    score = f"{outcome.winner.letter.upper()}+{outcome.score}"
    seat = outcome.winner.opponent if "swap" in record.turns else outcome.winner
    if (record.score, record.winner) != (score, seat.letter):
        told = f"{record.winner} by {record.score}"
        raise NotationError(f"winner: {told}, but the board says {seat.letter} by {score}")


def replay(record: GameRecord, on: type[PositionLike] = Position) -> PositionLike:
    """Replay the record and return the final position, of the class ``on``.

    Raises:
        NotationError: the start or a turn is malformed or illegal; the reason names the turn.
    """
    position = start_of(record, on)
    for _ in play_over(record, position):
        pass
    return position


# -- JSON -----------------------------------------------------------------------------------


def decode_object(text: str) -> dict[str, Any]:
    """Decode a JSON object; of its keys only the uniqueness is checked.

    Raises:
        NotationError: not JSON, or not an object.
    """
    try:
        return decode_unique(text)
    except BadKey as problem:
        raise NotationError(f"{problem.key}: {problem.reason}") from None


def decode_unique(text: str) -> dict[str, Any]:
    """Decode a JSON object whose keys are unique.

    Raises:
        NotationError: not JSON that can be written again, or not an object.
        BadKey: a key is given twice.
    """
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        raise NotationError(f"not JSON: {error.msg}", column=error.pos + 1) from None
    except RecursionError:
        raise NotationError(f"not JSON: nested deeper than {_DEPTH} levels") from None
    except ValueError as error:
        digits = str(error).startswith("Exceeds the limit")
        raise NotationError(f"not JSON: {'a number is too long' if digits else error}") from None
    if not isinstance(value, dict):
        raise NotationError("not a JSON object")
    if text.count("[") + text.count("{") > _DEPTH:  # fewer cannot be nested deeper
        _check_depth(value)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise BadKey(next(key for key, count in counts.items() if count > 1), "given twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _finite(digits: str) -> float:
    """The number of a text, which must be one that JSON can write again."""
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits:.20} is too large a number")
    return value


def _check_depth(value: object) -> None:
    """Refuse what `json.dumps` and `repr` might not write, because they are recursive."""
    level: list[Any] = [value]
    for _ in range(_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise NotationError(f"not JSON: nested deeper than {_DEPTH} levels")


def _column_of(text: str, key: str) -> int:
    """The column of ``key`` in the text of a valid object; 1 if it is not found."""
    match = re.search(rf"{re.escape(json.dumps(key))}\s*:", text)
    return match.start() + 1 if match else 1


# -- checks ---------------------------------------------------------------------------------


def _check(record: GameRecord) -> GameRecord:
    try:
        rules = rules_of(record)
    except RulesError as error:
        key = error.about if error.about in ("game", "board", "description") else "options"
        raise BadKey(key, str(error)) from None
    if record.rules_hash not in (None, rules.facts.hash):
        raise BadKey("rules_hash", f"{rules.game.name} here has other rules: {rules.facts.hash}")
    _check_ending(record)
    _check_turns(record, rules)
    _check_start(record, rules)
    for key in ("id", "black", "white", "clock"):
        if not getattr(record, key):
            raise BadKey(key, "empty")
    for key in ("started", "ended"):
        _check_moment(key, getattr(record, key))
    return attrs.evolve(
        record,
        game=rules.game.name,
        board=rules.geometry.name,
        options=rules.options(),
        rules_hash=rules.facts.hash,
        description=described(rules.game),
    )


def _check_ending(record: GameRecord) -> None:
    winner, reason, blame = record.winner, record.reason, record.blame
    if reason not in REASONS:
        raise BadKey("reason", f"{reason!r}: expected one of {', '.join(sorted(REASONS))}")
    if winner not in ((None,) if reason == "void" else ("b", "w")):
        expected = "null" if reason == "void" else "b or w"
        raise BadKey("winner", f"{winner!r} with reason {reason}: expected {expected}")
    loser = "w" if winner == "b" else "b"
    guilty = loser if reason in FORFEITS else "referee" if reason == "void" else None
    if blame != guilty:
        expected = f"{guilty or 'null'} where {winner or 'no one'} wins by {reason}"
        raise BadKey("blame", f"{blame!r}: expected {expected}")
    if record.score is None:
        if reason == "groups":
            raise BadKey("score", "missing with reason groups")
    elif reason not in ("groups", "adjudicated") or not _SCORE.fullmatch(record.score):
        raise BadKey("score", f"{record.score!r} with reason {reason}: expected B+n or W+n")


def _check_turns(record: GameRecord, rules: Rules) -> None:
    for number, token in enumerate(record.turns, start=1):
        try:
            canonical = format_turn(parse_turn(token, rules, Colour.BLACK), rules)
        except NotationError as error:
            raise BadKey("turns", f"number {number}, {token!r}: {error.reason}") from None
        if token != canonical:
            raise BadKey("turns", f"number {number}, {token!r}: not in canonical spelling")
    if len(record.times) != len(record.turns):
        raise BadKey("times", f"{len(record.times)} times for {len(record.turns)} turns")
    _check_evaluations(record)
    if len(record.machine) not in (0, len(record.turns)):
        raise BadKey("machine", f"{len(record.machine)} times for {len(record.turns)} turns")
    for key, times in (("times", record.times), ("machine", record.machine)):
        if not all(math.isfinite(time) and time >= 0 for time in times):
            raise BadKey(key, "a time is negative or not finite")
    if not 0 <= record.opening <= len(record.turns):
        raise BadKey("opening", f"{record.opening} of {len(record.turns)} turns")


def _check_evaluations(record: GameRecord) -> None:
    if len(record.evaluations) not in (0, len(record.turns)):
        raise BadKey(
            "evaluations", f"{len(record.evaluations)} evaluations for {len(record.turns)} turns"
        )
    for number, evaluation in enumerate(record.evaluations, start=1):
        try:
            if evaluation is not None:
                evaluation.check()
        except NotationError as error:
            raise BadKey("evaluations", f"number {number}: {error.reason}") from None
    if len(record.unread) not in (0, 2) or any(count < 0 for count in record.unread):
        raise BadKey("unread", f"{list(record.unread)}: expected a count for each seat")


def _check_start(record: GameRecord, rules: Rules) -> None:
    if record.position is None:
        return
    try:
        start = parse_position(record.position, Position, rules.game)
    except NotationError as error:
        raise BadKey("position", f"column {error.column}: {error.reason}") from None
    if start.rules != rules:
        raise BadKey("position", "another game, board or options than the record's")


def _check_moment(key: str, text: str) -> None:
    try:
        if MOMENT.fullmatch(text):
            datetime.fromisoformat(text)
            return
    except ValueError:
        pass
    raise BadKey(key, f"{text!r}: expected a UTC time such as 2030-01-31T12:00:00Z")
