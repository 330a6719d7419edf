"""Games of Yoin that controllers for Go have written are read.

``go/gogui-twogtp.sgf`` was written by gogui-twogtp 1.6.0. gomill runs on Python 2 only; sgfmill is
the part of it that writes SGF.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from sgfmill import sgf

from tests.support.games import play_random, record_of
from yoddd.cli.convert import command
from yoddd.notation import GameRecord, NotationError, read_archive
from yoddd.notation.archives import ArchiveFormat
from yoddd.protocol.coordinates import labels
from yoddd.rules import Position, Rules, make_rules

TWOGTP = Path(__file__).parent / "go" / "gogui-twogtp.sgf"
YOIN = make_rules("yoin", "hex4", {"pie": "off"})


def read(text: str, rules: Rules | None = YOIN) -> list[GameRecord | NotationError]:
    return list(read_archive([text], ArchiveFormat.SGF, on=Position, go=rules))


def by_gomill(record: GameRecord, rules: Rules, winner: str) -> str:
    """The game as gomill's ``game_jobs`` writes it: points of GTP, and two passes at the end."""
    side = len(rules.geometry.rows)
    game = sgf.Sgf_game(size=side)
    root = game.get_root()
    root.set("PB", "one")
    root.set("PW", "two")
    root.set("RE", winner)
    points = dict(zip(rules.geometry.labels, labels(rules.geometry), strict=True))
    for turn, token in enumerate([*record.turns, None, None]):
        point = None
        if token is not None:
            label = points[token]
            point = int(label[1:]) - 1, "ABCDEFGHJKLMNOPQRST".index(label[0])
        game.extend_main_sequence().set_move("bw"[turn % 2], point)
    text: bytes = game.serialise()
    return text.decode()


@pytest.mark.parametrize("board", ["hex2", "hex4", "hex6"])
@pytest.mark.parametrize("seed", range(3))
def test_sgf_of_gomill_is_the_game_that_was_played(board: str, seed: int) -> None:
    rules = make_rules("yoin", board, {"pie": "off"})
    played = record_of(play_random(Position, rules, seed))
    assert played.score is not None
    (found,) = read(by_gomill(played, rules, played.score), rules)
    assert isinstance(found, GameRecord)
    assert (found.game, found.board, found.options) == ("yoin", board, played.options)
    assert (found.turns, found.score, found.winner) == (played.turns, played.score, played.winner)
    assert (found.black, found.white) == ("one", "two")


def test_sgf_of_gogui_twogtp_is_read() -> None:
    (found,) = read(TWOGTP.read_text("utf-8"))
    assert isinstance(found, GameRecord)
    assert (len(found.turns), found.score, found.reason) == (37, "W+5", "groups")
    # A1 and B4 of GoGui: the corner at the lower left, and the second cell of the middle row.
    assert found.turns[:2] == ("a1", "d2")
    assert found.started == "2026-11-25T00:00:00Z"


def test_sgf_of_gogui_twogtp_without_a_game_is_refused() -> None:
    *_, refused = read(TWOGTP.read_text("utf-8"), None)
    assert isinstance(refused, NotationError)
    assert "no YGAME" in refused.reason


@pytest.mark.parametrize(
    ("text", "rules", "reason"),
    [
        ("(;GM[1]SZ[9];B[ag])", YOIN, "SZ[9]: expected 7, the columns of hex4"),
        ("(;GM[1]SZ[7];B[ag];W[])", YOIN, "a pass, with 36 cells empty"),
        ("(;GM[1]SZ[7];B[ag];W[tt])", YOIN, "a pass, with 36 cells empty"),
        ("(;GM[1]SZ[7];B[aa])", YOIN, "turn 1, aa: "),
        ("(;GM[1]SZ[7];B[ag];W[ag])", YOIN, "turn 2, a1: a1 is occupied"),
        ("(;GM[1]SZ[7]AB[ag]AW[bg]PL[B];B[ag])", YOIN, "turn 3, a1: a1 is occupied"),
        ("(;GM[1];B[ag]W[bg])", YOIN, "turn 1: B and W where Black is to move"),
        ("(;GM[1];W[ag])", YOIN, "turn 1: W where Black is to move"),
        ("(;GM[2];B[ag])", YOIN, "no YGAME"),
        ("(;GM[1];B[ag])", make_rules("odd", "hex4"), "turns of Odd are no single points"),
        ("(;GM[1];B[ag])", make_rules("yodd", "hex4", {"own_colour": "on"}), "turns of Yodd are"),
    ],
)
def test_sgf_of_a_controller_that_does_not_fit_is_refused(
    text: str, rules: Rules, reason: str
) -> None:
    problems = [found for found in read(text, rules) if isinstance(found, NotationError)]
    assert any(reason in problem.reason for problem in problems), problems


@pytest.mark.parametrize("suffix", ["jsonl", "sgf"])
def test_convert_reads_what_gogui_twogtp_has_written(tmp_path: Path, suffix: str) -> None:
    game = ["--game", "yoin", "--board", "hex4", "--option", "pie=off"]
    out = tmp_path / f"games.{suffix}"
    done = CliRunner().invoke(command, [*game, str(TWOGTP), str(out)])
    assert (done.exit_code, done.output) == (0, "1 games read, 0 problems\n")
    form = ArchiveFormat(suffix)
    (record,) = read_archive([out.read_text("utf-8")], form)
    (direct,) = read(TWOGTP.read_text("utf-8"))
    assert isinstance(record, GameRecord)
    assert isinstance(direct, GameRecord)
    assert record.turns == direct.turns


def test_convert_board_without_game_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["--board", "hex4", str(TWOGTP), str(tmp_path / "x.jsonl")])
    assert done.exit_code == 2
    assert "belong to --game" in done.output
