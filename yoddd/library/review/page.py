"""Reviews as one HTML page that loads nothing: boards, graph, turns and lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final

from yoddd.board import Geometry
from yoddd.library.review.as_json import Heading
from yoddd.library.review.game import GameReview, PlayerReview
from yoddd.library.review.judgement import THRESHOLDS
from yoddd.library.review.texts import chance_text, percent, place_text, turning_text
from yoddd.notation import format_turn
from yoddd.pictures.layout import board_values
from yoddd.pictures.scripts import read_resource, script_elements
from yoddd.rules import Colour, Rules, Turn

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
)
"""What the page may load: itself."""

MODULES: Final = ("web/js/svg.js", "web/js/grades.js", "library/review/page.js")
"""The modules of the page's script, each behind those that it imports."""


def review_page(reviews: Sequence[tuple[GameReview, Heading]]) -> str:
    """The page of some reviews."""
    boards = [review.start.rules.geometry for review, _ in reviews]
    data = {
        "boards": {geometry.name: _board(geometry) for geometry in dict.fromkeys(boards)},
        "games": [_game(review, heading) for review, heading in reviews],
    }
    names = ", ".join(heading.id for _, heading in reviews)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>Review: {escape(names)}</title>'
        f"<style>{read_resource('web/grades.css')}{read_resource('library/review/page.css')}"
        f"</style></head><body>{read_resource('library/review/page.html')}"
        f"<footer>{_how(reviews)}</footer>{script_elements(data, MODULES)}</body></html>\n"
    )


def _how(reviews: Sequence[tuple[GameReview, Heading]]) -> str:
    """A sentence on the sources of the judgements."""
    least = ", ".join(f"{grade.value} from {percent(loss)}" for grade, loss in THRESHOLDS.items())
    engines = sorted({f"{one.engine} with {one.visits:,} visits" for _, one in reviews})
    return (
        "Positions that are solved are judged exactly. The other chances are estimates of "
        f"{escape(', '.join(engines))} a search. Loss of an error: {least}."
    )


def _board(geometry: Geometry) -> dict[str, Any]:
    neighbours = enumerate(geometry.neighbours)
    bonds = [[one, other] for one, others in neighbours for other in others if one < other]
    return {**board_values(geometry), "bonds": bonds}


def _game(review: GameReview, heading: Heading) -> dict[str, Any]:
    rules = review.start.rules
    names = f"{heading.black or 'Black'} against {heading.white or 'White'}"
    result = f", {heading.result}" if heading.result else ""
    return {
        "id": heading.id,
        "title": f"{names}{result}",
        "summary": "; ".join([place_text(review), *turning_text(review)]),
        "board": rules.geometry.name,
        "start": [[int(c), cell] for cell, c in enumerate(review.start.cells) if c is not None],
        "chances": [round(chance, 4) for chance in review.chances],
        "exact": review.exact_from,
        "players": [
            _player(review.players[seat], name)
            for seat, name in ((Colour.BLACK, heading.black), (Colour.WHITE, heading.white))
        ],
        "turns": [
            {
                "number": turn.number,
                "player": turn.player.title,
                "seat": int(turn.seat),
                **_step(turn.turn, rules),
                "grade": turn.grade.value,
                "only": turn.only,
                "turning": turn.turning,
                "best": chance_text(turn.best),
                "played": chance_text(turn.played),
                "better": _steps(turn.better, rules),
                "refutation": _steps(turn.refutation, rules),
            }
            for turn in review.turns
        ],
    }


def _player(player: PlayerReview, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "turns": player.turns,
        "accuracy": "-" if player.accuracy is None else percent(player.accuracy / 100),
        "loss": "-" if player.average_loss is None else percent(player.average_loss),
        "errors": {grade.value: count for grade, count in player.errors.items()},
    }


def _steps(line: Iterable[Turn], rules: Rules) -> list[dict[str, Any]]:
    return [_step(turn, rules) for turn in line]


def _step(turn: Turn, rules: Rules) -> dict[str, Any]:
    added = [[int(colour), cell] for colour, cell in turn.stones]
    return {"text": format_turn(turn, rules), "add": added}
