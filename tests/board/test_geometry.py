"""Cells, names, neighbours and symmetries of every board there is."""

import copy
import pickle

import pytest

from yoddd.board import BoardError, Geometry, Shape, geometry, geometry_of, sizes_of

BOARDS = [geometry_of(shape, size) for shape in Shape for size in sizes_of(shape)]
any_board = pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)


@any_board
def test_cells_are_numbered_in_canonical_order(board: Geometry) -> None:
    assert [cell for row in board.rows for cell in row] == list(range(board.cells))
    assert [board.cell(label) for label in board.labels] == list(range(board.cells))
    assert len(set(board.labels)) == board.cells
    n = board.size
    assert board.cells == (3 * n * (n - 1) + 1 if board.shape is Shape.HEX else n * n)
    heights = [-r for _, r in board.axial]
    assert heights == sorted(heights)


@any_board
def test_labels_follow_from_coordinates(board: Geometry) -> None:
    n = board.size
    for label, (q, r) in zip(board.labels, board.axial, strict=True):
        if board.shape is Shape.HEX:
            assert label == f"{chr(ord('a') + n - 1 - r)}{q + n - max(0, -r)}"
        else:
            assert label == f"{chr(ord('a') + q)}{1 - r}"


@any_board
def test_neighbours_are_mutual_and_near(board: Geometry) -> None:
    degrees = []
    for cell, near in enumerate(board.neighbours):
        assert list(near) == sorted(set(near) - {cell})
        assert all(cell in board.neighbours[other] for other in near)
        degrees.append(len(near))
    n = board.size
    if board.shape is Shape.HEX:
        assert sum(degrees) == 2 * (9 * n * n - 15 * n + 6)
        assert degrees.count(3) == 6
    else:
        assert sum(degrees) == 4 * n * (n - 1)
        assert degrees.count(2) == 4


@any_board
def test_symmetries_form_a_group_of_automorphisms(board: Geometry) -> None:
    symmetries = set(board.symmetries)
    identity = tuple(range(board.cells))
    assert board.symmetries[0] == identity
    assert len(symmetries) == len(board.symmetries) == (12 if board.shape is Shape.HEX else 8)
    for image in board.symmetries:
        for cell, near in enumerate(board.neighbours):
            assert {image[other] for other in near} == set(board.neighbours[image[cell]])
    rotation, reflection = board.symmetries[1], board.symmetries[len(symmetries) // 2]
    for image in board.symmetries:
        assert tuple(rotation[cell] for cell in image) in symmetries
        assert tuple(reflection[cell] for cell in image) in symmetries


@any_board
def test_boards_are_found_by_name_and_exist_once(board: Geometry) -> None:
    assert geometry(board.name) is board
    assert geometry(f"{board.shape}-{board.size}".upper()) is board
    assert pickle.loads(pickle.dumps(board)) is board  # noqa: S301 — our own bytes
    assert copy.deepcopy(board) is board
    assert repr(board) == f"geometry({board.name!r})"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hex1", "no board hex1: hex boards are 2 to 13"),
        ("hex14", "no board hex14: hex boards are 2 to 13"),
        ("square26", "no board square26: square boards are 2 to 25"),
        ("hex", "no board 'hex': expected hexN or squareN, such as hex8"),
        ("tri8", "no board 'tri8': expected hexN or squareN, such as hex8"),
        ("hex--8", "no board 'hex--8': expected"),
        ("hex8 ", "no board 'hex8 ': expected"),
        ("hex1000", "no board 'hex1000': expected"),
        ("hex٨", "no board 'hex٨': expected"),
    ],
)
def test_unknown_board_names_raise(name: str, reason: str) -> None:
    with pytest.raises(BoardError) as caught:
        geometry(name)
    assert str(caught.value).startswith(reason)


def test_cells_are_found_in_any_case() -> None:
    board = geometry("hex4")
    assert board.cell("D4") == board.cell("d4") == 18
    for label in ("d8", "h1", "a0", "a01", "", "4d", "1d4"):
        with pytest.raises(BoardError, match=f"no cell '{label}' on hex4"):
            board.cell(label)


def test_cell_of_non_ascii_label_raises() -> None:
    board = geometry("square12")
    assert "\N{KELVIN SIGN}".lower() == "k"
    for label in ("\N{KELVIN SIGN}1", "\N{FULLWIDTH LATIN SMALL LETTER A}1"):
        with pytest.raises(BoardError):
            board.cell(label)
