"""Turns that are entered by single stones, as GoGui enters them.

GoGui runs the program twice: as the player, whose `genmove` it reads as one point, and as the
ruler, to which it sends every move, those of the computer two times. See `GenericBoard` and
`computerMoved` in the source of GoGui 1.6.
"""

from __future__ import annotations

import random
import re

import pytest

from tests.protocol.peer import Peer
from tests.support.engines import fixed
from yoddd.engine import Budget, SearchResult, StopFlag
from yoddd.protocol.coordinates import Coordinates, Turns
from yoddd.rules import PASS, SWAP, PositionLike, Turn

POINT = re.compile(r"pass|[A-HJ-Z][1-9][0-9]?")
BOARDS = (
    "yodd hex3",
    "yodd hex4",
    "yodd hex3 own_colour=on",
    "yodd hex3 end_on_full=on",
    "xodd square4",
    "odd hex3",
    "odd square4",
    "product hex3",
    "yoin hex3 pie=off",
)


class Arbitrary:
    """An engine that plays any legal turn, a pass only where nothing else is legal."""

    name = "arbitrary"

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        del budget, stop
        turns = list(position.legal_turns())
        drops = [turn for turn in turns if turn.stones] or turns
        return SearchResult(random.Random(seed).choice(drops))


def gogui_peer(game: str, **settings: object) -> Peer:
    peer = Peer(coordinates=Coordinates.GOGUI, turns=Turns.SINGLE, **settings)
    peer.setup(f"game {game}")
    return peer


def reply(peer: Peer, line: str) -> str:
    return peer.ask(line).removeprefix("=").strip()


@pytest.mark.parametrize("game", BOARDS)
def test_single_stones_both_programs_of_gogui_play_the_same_game(game: str) -> None:
    player = gogui_peer(game, engines={"first": Arbitrary}, seed=3)
    ruler = gogui_peer(game)
    moves = 0
    while legal := reply(ruler, "gogui-rules_legal_moves").split():
        colour = reply(ruler, "gogui-rules_side_to_move")[0]
        assert reply(player, "gogui-rules_side_to_move")[0] == colour
        point = reply(player, f"genmove {colour}")
        assert POINT.fullmatch(point)
        assert point in legal
        ruler.setup(f"play {colour} {point}")
        board = ruler.ask("gogui-rules_board")
        ruler.ask(f"play {colour} {point}")
        assert ruler.ask("gogui-rules_board") == board == player.ask("gogui-rules_board")
        moves += 1
    for question in ("position", "history", "final_score"):
        assert player.ask(question) == ruler.ask(question)
    assert moves > len(reply(player, "history").split()) or "yoin" in game or "own" in game
    player.setup(f"undo {moves}")
    assert reply(player, "history") == ""
    assert player.ask("undo") == "? cannot undo: no turn was played"


@pytest.mark.parametrize("game", BOARDS)
def test_single_stones_every_legal_point_can_be_clicked(game: str) -> None:
    """GoGui offers no other points; each leads on to a whole turn or ends one."""
    rng = random.Random(game)
    peer = gogui_peer(game)
    for _ in range(40):
        legal = reply(peer, "gogui-rules_legal_moves").split()
        if not legal:
            break
        colour = reply(peer, "gogui-rules_side_to_move")[0]
        for point in rng.sample(legal, min(4, len(legal))):
            before = peer.ask("gogui-rules_board"), peer.ask("gogui-rules_board_gfx")
            peer.setup(f"play {colour} {point}", "undo")
            assert (peer.ask("gogui-rules_board"), peer.ask("gogui-rules_board_gfx")) == before
        peer.setup(f"play {colour} {rng.choice(legal)}")


def test_single_stones_refused_step_leaves_the_rest_of_the_engines_turn() -> None:
    peer = Peer(turns=Turns.SINGLE)
    peer.setup("position yodd hex3 3/4/2b2/4/3 w 0 2")
    first = reply(peer, "genmove w")
    assert peer.ask(f"play w {first}").startswith("? illegal move")
    assert peer.ask("genmove b").startswith("? illegal move")
    peer.setup("genmove w")
    assert reply(peer, "gogui-rules_side_to_move") == "black"


def test_single_stones_client_drops_another_second_stone_than_the_engine_meant() -> None:
    peer = Peer(turns=Turns.SINGLE)
    peer.setup("position yodd hex3 3/4/2b2/4/3 w 0 2", "genmove w", "play w e3")
    assert reply(peer, "history") == "1a1,2e3"
    peer.setup("genmove b")
    assert reply(peer, "history") == "1a1,2e3"


@pytest.mark.parametrize("turn", [PASS, SWAP])
def test_single_stones_engine_without_stones_answers_its_turn(turn: Turn) -> None:
    peer = gogui_peer(
        "yoin hex3" if turn == SWAP else "yodd hex3", engines={"first": lambda: fixed(turn)}
    )
    peer.setup("play b C3")
    assert reply(peer, "genmove w") == turn.kind.value


def test_single_stones_sequence_is_played_wholly_or_not_at_all() -> None:
    peer = gogui_peer("yodd hex3")
    peer.setup("play b C3", "play w A5")
    before = peer.ask("gogui-rules_board_gfx")
    assert peer.ask("gogui-play_sequence w C4 w C4").startswith("? illegal move: turn 2, C4")
    assert peer.ask("gogui-rules_board_gfx") == before
    assert reply(peer, "history") == "C3"
    peer.setup("gogui-play_sequence w C4 w A4")
    assert reply(peer, "history") == "C3 1C4"


def test_single_stones_set_up_drops_the_turn_that_has_begun() -> None:
    for set_up in ("clear_board", "boardsize 5", "game yodd hex3", "position startpos"):
        peer = gogui_peer("yodd hex3")
        peer.setup("play b C3", "play w A1", set_up)
        assert "X" not in reply(peer, "gogui-stones")
        assert reply(peer, "gogui-stones") == "BLACK\nWHITE"
