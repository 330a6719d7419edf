"""Games of a design report: mirrors, seats after a swap, seeds."""

from __future__ import annotations

import attrs
import pytest

from yoddd.board import geometry
from yoddd.design.plan import MIRRORS, plan
from yoddd.design.selfplay import GamePlan, Mirror, Purpose, permutation, play_game
from yoddd.kernel import backend
from yoddd.rules import PASS, Colour, Stone, Turn, TurnKind, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason=backend().detail)


def game(rules: str = "yodd hex2", **settings: object) -> GamePlan:
    name, board, *options = rules.split()
    fields: dict[str, object] = {
        "purpose": Purpose.SELF_PLAY,
        "rules": make_rules(name, board, dict(option.split("=") for option in options)),
        "playouts": (10, 10),
        "seed": "1",
    }
    return GamePlan(**fields | settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("board", ["hex2", "hex5", "square4", "square7"])
@pytest.mark.parametrize("rotates", [True, False])
def test_permutation_is_a_symmetry_that_undoes_itself(board: str, rotates: bool) -> None:
    cells = permutation(geometry(board), rotates=rotates)
    assert cells in geometry(board).symmetries
    assert cells != tuple(range(len(cells)))
    assert [cells[cell] for cell in cells] == list(range(len(cells)))


def test_image_turns_the_board_and_exchanges_colours() -> None:
    board = geometry("square3")
    turn = Turn.drop(Stone(Colour.BLACK, board.cell("a1")), Stone(Colour.WHITE, board.cell("b1")))
    image = Mirror(rotates=True, exchanges=True).image(turn, board)
    assert image == Turn.drop(
        Stone(Colour.WHITE, board.cell("c3")), Stone(Colour.BLACK, board.cell("b3"))
    )
    plain = Mirror(rotates=False, exchanges=False)
    assert plain.image(turn, board).stones[0] == Stone(Colour.BLACK, board.cell("c1"))
    assert plain.image(PASS, board) == PASS


def test_play_game_with_the_same_seed_is_the_same() -> None:
    assert play_game(game()) == play_game(game())
    assert play_game(game(seed="2")).turns != play_game(game(seed="1")).turns


@pytest.mark.parametrize("mirror", MIRRORS)
def test_play_game_mirror_copies_where_that_is_legal(mirror: Mirror) -> None:
    played = play_game(game("odd hex2", mirror=mirror, mirrors_first=True))
    board = geometry("hex2")
    assert played.turns[0] == Turn.drop(Stone(Colour.BLACK, board.cells // 2))
    answers = [
        (mirror.image(turn, board), answer)
        for turn, answer in zip(played.turns[1::2], played.turns[2::2], strict=True)
    ]
    copies = sum(image == answer for image, answer in answers)
    assert played.copied is not None
    assert copies >= round(played.copied * len(answers)) > 0


def test_play_game_after_a_swap_follows_the_participants() -> None:
    games = [play_game(game("yoin hex2", seed=str(seed))) for seed in range(12)]
    swapped = [one for one in games if one.turns[1].kind is TurnKind.SWAP]
    assert swapped
    assert all(one.won is (one.winner is Colour.WHITE) for one in swapped)
    others = [one for one in games if one not in swapped]
    assert all(one.won is (one.winner is Colour.BLACK) for one in others)


def test_plan_of_own_stones_has_only_mirrors_that_are_legal() -> None:
    found = plan(make_rules("yoin", "hex2"), games=10, playouts=16, seed=1)
    mirrors = {task.mirror for task in found.tasks if isinstance(task, GamePlan)}
    assert {mirror.exchanges for mirror in mirrors if mirror} == {True}


def test_plan_has_every_part_and_seeds_of_its_own() -> None:
    found = plan(make_rules("xodd", "square4"), games=30, playouts=64, seed=7)
    assert found.strengths == (0, 1, 4, 16, 64, 256)
    games = [task for task in found.tasks if isinstance(task, GamePlan)]
    assert len({task.seed for task in found.tasks}) == len(found.tasks)
    of = {purpose: [g for g in games if g.purpose is purpose] for purpose in Purpose}
    assert len([g for g in of[Purpose.SELF_PLAY] if g.playouts == (64, 64)]) == 30
    assert len(of[Purpose.LADDER]) == 50
    assert {g.mirrors_first for g in of[Purpose.MIRROR]} == {False}  # there is no middle cell
    # 16 cells in three classes of symmetry, either colour.
    assert len(found.tasks) - len(games) == 6
    assert attrs.evolve(found, tasks=()) != found
