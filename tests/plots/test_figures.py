"""Figures show the numbers of an archive; `yoddd plot` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tests.support.games import SAMPLE, SWAPPED
from yoddd import plots
from yoddd.cli import main
from yoddd.notation import GameRecord, dump_record, record_to_sgf, write_sgf
from yoddd.notation.evaluations import Evaluation
from yoddd.referee.measures import Played
from yoddd.referee.reports.report import RunReport
from yoddd.referee.stats.sprt import Sprt, follow
from yoddd.referee.stats.summary import Summary


def records() -> list[GameRecord]:
    """Twelve pairs; ada wins both games of most of them."""
    found = []
    for number in range(24):
        black, white = ("Ada", "Grace") if number % 2 == 0 else ("Grace", "Ada")
        ada = number % 8 != 1
        winner = "b" if ada == (black == "Ada") else "w"
        found.append(
            attrs.evolve(
                SAMPLE,
                id=f"g-{number + 1}",
                black=black,
                white=white,
                winner=winner,
                score=f"{winner.upper()}+1",
                reason="adjudicated",
            )
        )
    return found


def report(*, test: bool = True) -> RunReport:
    summary = Summary()
    for record in records():
        summary.add(record)
    found = follow(Sprt(elo0=0, elo1=100), summary.tested()) if test else None
    return RunReport(title="first", summary=summary, test=found)


def xs(line: Line2D) -> list[float]:
    values: list[float] = np.asarray(line.get_xdata()).tolist()
    return values


def ys(line: Line2D) -> list[float]:
    values: list[float] = np.asarray(line.get_ydata()).tolist()
    return values


def test_ratings_best_is_on_top_with_intervals() -> None:
    shown = report()
    (axes,) = plots.ratings(shown).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Grace", "Ada"]
    line = axes.lines[0]
    values = xs(line)
    found = shown.summary.ratings()
    assert found is not None
    expected = dict(zip(shown.summary.names, found.elo, strict=True))
    assert values == [expected["Grace"], expected["Ada"]]
    assert values[0] < 0 < values[1]


def test_trace_shows_ratio_and_bounds() -> None:
    shown = report()
    assert shown.test is not None
    (axes,) = plots.trace(shown).axes
    assert ys(axes.lines[0]) == [0.0, *shown.test.trace]
    assert [ys(line)[0] for line in axes.lines[1:]] == list(shown.test.sprt.bounds)
    with pytest.raises(ValueError, match="no test"):
        plots.trace(report(test=False))


def test_overview_has_trace_only_with_a_test() -> None:
    assert len(plots.overview(report()).axes) == 3
    assert len(plots.overview(report(test=False)).axes) == 2
    with pytest.raises(ValueError, match="no game has a winner"):
        plots.overview(RunReport(title="none", summary=Summary()))


def test_winrates_unknown_turns_are_left_out() -> None:
    (axes,) = plots.winrates([0.5, None, 0.75, 1.0], "a game").axes
    line = axes.lines[1]
    assert xs(line) == [1, 3, 4]
    assert ys(line) == [0.5, 0.75, 1.0]
    with pytest.raises(ValueError, match="no winrate"):
        plots.winrates([None, None], "a game")


def test_self_play_has_bars_for_each_way() -> None:
    games = [Played(length, True, False, 3.0, 0.5) for length in (7, 9, 9, 200)]
    lengths, changes = plots.self_play({"with swap": games, "without swap": games[:2]}, "$1$").axes
    for axes in (lengths, changes):
        bars: list[Any] = list(axes.containers)
        assert [sum(bar.get_height() for bar in one) for one in bars] == [4, 2]


# -- the command ----------------------------------------------------------------------------


def plot(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["plot", *words])
    return done.exit_code, done.output


@pytest.mark.parametrize(("suffix", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_plot_of_run_writes_file(tmp_path: Path, suffix: str, magic: bytes) -> None:
    source, out = tmp_path / "games.jsonl", tmp_path / f"run.{suffix}"
    source.write_text("".join(dump_record(record) + "\n" for record in records()))
    code, said = plot(str(source), "--sprt", "elo0=0,elo1=100", "-o", str(out))
    assert code == 0, said
    assert out.read_bytes().startswith(magic)
    assert plot(str(source), "--kind", "lengths", "-o", str(out))[0] == 0
    code, said = plot(str(source), "--kind", "trace", "-o", str(out))
    assert code == 1
    assert "no test with a pair" in said


def test_plot_of_self_play_writes_file(tmp_path: Path) -> None:
    words = ["game", "odd", "--board", "hex2", "--playouts", "2", "--concurrency", "1"]
    for games, status in ((3, 0), (0, 2)):
        out = tmp_path / f"{games}.svg"
        done = CliRunner().invoke(main, [*words, "--games", str(games), "--plot", str(out)])
        assert (done.exit_code, out.exists()) == (status, status == 0), done.output


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[list[float | None]]:
    """The winrates of each figure that is drawn."""
    found: list[list[float | None]] = []
    draw = plots.winrates

    def caught(chances: Sequence[float | None], title: str) -> Figure:
        found.append(list(chances))
        return draw(chances, title)

    monkeypatch.setattr(plots, "winrates", caught)
    return found


def test_plot_winrates_of_sgf_are_its_yeval(
    tmp_path: Path, shown: list[list[float | None]]
) -> None:
    source, out = tmp_path / "game.sgf", tmp_path / "game.svg"
    evaluations = (Evaluation(winrate=0.5), Evaluation(winrate=0.75), None)
    record = attrs.evolve(SAMPLE, evaluations=evaluations)
    source.write_text(write_sgf([record_to_sgf(record)]))
    assert plot(str(source), "-o", str(out)) == (0, "")
    # White's 0.75 is Black's 0.25, and White has won.
    assert shown == [[0.5, 0.25, None, 0.0]]


def test_plot_winrates_after_swap_are_by_seat(
    tmp_path: Path, shown: list[list[float | None]]
) -> None:
    source, out = tmp_path / "games.jsonl", tmp_path / "game.svg"
    source.write_text(f"{dump_record(SAMPLE)}\n{dump_record(SWAPPED)}\n")
    words = ["--kind", "winrates", "--number", "2", "--playouts", "60", "-o", str(out)]
    assert plot(str(source), *words) == (0, "")
    (chances,) = shown
    assert len(chances) == len(SWAPPED.turns) + 1
    # The search proves the last turns: they are won for the winner.
    assert chances[-1] == 1.0
    assert chances[-2] == pytest.approx(1.0)


def test_plot_of_unusable_file_is_refused_with_reason(tmp_path: Path) -> None:
    source = tmp_path / "games.jsonl"
    source.write_text(dump_record(SAMPLE) + "\n")
    for words, reason in (
        (["--kind", "winrates", "--number", "9", "-o", "x.svg"], "fewer than 9 games"),
        (["-o", str(tmp_path / "x.nothing")], "nothing"),
        (["--sprt", "junk", "-o", "x.svg"], "junk"),
    ):
        code, said = plot(str(source), *words)
        assert code != 0
        assert reason in said
