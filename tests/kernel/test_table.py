"""Complete tables against exhaustive search, the solver and the reference."""

from __future__ import annotations

import functools
import random
import zlib

import pytest

from tests.support.games import rules_id
from yoddd.kernel import NativePosition, solve, table_file
from yoddd.kernel.table import Table, Value, build, check_board, file_name, memory_of
from yoddd.kernel.table_check import TableWrong, check_exhaustively, check_lines
from yoddd.kernel.table_file import BLOCK, Content, TableError, TableFile, encode
from yoddd.kernel.table_index import TableIndex
from yoddd.notation import format_turn, parse_position
from yoddd.rules import Colour, Position, Rules, make_rules

TINY = [
    make_rules("yodd", "hex2"),
    make_rules("yodd", "hex2", {"own_colour": "on"}),
    make_rules("yodd", "hex2", {"end_on_full": "on"}),
    make_rules("yodd", "hex2", {"end_on_full": "on", "own_colour": "on"}),
    make_rules("xodd", "square2"),
    make_rules("xodd", "square2", {"end_on_full": "on", "own_colour": "on"}),
    *(make_rules("odd", "hex2", {"min_group": size}) for size in (1, 3, 8)),
    make_rules("odd", "square2", {"min_group": 2}),
    make_rules("yoin", "hex2"),
    make_rules("yoin", "hex2", {"pie": "off"}),
    make_rules("product", "hex2"),
    make_rules("product", "hex2", {"pie": "on", "one_group": "on"}),
]
SQUARE3 = [
    make_rules("xodd", "square3", {"own_colour": "on"}),
    make_rules("odd", "square3", {"min_group": 3}),
]
LARGE = [
    make_rules("xodd", "square4", {"own_colour": "on"}),
    make_rules("odd", "square4"),
    make_rules("yodd", "hex3", {"own_colour": "on", "end_on_full": "on"}),
    make_rules("yoin", "hex3"),
    make_rules("product", "hex3"),
]


@functools.cache
def table_of(rules: Rules) -> Table:
    return Table(encoded(rules))


@functools.lru_cache(2)
def encoded(rules: Rules) -> bytes:
    return b"".join(build(rules, "yoddd test", threads=2, distances=rules.geometry.cells < 19))


def values(table: Table, line: str) -> dict[str, Value]:
    position = parse_position(line)
    return {format_turn(turn, position.rules): value for turn, value in table.turns(position)}


@pytest.mark.parametrize("rules", TINY, ids=rules_id)
@pytest.mark.whole
def test_table_of_a_tiny_board_equals_exhaustive_search_by_the_reference(rules: Rules) -> None:
    assert check_exhaustively(table_of(rules)) > 0


@pytest.mark.parametrize("rules", SQUARE3[:1], ids=rules_id)
@pytest.mark.whole
def test_table_of_square3_equals_exhaustive_search(rules: Rules) -> None:
    assert check_exhaustively(table_of(rules), NativePosition) > 3**9


@pytest.mark.parametrize("rules", [*SQUARE3, LARGE[0]], ids=rules_id)
def test_table_agrees_with_its_own_turns_along_random_games(rules: Rules) -> None:
    assert check_lines(table_of(rules), 2, seed=1) > 4


@pytest.mark.parametrize("rules", LARGE, ids=rules_id)
@pytest.mark.whole
def test_table_of_a_large_board_agrees_with_the_solver_on_random_endings(rules: Rules) -> None:
    table, rng = table_of(rules), random.Random(5)
    compared = 0
    while compared < 60:
        position = Position(rules)
        while not position.is_over:
            if position.cells.count(None) <= 8 and position.number > 2:
                expected = solve(position).winner is position.player
                assert table.value(position).won == expected
                compared += 1
            position.play(rng.choice(list(position.legal_turns())))
    assert check_lines(table, 2, seed=2)


def test_counts_of_square4_add_up() -> None:
    table = table_of(make_rules("xodd", "square4"))
    layers = table.file.header.layers
    assert len(layers) == 17
    assert layers[0] == (0, 0)
    assert layers[1] == (32, 32)
    assert sum(positions for positions, _ in layers) == 21484318
    assert layers[16] == (32894, 32894 // 2)


@pytest.mark.whole
def test_counts_of_hex3_equal_the_known_number_of_odd_fillings() -> None:
    layers = table_of(make_rules("yodd", "hex3")).file.header.layers
    assert sum(positions for positions, _ in layers) == 580_495_794


def test_layers_of_hex2_equal_those_counted_one_position_at_a_time() -> None:
    rules = make_rules("yodd", "hex2")
    table = table_of(rules)
    for stones, layer in enumerate(table.file.header.layers):
        found = [
            table.value(position).won
            for position in all_odd(rules)
            if position.cells.count(None) == 7 - stones
        ]
        assert layer == (len(found), sum(found))


def all_odd(rules: Rules) -> list[Position]:
    found = []
    for code in range(3**rules.geometry.cells):
        digits = [code // 3**i % 3 for i in range(rules.geometry.cells)]
        cells = [None if digit == 0 else Colour(digit - 1) for digit in digits]
        position = Position(rules)
        position._cells = cells
        position._groups = None
        if len(position.groups()) % 2:
            found.append(Position.set_up(rules, cells, Colour.BLACK, 0, 5))
    return found


def test_turns_of_yodd_hex2_give_the_published_first_turn() -> None:
    found = values(table_of(make_rules("yodd", "hex2")), "yodd hex2 2/3/2 b 0 1")
    assert [turn for turn, value in found.items() if value.won] == ["1b2"]
    assert next(iter(found)) == "1b2"


def test_turns_with_pie_swap_exactly_where_black_wins() -> None:
    table = table_of(make_rules("yoin", "hex2"))
    after_centre = values(table, "yoin hex2 2/1b1/2 w 0 2")
    after_corner = values(table, "yoin hex2 2/3/b1 w 0 2")
    assert [turn for turn, value in after_centre.items() if value.won] == ["swap"]
    assert not after_corner["swap"].won
    assert not table.value(parse_position("yoin hex2 2/3/2 b 0 1")).won


def test_value_of_a_finished_game_is_its_outcome() -> None:
    table = table_of(make_rules("yodd", "hex2"))
    assert table.value(parse_position("yodd hex2 2/1b1/2 w 2 4")) == Value(won=True, turns=0)


def test_value_refuses_positions_of_another_game() -> None:
    table = table_of(make_rules("yodd", "hex2"))
    with pytest.raises(TableError, match="is not in this table"):
        table.value(Position(make_rules("yodd", "hex3")))


def test_table_without_distances_gives_no_turns() -> None:
    rules = make_rules("yodd", "hex2")
    table = Table(b"".join(build(rules, "yoddd test", distances=False)))
    assert table.value(Position(rules)) == Value(won=True, turns=None)
    assert check_lines(table, 3, seed=1) > 6


@pytest.mark.parametrize(
    "rules", [make_rules("yodd", "hex2"), make_rules("xodd", "square4")], ids=rules_id
)
def test_index_has_one_place_for_all_images_of_a_position(rules: Rules) -> None:
    table = table_of(rules)
    index = TableIndex(table.file.header, table.file.words("sets"))
    rng = random.Random(3)
    for _ in range(200):
        contents = bytes(rng.choices((0, 1, 2), k=rules.geometry.cells))
        if not any(contents):
            continue
        images = [
            bytes(content for _, content in sorted(zip(symmetry, contents, strict=True)))
            for symmetry in rules.geometry.symmetries
        ]
        # Of a set that a symmetry maps onto itself several fillings stand for each other.
        places = {index.place(image) for image in images}
        assert {index.contents(place) for place in places} <= set(images)
        if odd_total(rules, contents):
            values = {(table.file.bit("won", one), table.file.byte("turns", one)) for one in places}
            assert len(values) == 1


def odd_total(rules: Rules, contents: bytes) -> bool:
    position = Position(rules)
    position._cells = [None if digit == 0 else Colour(digit - 1) for digit in contents]
    position._groups = None
    return len(position.groups()) % 2 == 1


def test_build_stops_when_progress_says_so() -> None:
    with pytest.raises(TableError, match="stopped"):
        list(build(make_rules("xodd", "square4"), "yoddd test", progress=lambda _share: False))


def test_build_raises_what_progress_raises() -> None:
    def fail(_share: float) -> bool:
        raise KeyError("x")

    with pytest.raises(KeyError):
        list(build(make_rules("xodd", "square4"), "yoddd test", progress=fail))


def test_build_reports_rising_shares_up_to_all() -> None:
    shares: list[float] = []

    def note(share: float) -> bool:
        shares.append(share)
        return True

    list(build(make_rules("xodd", "square3"), "yoddd test", progress=note))
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.whole
def test_build_gives_the_same_bytes_for_any_number_of_threads() -> None:
    rules = make_rules("xodd", "square4")
    assert b"".join(build(rules, "yoddd test", threads=1)) == encoded(rules)


def test_boards_of_more_than_25_cells_are_refused() -> None:
    with pytest.raises(TableError, match="square6 has 36 cells: tables end at 25"):
        check_board(make_rules("xodd", "square6"))


def test_table_of_square5_tells_its_memory() -> None:
    assert 5e9 < memory_of(make_rules("xodd", "square5"), 2) < 8e9
    assert memory_of(make_rules("odd", "square5"), 2) < 8e9


def test_memory_of_hex3_is_less_than_a_gigabyte() -> None:
    assert memory_of(make_rules("yodd", "hex3")) < 1 << 30


def few_stones(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A table as larger boards have it: of up to 4 stones."""
    monkeypatch.setattr("yoddd.kernel.table.COMPLETE_CELLS", 8)
    monkeypatch.setattr("yoddd.kernel.table.HELD_STONES", 4)
    return Table(b"".join(build(rules, "yoddd test")))


@pytest.mark.parametrize("rules", SQUARE3, ids=rules_id)
def test_table_of_few_stones_has_the_same_winners_and_refuses_others(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, table, rng = table_of(rules), few_stones(rules, monkeypatch), random.Random(2)
    assert table.file.header.stones == 4
    assert table.file.header.layers == full.file.header.layers
    for _ in range(5):
        position = Position(rules)
        while table.reaches(position) and not position.is_over:
            assert table.value(position).won is full.value(position).won
            found = {turn: value.won for turn, value in table.turns(position)}
            assert found == {turn: value.won for turn, value in full.turns(position)}
            position.play(rng.choice(list(position.legal_turns())))
        while position.cells.count(None) >= 5 and not position.is_over:
            position.play(next(turn for turn in position.legal_turns() if turn.stones))
        if not position.is_over:
            with pytest.raises(TableError, match="ends at 4"):
                table.value(position)
    assert check_lines(table, 3, seed=1) > 3


def test_table_of_fewer_stones_is_the_beginning_of_one_of_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = make_rules("xodd", "square3")
    more = few_stones(rules, monkeypatch).file
    fewer = TableFile(b"".join(build(rules, "yoddd test", stones=3)))
    assert (more.header.stones, fewer.header.stones) == (4, 3)
    assert fewer.header.layers == more.header.layers
    sets, bits = len(fewer.words("sets")), fewer.header.sections[1].values
    assert more.words("sets")[:sets] == fewer.words("sets")
    for place in range(bits):
        assert more.bit("won", place) == fewer.bit("won", place)


def test_damaged_files_are_refused() -> None:
    good = encoded(make_rules("xodd", "square3"))
    TableFile(good).check()
    for damaged, reason in (
        (good[:10], "too short"),
        (b"x" + good[1:], "begins otherwise"),
        (good[:40] + b"?" + good[41:], "header is damaged"),
        (good[:-40], "its end is missing"),
    ):
        with pytest.raises(TableError, match=reason):
            TableFile(damaged)
    at = len(good) - 20
    with pytest.raises(TableError, match="its digest differs"):
        TableFile(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]).check()
    with pytest.raises(TableError, match="is damaged"):
        TableFile(good[:at] + bytes(20)).section("turns")


def test_file_with_a_block_of_another_length_is_refused() -> None:
    def content(size: int) -> Content:
        return Content("won", 8, 2 * BLOCK, lambda: bytes(size))

    header = TableFile(encoded(make_rules("xodd", "square2"))).header
    whole, short = (b"".join(encode(header, [content(size)])) for size in (2 * BLOCK, BLOCK + 9))
    assert TableFile(whole).byte("won", BLOCK + 10) == 0
    with pytest.raises(TableError, match="a block of 9 bytes"):
        TableFile(short).byte("won", BLOCK + 10)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'"stones"', b'"stoned"', "the header has other fields"),
        (b'"block": 1024', b'"block": 2048', "blocks of another size"),
        (b'"game": "xodd"', b'"game": "todd"', "a table of something else: no game 'todd'"),
        (b'"name": "won"', b'"name": "own"', "a table without values"),
        (b"{", b"[", "the header has other fields"),
    ],
)
def test_files_with_another_header_are_refused(old: bytes, new: bytes, reason: str) -> None:
    good = encoded(make_rules("xodd", "square3"))
    end = 16 + int.from_bytes(good[8:12], "little")
    text = good[16:end].replace(old, new)
    data = good[:12] + zlib.crc32(text).to_bytes(4, "little") + text + good[end:]
    with pytest.raises(TableError, match=reason):
        Table(data)


def test_file_forgets_old_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_file, "_CACHED", 2)
    file = TableFile(encoded(make_rules("xodd", "square4")))
    whole = file.section("turns")
    for at in range(0, len(whole), BLOCK * 7):
        assert file.byte("turns", at) == whole[at]
    assert len(file._blocks) <= 2


def test_check_lines_finds_a_wrong_value() -> None:
    table = table_of(make_rules("xodd", "square3"))
    wrong = Table(encoded(make_rules("xodd", "square3")))
    wrong._look_up = lambda *_: Value(won=True, turns=1)  # type: ignore[method-assign]
    with pytest.raises(TableWrong, match="instead of"):
        check_lines(wrong, 1, seed=1)
    assert check_lines(table, 1, seed=1)


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (make_rules("yodd", "hex3"), "yodd-hex3.table"),
        (make_rules("yodd", "hex3", {"own_colour": "on"}), "yodd-hex3-own_colour=on.table"),
        (make_rules("odd", "hex3", {"min_group": 3}), "odd-hex3-min_group=3.table"),
        (make_rules("yoin", "hex2", {"pie": "off"}), "yoin-hex2.table"),
    ],
    ids=str,
)
def test_file_name_lists_the_options_that_matter(rules: Rules, name: str) -> None:
    assert file_name(rules) == name
