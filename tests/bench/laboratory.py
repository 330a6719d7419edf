"""Play this program against the frozen one, and write the result into the notebook.

    python -m tests.bench.laboratory 'The learned value pays' --board hex6 --clock move=0.2
    python -m tests.bench.laboratory 'Half a margin is enough' --board hex5 --playouts 500 \\
        --set tune.margin_weight=0.5
    python -m tests.bench.laboratory 'The branch is stronger' --candidate '../it/bin/yoddd gtp'

The candidate is the program of this working tree, at the same ``yoddd`` files; changed ones are
another candidate. The opponent is the program of commit bfe9e3b, or of ``--opponent``, in a
worktree with an environment of its own below ``build/laboratory``; both are made when they are
absent, which takes some minutes. The match is one of `yoddd match`: over GTP, pairs of games from
the same two random turns with the seats exchanged, as many at once as there are processors for, and
with ``--sprt`` it ends when the test is decided. Of random turns most leave one side a won game
that even a weaker program keeps; ``--balanced`` takes only those that a search of this program
judges even. The same command goes on where it was interrupted. A finished match becomes a row of
the table in docs/explanation/experiments/frozen.md, once.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import os
import random
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from tests.bench.strength import wilson
from yoddd.daemon.runs.reports import read_report
from yoddd.engine.mcts import MctsSearcher
from yoddd.engine.uniform import random_turn
from yoddd.kernel import best_position
from yoddd.notation import format_turn
from yoddd.referee.openings import Generator
from yoddd.referee.report import RunReport
from yoddd.referee.stats.sprt import Decision
from yoddd.rules import Rules, make_rules

ROOT: Final = Path(__file__).parents[2]
HOME: Final = ROOT / "build" / "laboratory"
NOTEBOOK: Final = ROOT / "docs" / "explanation" / "experiments" / "frozen.md"
FROZEN: Final = "bfe9e3b"
_VERDICTS: Final = {Decision.H1: "accepted", Decision.H0: "rejected", Decision.CONTINUE: "open"}
JUDGED_BY: Final = 50_000
"""The playouts by which an opening is judged."""

EVEN: Final = 0.03
"""How far from one half the winrate of an even opening may be."""

_OPENING: Final = 2
_READY: Final = ".ready"
"""The file in a worktree that says that its environment is complete."""


@attrs.frozen(kw_only=True)
class Experiment:
    """A match against a frozen program.

    Attributes:
        hypothesis: a sentence that the match is to decide.
        candidate: the command line of the other side.
        version: of the candidate, if it is this program.
        opponent: the commit of the frozen program.
        rules: the game and the board.
        pairs: of games, at most.
        sprt: the test as `yoddd match` takes it; empty without one.
        clock: the time control.
        playouts: of a turn; None without a limit.
        threads: of a search.
        settings: parameters of the candidate, as NAME=VALUE.
        seed: of the openings and of the match.
        concurrency: games at once.
        balanced: whether openings have to be even as this program judges them.
    """

    hypothesis: str
    candidate: str
    version: str
    opponent: str
    rules: Rules
    pairs: int
    sprt: str
    clock: str
    playouts: int | None
    threads: int
    settings: tuple[str, ...]
    seed: int
    concurrency: int
    balanced: bool = False

    @property
    def key(self) -> str:
        """The name of its run, whatever the words of the hypothesis."""
        content = repr(attrs.evolve(self, hypothesis="", concurrency=0))
        return hashlib.sha256(content.encode()).hexdigest()[:12]

    def arguments(self, frozen: Path, openings: Path, out: Path) -> list[str]:
        """The arguments of `yoddd match`."""
        threads = f" --threads {self.threads}" if self.threads > 1 else ""
        limit = [] if self.playouts is None else ["--each", f"param.playouts={self.playouts}"]
        return [
            f"{self.candidate}{threads}",
            f"{frozen / '.venv' / 'bin' / 'yoddd'} gtp{threads}",
            *("--first", "name=candidate", "--second", f"name={self.opponent}"),
            *(f"--first=param.{setting}" for setting in self.settings),
            *("--game", self.rules.game.name, "--board", self.rules.geometry.name),
            *("--pairs", str(self.pairs), "--clock", self.clock, *limit),
            *("--openings", str(openings), "--seed", str(self.seed)),
            *(["--sprt", self.sprt] if self.sprt else []),
            *("--concurrency", str(self.concurrency), "--out", str(out)),
        ]


def freeze(commit: str) -> Path:
    """The worktree of a commit with the program installed in an environment of its own.

    Raises:
        CalledProcessError: git or pip has failed; the next call begins again.
    """
    tree = HOME / commit
    if (tree / _READY).exists():
        return tree
    if not (tree / ".git").exists():
        shutil.rmtree(tree, ignore_errors=True)
        _run("git", "-C", str(ROOT), "worktree", "prune")
        _run("git", "-C", str(ROOT), "worktree", "add", "--detach", str(tree), commit)
    _run(sys.executable, "-m", "venv", "--clear", str(tree / ".venv"))
    _run(str(tree / ".venv" / "bin" / "pip"), "install", "--quiet", f"{tree}[stats]")
    (tree / _READY).touch()
    return tree


def version() -> str:
    """The commit of this program, and a digest of what has changed in it since."""

    def git(*words: str) -> bytes:
        command = ["git", "-C", str(ROOT), *words]
        return subprocess.run(command, check=True, capture_output=True).stdout

    commit = git("rev-parse", "--short=7", "HEAD").decode().strip()
    changes = git("diff", "HEAD", "--", "yoddd") + git("status", "--porcelain", "--", "yoddd")
    return commit + (f"+{hashlib.sha256(changes).hexdigest()[:7]}" if changes else "")


def _run(*words: str) -> None:
    print(shlex.join(words), file=sys.stderr)
    subprocess.run(words, check=True)


def random_openings(rules: Rules, count: int, seed: int) -> str:
    """Lines of two random turns each, as `yoddd match --openings` reads them."""
    rng = random.Random(f"{rules!r}/{seed}")
    lines: list[str] = []
    while len(lines) < count:
        position = best_position()(rules)
        for _ in range(_OPENING):
            position.play(random_turn(position, rng))
        if not position.is_over:
            lines.append(" ".join(format_turn(turn, rules) for turn in position.history))
    return "".join(f"{line}\n" for line in lines)


def balanced_openings(rules: Rules, count: int, seed: int, playouts: int = JUDGED_BY) -> str:
    """The same, of openings that a search of this program judges even.

    Raises:
        OpeningError: too few of them are.
    """
    judge = Generator(searcher=MctsSearcher(), playouts=playouts, turns=_OPENING, window=EVEN)
    found = judge.generate(rules, count, seed)
    return "".join(f"{' '.join(opening.turns)}\n" for opening in found)


def play(experiment: Experiment, frozen: Path, home: Path) -> RunReport:
    """Play what is missing of the match and return its report.

    Args:
        experiment: the match.
        frozen: the worktree of the opponent.
        home: the folder of all runs.

    Raises:
        SystemExit: it was interrupted or has failed; the same command goes on.
    """
    out = home / "runs" / experiment.key
    openings = home / "openings" / f"{experiment.key}.txt"
    openings.parent.mkdir(parents=True, exist_ok=True)
    if not (out / "plan.json").exists():
        draw = balanced_openings if experiment.balanced else random_openings
        text = draw(experiment.rules, experiment.pairs, experiment.seed)
        openings.write_text(text, encoding="ascii")
    arguments = experiment.arguments(frozen, openings, out)
    status = subprocess.run([sys.executable, "-m", "yoddd", "match", *arguments], check=False)
    if status.returncode:
        raise SystemExit(status.returncode)
    return read_report(out)


# -- the notebook ---------------------------------------------------------------------------


def row(experiment: Experiment, report: RunReport, command: str, day: dt.date) -> str:
    """The row of the notebook."""
    ours = report.summary.entrants["candidate"]
    games = ours.won + ours.lost
    low, high = wilson(ours.won, games)
    where = f"{experiment.rules.game.title} {experiment.rules.geometry.name}"
    late = sum(one.forfeits["time"] for one in report.summary.entrants.values())
    if experiment.version:
        where += f", {experiment.version}"
    result = f"{where}: {ours.won} of {games} ({low:.2f}–{high:.2f})"  # noqa: RUF001 — a range
    lost, split, won = report.summary.pair_counts("candidate", experiment.opponent)
    if split:
        result += f", pairs lost {lost}, split {split}, won {won}"
    if late:
        result += f", {late} lost on time"
    verdict = _VERDICTS[report.state.decision] if report.state else _by_interval(low, high)
    cells = [f"{day.day} {day:%B %Y}", experiment.hypothesis, f"`{command}`", result, verdict]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _by_interval(low: float, high: float) -> str:
    """The verdict of a match without a test."""
    if low > 1 / 2:
        return "accepted"
    return "rejected" if high < 1 / 2 else "open"


def enter(notebook: str, line: str) -> str:
    """The notebook with a row at the end of its table; a second time it changes nothing.

    Dates are left aside, so that a finished match that is called up again is one row.
    """
    content = line.split(" | ", 1)[1]
    if any(known.endswith(content) for known in notebook.splitlines(keepends=True)):
        return notebook
    return notebook.rstrip("\n") + "\n" + line


def read(arguments: Sequence[str]) -> Experiment:
    """The experiment that the arguments describe."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("hypothesis")
    parser.add_argument("--candidate", help="command line; this program if it is left out")
    parser.add_argument("--opponent", default=FROZEN, help="a commit of this repository")
    parser.add_argument("--game", default="yodd")
    parser.add_argument("--board", help="the game's own if it is left out")
    parser.add_argument("--pairs", type=int, default=100, help="of games, at most")
    parser.add_argument("--sprt", default="elo0=0,elo1=30", help="'' for a fixed number of games")
    parser.add_argument("--clock", default="none", help="such as move=0.5")
    parser.add_argument("--playouts", type=int, help="of a turn")
    parser.add_argument("--threads", type=int, default=1, help="of a search")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--balanced", action="store_true", help="even openings only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--concurrency", type=int, help="games at once; default: by processors")
    chosen = vars(parser.parse_args(arguments))
    chosen["version"] = "" if chosen["candidate"] else version()
    chosen["candidate"] = chosen["candidate"] or f"{sys.executable} -m yoddd gtp"
    chosen["settings"] = tuple(chosen["settings"])
    chosen["rules"] = make_rules(chosen.pop("game"), chosen.pop("board"))
    processors = len(os.sched_getaffinity(0))
    chosen["concurrency"] = chosen["concurrency"] or max(1, processors // chosen["threads"])
    return Experiment(**chosen)


def main() -> None:
    """Play, and write the row."""
    arguments = sys.argv[1:]
    experiment = read(arguments)
    report = play(experiment, freeze(experiment.opponent), HOME)
    words = [word for word in arguments if word != experiment.hypothesis]
    command = shlex.join(["python", "-m", "tests.bench.laboratory", "…", *words])
    line = row(experiment, report, command, dt.datetime.now(dt.UTC).date())
    NOTEBOOK.write_text(enter(NOTEBOOK.read_text(encoding="utf-8"), line), encoding="utf-8")
    print(line, end="")


if __name__ == "__main__":
    main()
