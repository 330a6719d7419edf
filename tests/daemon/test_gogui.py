"""Requests of GoGui and its tools, as recorded with GoGui 1.6.0; see docs/how-to/use-gogui.md."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.daemon.conftest import PATIENCE, YODDD

pytestmark = [pytest.mark.process, pytest.mark.whole]

ATTACH = (
    "protocol_version",
    "list_commands",
    "name",
    "version",
    "gogui-analyze_commands",
    "gogui-rules_game_id",
    "gogui-rules_board_size",
    "gogui-rules_board",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
)
"""Requests of GoGui to a program that it attaches and that has the rules of the game."""


def gtp(script: str, *options: str) -> list[str]:
    done = subprocess.run(
        [*YODDD, "gtp", "--engine", "random", *options],
        input=script,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert done.stdout.endswith("\n\n")
    return done.stdout.removesuffix("\n\n").split("\n\n")


@pytest.mark.gate
def test_gogui_attach_reads_the_board() -> None:
    replies = gtp("".join(f"{number} {line}\n" for number, line in enumerate(ATTACH)), "--gogui")
    assert [reply.split(" ")[0] for reply in replies] == [f"={n}" for n in range(len(ATTACH))]
    assert replies[6] == "=6 15 hex"
    rows = replies[7].removeprefix("=7 ").split("\n")
    assert [len(row.split()) for row in rows] == [15] * 15
    # Three points of each cut corner are controls.
    assert sum(row.count("?") for row in rows) == 2 * (7 * 8 // 2 - 3)
    commands = replies[1].split("\n")
    for entry in replies[4].removeprefix("=4 ").split("\n"):
        kind, _, command = entry.split("/", 2)
        assert kind in ("string", "hstring", "pspairs", "gfx", "none")
        assert command.split()[0] in commands


def test_gogui_yoin_game_is_played_by_points() -> None:
    """GoGui plays a point out of the legal ones, for the side to move that the program states."""
    options = ("--gogui", "--game", "yoin", "--board", "hex2", "--option", "pie=off")
    script = "boardsize 3\ngogui-rules_legal_moves\n"
    points = gtp(script, *options)[-1].removeprefix("= ").split()
    assert len(points) == 7
    moves = [f"play {'bw'[n % 2]} {point}" for n, point in enumerate(points)]
    asked = "gogui-rules_side_to_move\n"
    replies = gtp(script + "".join(f"{asked}{move}\n" for move in moves), *options)
    assert replies[2::2] == [f"= {('black', 'white')[n % 2]}" for n in range(7)]
    assert set(replies[3::2]) == {"= "}
    final = gtp(script + "\n".join([*moves, "gogui-rules_final_result", ""]), *options)[-1]
    assert re.fullmatch(r"= (Black|White) wins\. Groups: .*", final)
