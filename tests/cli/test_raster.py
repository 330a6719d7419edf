"""A replay in pixels shows each position for its time, and the last one longer."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from yoddd.cli import main

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("resvg_py")

GAME = "(;YGAME[yodd]YBOARD[hex2];B[1b2];W[2a1,2c2];B[pass];W[pass])"


@pytest.mark.parametrize("suffix", ["gif", "apng"])
def test_animation_has_a_frame_for_each_position(tmp_path: Path, suffix: str) -> None:
    source, out = tmp_path / "game.sgf", tmp_path / f"game.{suffix}"
    source.write_text(GAME)
    words = ["render", str(source), "--animate", "--seconds", "0.2", "--cell", "20"]
    done = CliRunner().invoke(main, [*words, "-o", str(out)])
    assert done.exit_code == 0, done.output
    with Image.open(out) as film:
        assert film.format == ("GIF" if suffix == "gif" else "PNG")
        assert film.info["loop"] == 0
        frames, lengths = [], []
        for number in range(film.n_frames):
            film.seek(number)
            frames.append(film.convert("RGB").tobytes())
            lengths.append(film.info["duration"])
    # A pass changes only the ring of the last turn; two passes in succession show the same.
    assert len(set(frames)) == len(frames)
    assert sum(lengths) == 200 * 4 + 600
    still = tmp_path / "last.png"
    words = ["render", str(source), "--cell", "20", "-o", str(still)]
    assert CliRunner().invoke(main, words).exit_code == 0
    if suffix == "apng":
        with Image.open(still) as last:
            assert last.convert("RGB").tobytes() == frames[-1]


def test_animation_of_part_of_a_game_ends_there(tmp_path: Path) -> None:
    source, out = tmp_path / "game.sgf", tmp_path / "game.gif"
    source.write_text(GAME)
    words = ["render", str(source), "--animate", "--turn", "1", "--cell", "20", "-o", str(out)]
    assert CliRunner().invoke(main, words).exit_code == 0
    with Image.open(out) as film:
        assert film.n_frames == 2
