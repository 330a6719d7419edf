"""Texts that neighbours write, read or refused in one sentence: SGF, records, links, and damage.

``go/sabaki.sgf`` was written by @sabaki/sgf 3.4.7, and ``go/sgfmill.sgf`` by sgfmill for the same
test in JavaScript.
"""

from __future__ import annotations

import base64
import random
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from sgfmill import sgf

from tests.support.games import play_random
from yoddd.cli.convert import command
from yoddd.notation import GameRecord, NotationError, format_turn, parse_sgf, read_sgf_game
from yoddd.notation.archives import ArchiveFormat, copy_trees, read_archive
from yoddd.notation.sgf import Node, write_sgf
from yoddd.notation.sgf_games import position_to_sgf
from yoddd.rules import GAMES, Position, PositionLike, make_rules

SABAKI = (Path(__file__).parent / "go" / "sabaki.sgf").read_bytes()
PAGE = "https://play.example.org/board/"
CELL = re.compile(rb"[A-Za-z]+|\[(?:[^\]\\]|\\.)*\]|[();]", re.DOTALL)


def tree_of(text: str) -> Node:
    (root,), errors = parse_sgf(text)
    assert errors == []
    return root


def tokens(position: PositionLike) -> list[str]:
    return [format_turn(turn, position.rules) for turn in position.history]


# -- games that do not say which they are ---------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_game_without_its_name_is_the_one_that_fits_or_is_refused_with_those_that_do(
    seed: int,
) -> None:
    rng = random.Random(seed)
    name = rng.choice(list(GAMES))
    rules = make_rules(name, {"xodd": "square3"}.get(name, "hex3"))
    position = play_random(Position, rules, seed, rng.choice((4, None)))
    root = position_to_sgf(position)
    for key in ("YGAME", "YHASH", *rng.sample(["YBOARD", "YOPTION"], rng.randrange(3))):
        root.properties.pop(key, None)
    again = tree_of(write_sgf([root]))
    reason, game = "", None
    try:
        game = read_sgf_game(again)
    except NotationError as error:
        reason = error.reason
    if game is not None:
        assert (game.rules.game.name, tokens(game.final)) == (name, tokens(position))
        return
    question, _, fits = reason.partition(" its turns are those of ")
    assert question == "no YGAME: which game is it?"
    assert name in fits.split(" or ")
    assert " or " in fits


def test_game_that_is_named_is_read_as_that(tmp_path: Path) -> None:
    text = "(;GM[9633]SZ[3]RE[B+R];B[1b2];W[2a1])"
    (tmp_path / "a.sgf").write_text(text)
    refused = CliRunner().invoke(command, [str(tmp_path / "a.sgf"), str(tmp_path / "a.jsonl")])
    assert "column 2: no YGAME: which game is it? its turns are those of " in refused.output
    words = ["--game", "odd", "--board", "square5", "--option", "min_group=2"]
    files = [str(tmp_path / "a.sgf"), str(tmp_path / "b.sgf")]
    assert CliRunner().invoke(command, [*words, *files]).exit_code == 0
    rules = read_sgf_game(tree_of((tmp_path / "b.sgf").read_text())).rules
    assert rules == make_rules("odd", "square3", {"min_group": "2"})


def test_old_names_spaces_and_empty_turns_are_read() -> None:
    root = tree_of(
        "(;FileFormat[1]GaMe[9633]SiZe[3]PlayerBlack[Ann]YGAME[yodd];Black[1c3];White[1a1, 2e3];B["
        " 1b1\n1a2 ];W[1d1 ,1d2];B[];W[ ])"
    )
    game = read_sgf_game(root)
    assert (game.black, game.errors) == ("Ann", ())
    assert tokens(game.final) == ["1c3", "1a1,2e3", "1a2,1b1", "1d1,1d2", "pass", "pass"]


# -- links, and texts that are no SGF -------------------------------------------------------------


def convert(text: str, tmp_path: Path, *words: str) -> tuple[int, str, str]:
    """Exit status, output, and the SGF of a text."""
    target = tmp_path / "out.sgf"
    (tmp_path / "in.sgf").write_text(text)
    source = text if text.startswith("http") and words else str(tmp_path / "in.sgf")
    result = CliRunner().invoke(command, [source, str(target)])
    return result.exit_code, result.output, target.read_text() if target.exists() else ""


@pytest.mark.parametrize("seed", range(20))
def test_link_to_the_page_becomes_the_game_that_it_spells(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    name = rng.choice(list(GAMES))
    position = play_random(Position, make_rules(name), seed, rng.randrange(8))
    turns = ".".join(tokens(position))
    if seed % 3 == 0:
        packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        packed = packer.compress(write_sgf([position_to_sgf(position)]).encode()) + packer.flush()
        spelled = f"study={base64.urlsafe_b64encode(packed).decode().rstrip('=')}&at=0"
    else:
        options = "&".join(f"{key}={text}" for key, text in position.rules.options().items())
        spelled = f"game={name}&board={position.rules.geometry.name}&{options}&turns={turns}&pb=Ann"
    link = f"{PAGE}{rng.choice('?#')}{quote(spelled, safe='=&,.')}"
    status, output, text = convert(link, tmp_path, *(["as an argument"] * (seed % 2)))
    assert status == 0, output
    game = read_sgf_game(tree_of(text))
    assert (game.rules, tokens(game.final)) == (position.rules, tokens(position))
    assert game.black == ("Ann" if seed % 3 else "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("https://hexworld.org/board/#11c1,a1b2", "a link to a game of Hex on hexworld.org, which"),
        ("https://example.org/x", "a link to example.org: open it there, and save the game as SGF"),
        ("http://[::1/", "a link that is damaged"),
        (f"{PAGE}#study=abc", "the link is damaged, perhaps cut short"),
        (f"{PAGE}#game=go", "no game 'go': expected one of "),
        (f"{PAGE}#game=yodd&board=hex3&turns=1c3.1c3", "turn 2, 1c3: c3 is occupied"),
        (f"{PAGE}#run=r1&game=r1t1p1.1", "a link to play.example.org: open it there"),
        ("yodd hex3 3/4/5/4/3 b 0 1", "a line with a position"),
        ("game=/lud/board/space/group/Yodd.lud\nSTART GAME OPTIONS\n", "a trial of Ludii, whose"),
        ("nothing", "no game tree"),
    ],
)
def test_text_that_is_no_sgf_is_refused_by_what_it_is(
    text: str, reason: str, tmp_path: Path
) -> None:
    status, output, _ = convert(text, tmp_path)
    assert status == 1
    assert f": line 1, column 1: {reason}" in output


def test_file_of_ludii_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.trl").write_text("")
    result = CliRunner().invoke(command, [str(tmp_path / "a.trl"), str(tmp_path / "b.sgf")])
    assert result.exit_code == 2
    assert "a.trl: a trial of Ludii" in result.output


# -- files of other programs, mutated -------------------------------------------------------------


def by_sgfmill(rng: random.Random) -> bytes:
    """A file that sgfmill writes: a game of Go or of ours, with what its nodes may have."""
    size = rng.choice((2, 3, 5, 9))
    game = sgf.Sgf_game(size, encoding=rng.choice(("UTF-8", "ISO-8859-1")))
    root = game.get_root()
    for name, value in {"PB": "Ann", "PW": "B[o]b\\", "KM": 6.5, "RE": "B+R"}.items():
        if rng.random() < 0.5:
            root.set(name, value)
    rules = make_rules("odd" if size < 4 else "yoin", f"hex{min(size, 5)}")
    position = play_random(Position, rules, rng.randrange(100), 6)
    if rng.random() < 0.7:
        root.set_raw("GM", b"9633")
        if rng.random() < 0.7:
            root.set_raw("YGAME", rules.game.name.encode())
    node = root
    for number, token in enumerate(tokens(position)):
        if rng.random() < 0.1:
            node.new_child().set("C", "a variation")
        node = node.new_child(0)
        colour = "BW"[number % 2]
        if rng.random() < 0.2:
            point = (rng.randrange(size), rng.randrange(size))
            node.set_move(colour.lower(), rng.choice((None, point)))
        else:
            node.set_raw(colour, token.encode())
        if rng.random() < 0.2:
            node.set("C", "é: \\ and [brackets]\nin two lines")
        if rng.random() < 0.1:
            node.set("LB", [((0, 0), "a:b")])
    written: bytes = game.serialise()
    return written


def mutate_byte(data: bytes, rng: random.Random) -> bytes:
    at, cut = rng.randrange(len(data) + 1), rng.choice((0, 0, 1, 1, 9, len(data)))
    signs = [b"", *(bytes([one]) for one in b"\n()[];:\\,\0 \xff\xe9A1"), b"\xe2\x98\xba"]
    return data[:at] + rng.choice(signs) + data[at + cut :]


def mutate_property(data: bytes, rng: random.Random) -> bytes:
    parts = CELL.findall(data) or [data]
    at = rng.randrange(len(parts))
    part = parts[at]
    others = [b"", part + part, rng.choice(parts), part.lower(), part.title(), part[::-1]]
    values = [b"[]", b"[tt]", b"[" + b"9" * rng.choice((1, 30, 3000)) + b"]", b"[1a1 2b1]"]
    parts[at] = rng.choice([*others, *values])
    return b"".join(parts)


MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [mutate_byte, mutate_property]


def check_sentence(error: NotationError, data: bytes) -> None:
    """An error is one short line, with a place in the text."""
    assert str(error).isprintable(), str(error)
    assert 0 < len(error.reason) < 300
    assert 1 <= error.line <= len(re.split(rb"\r\n|\n\r|\r|\n", data)), error
    assert 1 <= error.column <= len(data) + 1, error


@pytest.mark.parametrize("seed", [*range(300), 2293, 2413])
def test_file_of_a_neighbour_is_read_or_refused_in_a_sentence_with_a_place(seed: int) -> None:
    rng = random.Random(seed)
    data = SABAKI if seed % 3 == 0 else by_sgfmill(rng)
    for _ in range(rng.randrange(4)):
        if data:
            data = rng.choice(MUTATIONS)(data, rng)
    go = rng.choice((None, make_rules("yoin", "hex2", {"pie": "off"})))
    found = list(read_archive([data], ArchiveFormat.SGF, on=Position, go=go))
    assert all(isinstance(item, GameRecord | NotationError) for item in found)
    copied = list(copy_trees([data]))
    for item in (*found, *copied):
        if isinstance(item, NotationError):
            check_sentence(item, data)
    assert found or not data.strip()
    assert copied or not data.strip()
