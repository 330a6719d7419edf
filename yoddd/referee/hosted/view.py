"""The lines that spectators and lists are told of a hosted game: functions of its state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from yoddd.notation import format_position
from yoddd.notation.records import GameRecord, dump_record
from yoddd.referee.game.effects import Finished, Paused, TurnPlayed, TurnsTakenBack
from yoddd.referee.hosted.events import Begun, Declined, Present, Proposal, Rematched, Told
from yoddd.referee.hosted.state import GameState, Phase
from yoddd.referee.seat import Seat
from yoddd.rules import Position

_STEP: Final = 60
"""Seconds by which the time left in lines of ``games`` changes, so that they stay the same."""


def describe(game: GameState, now: float) -> str:
    """The line of ``games``, at a moment."""
    rules, terms = game.rules, game.terms
    names = [game.name_of(seat) or "-" for seat in Seat]
    if not game.is_begun and terms.invited is not None and game.free is not None:
        names[game.free] = terms.invited
    words = [game.id, game.phase.word, rules.game.name, rules.geometry.name, *names]
    words += [str(len(game.turns)), f"clock={game.clock}"]
    words += ["rated=yes"] if terms.is_rated else []
    if not game.is_begun and terms.invited is not None:
        words.append(f"for={terms.invited}")
    elif not game.is_begun and terms.for_users:
        words.append("accept=users")
    words += [f"{name}={value}" for name, value in rules.chosen_options().items()]
    if game.on_turn is not None and game.phase.word == "playing":
        words.append(f"turn={game.on_turn.key}")
        if game.game is not None and game.by_day and not game.agreed:
            times = ("left", game.game.time_left(now)), ("pause", game.game.pause_left(now))
            words += [f"{word}={left // _STEP * _STEP:.0f}" for word, left in times if left]
    if game.record is not None and game.record.winner is not None:
        words.append(f"winner={game.record.winner}")
    if not game.is_begun and terms.expires is not None:
        words.append(f"expires={terms.expires:.0f}")
    words += [f"rematch={game.rematch}"] if game.rematch is not None else []
    return " ".join(words)


def lines_so_far(game: GameState, now: float) -> Iterator[str]:
    """The lines of ``observe`` that one who comes at a moment is told, but for who is away."""
    yield f"position {format_position(Position(game.rules))}"
    if game.started is not None:
        yield line_of(game, Begun())
    for turn in game.turns:
        yield line_of(game, turn)
    if game.record is not None:
        yield _record_line(game.record)
    if game.rematch is not None:
        yield line_of(game, Rematched(game.rematch))
    if game.phase.word == "playing":
        yield line_of(game, None, now)
    if pause := pause_left(game, now):
        yield line_of(game, Paused(len(game.turns), 0.0, pause))
    if game.open_proposal is not None:
        yield line_of(game, game.open_proposal)


def pause_left(game: GameState, now: float) -> float:
    """Seconds for which no time is charged; a pause counts once it is kept."""
    is_on = game.phase is Phase.PLAYING and not game.agreed
    return game.game.pause_left(now) if game.game is not None and is_on else 0.0


def line_of(  # noqa: C901 — one match over all that is told
    game: GameState, what: Told | None, now: float = 0.0
) -> str:
    """The line of ``observe`` that tells what has happened; None is the running clock ``now``."""
    match what:
        case Begun():
            black, white = (game.name_of(seat) for seat in Seat)
            return f"game {game.id} {black} {white} {game.clock}"
        case TurnPlayed(seat, _, token, seconds):
            return f"turn {seat.key} {token} {seconds:.3f}"
        case TurnsTakenBack(length):
            return f"rewind {length}"
        case Finished(_, record):
            return _record_line(record)
        case Present(seat, None):
            return f"presence {seat.key} here"
        case Present(seat, since, limit):
            gone = now - (since or 0.0)
            return f"presence {seat.key} away {gone:.0f} {max(0.0, limit - gone):.0f}"
        case Paused(_, _, seconds):
            return f"pause {seconds:.3f}"
        case Proposal(seat, wish, value):
            return f"request {seat.key} {wish} {value}"
        case Declined(seat, wish):
            return f"refuse {seat.key} {wish}"
        case Rematched(rematch):
            return f"rematch {rematch}"
        case None:
            found = None if game.game is None else game.game.turn_time(now)
            return "clock - 0.000" if found is None else f"clock {found[0].key} {found[1]:.3f}"


def _record_line(record: GameRecord) -> str:
    return f"record {dump_record(record)}"
