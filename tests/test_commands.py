"""The commands of the users' pages, typed one after the other by a reader of the page."""

from __future__ import annotations

import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from textwrap import dedent
from typing import Final

import attrs
import click
import pytest

from tests.support.programs import PATIENCE, Program, until
from yoddd.cli import main
from yoddd.cli.game import NEW
from yoddd.notation import ArchiveFormat, GameRecord, format_turn, read_archive, write_archive
from yoddd.rules import PASS, Position, load_game_files, make_rules

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = {
    str(page.relative_to(ROOT)): page.read_text(encoding="utf-8")
    for pattern in ("*.md", "docs/**/*.md", "clients/*.md", "protocol/**/*.md")
    for page in sorted(ROOT.glob(pattern))
    if ROOT / "docs/protocol" not in page.parents  # `make docs` copies `protocol/` there
}
USERS: Final = [title for title in PAGES if not re.match(r"docs/lab|CONTRIBUTING|protocol", title)]
"""The pages that are for users, not for maintainers."""
BLOCK: Final = re.compile(r"^ *```(sh|console)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)

OTHER_PAGES: Final = {
    "clients/README.md": "compiles seven bots: tests/client/test_bots.py",
    "docs/how-to/operate-a-server.md": "needs systemd: tests/test_walk.py has a machine with it",
    "docs/how-to/use-go-programs.md": "needs programs for Go",
    "docs/how-to/use-javascript.md": "needs npm's registry: tests/web/test_js_package.py",
}
"""Pages whose commands are not typed, and why."""
OTHER_COMMANDS: Final = {
    "make ": "compiles the kernel: .ci/steps.py runs these targets",
    "pip install": "installs: .ci/package does that",
    "pipx install": "installs: .ci/package does that",
    "uv tool install": "installs: .ci/package does that",
    "python3 -m venv": "installs: .ci/package does that",
    "python -m http.server": "needs the site that `make site` builds",
    "python docs/examples/alphazero.py": "learns for minutes: tests/test_examples.py",
    "dask ": "needs other machines: tests/test_workers.py",
    "yoddd tournament cup.toml --out games/large": "needs other machines: tests/test_workers.py",
    "gogui-twogtp": "needs GoGui",
    "ringmaster": "needs gomill and Python 2.7",
    "yoddd puzzles verify": "proves for minutes: tests/library/test_puzzles.py",
}
"""Beginnings of commands that are not typed, and why."""

WORDS: Final = {".venv/bin/yoddd": "yoddd", "HOST:9633": "127.0.0.1:9633"}
"""What a reader types otherwise: `yoddd` is on the path, and the server is this machine."""
LESS: Final = {
    "--games 10": "--games 2",
    "--games 1000": "--games 150",
    "--games 1500 --playouts 300 --rounds 2 --matches 40": "--games 6 --playouts 9 --matches 2",
    "--games 200": "--games 2 --playouts 20",
    "--games 2 --log games/log": "--games 2 --log games/log --board hex3",
    "--games 6": "--games 2",
    "--games 8": "--games 4",
    "./new ./old": "./new ./old --board hex3",
    "--pairs 500": "--pairs 1",
    "--pairs 50": "--pairs 1",
    "--pairs 20": "--pairs 1",
    "--pairs 5": "--pairs 1",
    "builtin:mcts builtin:uct": "builtin:mcts builtin:uct --each param.playouts=20",
    "param.playouts=1000": "param.playouts=10",
    "--visits 20000": "--visits 200",
    "--solve-seconds 60": "--solve-seconds 1",
    "--board hex5 --playouts 300": "--board hex3 --playouts 20 --games 4",
    "check --perft --game yodd": "check --perft --walk 2 --game yodd",
}
"""Smaller numbers, by which each command takes a few seconds."""


def some_games() -> list[str]:
    """Games as SGF."""
    rng, rules, found = random.Random(1), make_rules("yodd", "hex3"), list[str]()
    for names in ["PB[Ada]PW[Grace]", "PB[Grace]PW[Ada]"] * 4:
        position, nodes = Position(rules), ""
        while not position.is_over:
            turns = [turn for turn in position.legal_turns() if len(turn.stones) == 1] or [PASS]
            turn = rng.choice(turns)
            nodes += f";{position.player.letter.upper()}[{format_turn(turn, rules)}]"
            position.play(turn)
        found.append(f"(;YGAME[yodd]YBOARD[hex3]{names}{nodes})")
    return found


def archive_of(games: list[str], form: ArchiveFormat) -> str:
    records = [one for one in read_archive(games, ArchiveFormat.SGF) if isinstance(one, GameRecord)]
    return "".join(str(one) for one in write_archive(records, form, "2026-11-29"))


def code(page: str, beginning: str) -> str:
    """The blocks of a page that begin so."""
    blocks = re.findall(r"^```\w+\n(.*?)^```", PAGES[page], re.DOTALL | re.MULTILINE)
    return "".join(block for block in blocks if re.match(beginning, block))


GAMES: Final = some_games()
BOT: Final = f"""#!/bin/sh
cd '{ROOT}'
case "$1" in --level) exec python3 -m tests.programs.engine --until never; esac
exec python3 -m tests.programs.lister
"""
"""A bot that never chooses a turn if it is given a level, so that the games of the cup go on."""
MISREADING: Final = f"""
import sys

sys.path.insert(0, {str(ROOT)!r})
from tests.programs.engine import parse_options, write_stdout
from tests.programs.lister import Lister

options = parse_options(["--name", "My engine"])
options.wrong, options.offers = "orthogonality", "legal"
Lister(options, sys.stdin.buffer, write_stdout).run()
"""
OWN: Final = {
    **dict.fromkeys(("./my-bot", "./new", "./old", "./alice", "./bob"), BOT),
    "my_bot.py": code("docs/tutorial/write-a-bot.md", "import|def|beside"),
    "my_engine.py": (ROOT / "clients/python/bot.py").read_text(encoding="utf-8"),
    "my_xodd.py": MISREADING,
    # With a clock by which it lasts longer than anything else on a page, on any machine.
    "cup.toml": code("docs/how-to/run-a-tournament.md", "# cup.toml").replace("10+0.1", "3600+0.1"),
    "book.txt": "1c3\n1d4 1a1,2c3\n",
    "queries.jsonl": '{"id":"a","game":"yodd","board":"hex3","maxVisits":9}\n',
    "game.sgf": GAMES[0],
    "games.jsonl": archive_of(GAMES, ArchiveFormat.JSONL),
    "archive.jsonl": archive_of(GAMES, ArchiveFormat.JSONL),
    "ALL.json": archive_of(GAMES, ArchiveFormat.ABSTRACT_PLAY),
    "yoin-0.sgf": (ROOT / "tests/notation/go/gogui-twogtp.sgf").read_text(encoding="utf-8"),
}
"""Files that a reader has, where a page's commands name them."""
ENGINES: Final = '[[engine]]\nname = "mine"\nengine = "./my-bot"\n'
BEFORE: Final = {
    "docs/how-to/accounts-and-ladders.md": ["yoddd user add spammer"],
    "docs/how-to/make-a-game.md": ["printf '#!/bin/sh\\nexec yoddd gtp\\n' >my-bot"],
    "docs/how-to/play-in-the-browser.md": ["mkdir games"],
    "docs/how-to/troubleshooting.md": [
        "yoddd user add ann",
        f"yoddd match 'python3 {ROOT}/tests/programs/engine.py --fault crash --turn 3'"
        " builtin:random --board hex3 --games 1 --out games/first",
        "yoddd tournament cup.toml --out games/cup",
    ],
    "docs/how-to/write-an-engine.md": ["yoddd serve", f"printf '{ENGINES}' >engines.toml"],
    "docs/tutorial/first-game.md": ["yoddd demo"],
}
"""What the reader of a page has typed before."""
STATUS: Final = {"yoddd check --perft --game xodd": 1}
"""How a command ends that finds a fault of the reader's engine."""
LOOSE: Final = re.compile(r"yoddd (check|match|tune)")
"""Commands whose numbers depend on chance or on the machine."""
TALKS: Final = re.compile(r"(yoddd gtp|nc .*)$")
"""Programs to which a reader types the lines that follow the command or an empty line."""
SERVES: Final = re.compile(r"yoddd (--game-file \S+ )?(serve|ladder)\b(?!.*--print-config)")
BEGUN: Final = {
    SERVES: "listening on ",
    re.compile(r"yoddd connect "): "attached to",
    re.compile(r"yoddd (tournament|run resume|match .*--listen)\b"): ".",
}
"""Commands that run on while a reader types others in another terminal, and what they print."""
STOPS: Final = re.compile(r"yoddd store restore")
"""Commands before which a reader stops the server."""

LIMIT: Final = 1200
"""Seconds of a page, and of a command, on the busiest machine."""

NC: Final = """#!/bin/bash
exec 3<>"/dev/tcp/$1/$2"
cat >&3
cat <&3
"""
"""A program that sends lines, where there is none."""
NETWORK: Final = """
import fcntl, socket, struct, sys
up = struct.pack("16sh14x", b"lo", 0x43)
fcntl.ioctl(socket.socket(), 0x8914, up)
print(flush=True)
sys.stdin.read()
"""
"""Starts the loopback interface, and keeps its network until standard input ends."""


@attrs.frozen
class Command:
    """A command of a page.

    Attributes:
        line: without prompt.
        shown: the lines that the page shows below it.
    """

    line: str
    shown: str = ""


def commands_of(page: str) -> list[Command]:
    """The commands of a page in their order."""
    found: list[Command] = []
    for language, indented in BLOCK.findall(PAGES[page]):
        code = dedent(indented)
        if language == "sh":
            lines = code.replace("\\\n", " ").splitlines()
            found += [Command(line) for line in lines if line and not line.startswith("#")]
            continue
        more, *parts = re.split(r"^\$ ", code, flags=re.MULTILINE)
        if more:  # of the session before
            found[-1] = attrs.evolve(found[-1], shown=f"{found[-1].shown}\n{more}")
        found += [Command(*part.split("\n", 1)) for part in parts]
    return found


COMMANDS: Final = {page: commands_of(page) for page in PAGES}


def pattern(shown: str, *, is_loose: bool) -> re.Pattern[str]:
    """The texts that the output below a command may be.

    `…` stands for any text, and on a line of its own for any lines; a number with a decimal point,
    and each number of a command that `is_loose`, for any number; a turn that a program chooses, for
    any turn.
    """
    text = re.sub(r"^(=\d*) [12][a-z]\d+(,[12][a-z]\d+)?$", r"\1 TURN", shown, flags=re.MULTILINE)
    number = r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)" if is_loose else r"(?<![\w.])\d+\.\d+(?!\w)"
    text = re.sub(r" +$", "", text, flags=re.MULTILINE)
    found = ""
    for part in re.split(rf"(^…\n|…|TURN|{number})", text.strip(), flags=re.MULTILINE):
        kinds = {"…\n": r"(?:.*\n)*", "…": r".*", "TURN": r"[12][a-z]\d+(?:,[12][a-z]\d+)?"}
        is_number = re.fullmatch(number, part)
        found += r"[\d,.]+" if is_number else kinds.get(part) or re.escape(part)
    return re.compile(rf"^{found}$", re.MULTILINE)


REQUEST: Final = re.compile(r"(?:\A|(?<=\n\n))([a-z].*\n)")
"""A line that is typed to a program."""


class Terminal:
    """The shell of a reader, in an empty folder and on a network of its own.

    Attributes:
        folder: where commands are typed.
        settings: the assignments to variables so far.
        printed: the output of the last command that has ended.
        longest: the seconds of the longest command so far, a measure of the machine.
    """

    def __init__(self, outside: Path, network: int) -> None:
        self.folder = outside / "été 1"
        self.folder.mkdir()
        self._outside = outside
        self._enter = ("nsenter", "-t", str(network), "-U", "-n", "--preserve-credentials")
        kept = {name: text for name, text in os.environ.items() if "YODDD" not in name}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._environment = {**kept, "HOME": str(outside), "PATH": f"{path}:{outside}"}
        (outside / "nc").write_text(NC)
        (outside / "nc").chmod(0o755)
        # Those that last, with their commands.
        self._running: list[tuple[subprocess.Popen[bytes], str]] = []
        self.settings = ""
        self.printed = ""
        self.longest = 0.0

    def _start(self, line: str, typed: str) -> tuple[subprocess.Popen[bytes], Path]:
        log = self._outside / f"output {len([*self._outside.iterdir()])}"
        with tempfile.TemporaryFile() as given, log.open("wb") as out:
            given.write(typed.encode())
            given.seek(0)
            process = subprocess.Popen(
                [*self._enter, "bash", "-o", "pipefail", "-c", f"{self.settings}{line}"],
                cwd=self.folder,
                env=self._environment,
                stdin=given,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return process, log

    def stop(self, some: str = "") -> None:
        """Press Ctrl-C in the other terminals, or in those with some commands."""
        ended = [process for process, line in self._running if some in line]
        self._running = [one for one in self._running if some not in one[1]]
        for process in reversed(ended):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            end(process)

    def type_in(self, command: Command) -> None:
        """Type a command, and compare what it prints with what the page shows."""
        line = command.line
        for old, new in (WORDS | LESS).items():
            line = re.sub(rf"{re.escape(old)}(?!\d)", new, line)
        line = line.replace("…", self.printed.strip())  # the token
        if re.match(r"(export )?\w+=\S+", line):
            self.settings += f"{line}\n"
        elif any(known.match(line) for known in BEGUN):
            self._leave_running(line.removesuffix(" &"), command.shown)
        else:
            self._wait_for(line, command.shown)

    def _leave_running(self, line: str, shown: str) -> None:
        if SERVES.match(line):
            self.stop()
        elif attached := re.search(r"--as \S+", line):
            self.stop(attached[0])
        (begun,) = [text for known, text in BEGUN.items() if known.match(line)]
        expected = pattern(shown, is_loose=False) if shown else re.compile(begun)
        process, log = self._start(line, "")
        self._running.append((process, line))
        # A command that begins has less to do than one that ends.
        patience = PATIENCE + self.longest
        until(
            lambda: bool(expected.search(log.read_text())) or process.poll() is not None, patience
        )
        has_ended = process.poll() == 0 and not shown
        assert has_ended or expected.search(log.read_text()), f"$ {line}\n{log.read_text()}"

    def _wait_for(self, line: str, shown: str) -> None:
        if STOPS.match(line):
            self.stop()
        typed = "".join(REQUEST.findall(shown)) if TALKS.match(line) else ""
        if typed:
            shown = REQUEST.sub("", shown)
        begun = time.monotonic()
        process, log = self._start(line, typed)
        try:
            process.wait(LIMIT)
        finally:
            self.longest = max(self.longest, time.monotonic() - begun)
            end(process)
            self.printed = log.read_text()
        said = f"$ {line}\n{self.printed}"
        status = next((STATUS[one] for one in STATUS if line.startswith(one)), 0)
        assert process.returncode == status, said
        printed = re.sub(r" +$", "", self.printed, flags=re.MULTILINE)
        expected = pattern(shown, is_loose=bool(LOOSE.match(line)))
        assert not shown or expected.search(printed), f"{said}\n{expected.pattern}"


def end(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a command that was interrupted, and kill what is left of it."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    words = ("unshare", "-rn", sys.executable, "-c", NETWORK)
    with Program(words, stdin=True) as network:
        if not network.stdout.readline():
            (pytest.fail if os.environ.get("CI") else pytest.skip)("no namespaces here")
        opened = Terminal(tmp_path, network.pid)
        try:
            yield opened
        finally:
            opened.stop()


def typed(title: str) -> list[Command]:
    """The commands of a page that are typed."""
    some = COMMANDS[title] if title not in OTHER_PAGES else []
    return [one for one in some if not one.line.startswith(tuple(OTHER_COMMANDS))]


@pytest.mark.whole
@pytest.mark.process
@pytest.mark.timeout(LIMIT)
@pytest.mark.parametrize("title", [title for title in USERS if typed(title)])
def test_commands_of_page_do_what_it_shows(title: str, terminal: Terminal) -> None:
    before = [Command(line) for line in BEFORE.get(title, [])]
    lines = "\n".join(one.line for one in [*before, *typed(title)])
    if "tests." in lines:  # in the root of a clone
        (terminal.folder / "tests").symlink_to(ROOT / "tests")
    needed = lines + OWN["cup.toml"] * ("cup.toml" in lines) + ENGINES * ("conf:mine" in lines)
    for name, content in OWN.items():
        if re.search(rf"(?<![\w./-]){name}(?![\w-])", needed):
            (terminal.folder / name).write_text(content, encoding="utf-8")
            (terminal.folder / name).chmod(0o755)
    for command in [*before, *typed(title)]:
        terminal.type_in(command)


@pytest.mark.gate
def test_commands_exceptions_still_exist() -> None:
    lines = [one.line for title in USERS for one in COMMANDS[title]]
    text = "\n".join(lines)
    assert [page for page in OTHER_PAGES if not COMMANDS[page]] == []
    assert [page for page in BEFORE if not typed(page)] == []
    tables = (OTHER_COMMANDS, WORDS, LESS, OWN, STATUS)
    assert [one for table in tables for one in table if one not in text] == []
    for known in (*BEGUN, STOPS, LOOSE, TALKS):
        assert any(known.match(line) for line in lines)
    assert '"3600+0.1"' in OWN["cup.toml"]


@pytest.mark.gate
def test_pattern_relaxes_numbers_turns_and_what_is_left_out() -> None:
    shown = "50 games: greed=15\n…\n=2 2d4\nin 0.3 s"
    assert pattern(shown, is_loose=True).search("50 games: greed=9\na\nb\n=2 1a1,2b2\nin 12.5 s\n")
    assert not pattern(shown, is_loose=False).search("51 games: greed=15\n=2 1a1\nin 0.3 s\n")
    assert not pattern("2b2: 9", is_loose=False).search("2b3: 9")


# -- without running them ------------------------------------------------------------------------

SHELL: Final = {"&", "|", ">", "&&"}
FILES: Final = (
    *("games.jsonl", "archive.jsonl", "game.sgf", "yoin-0.sgf", "ALL.json", "cup.toml", "book.txt"),
    "etc/yoddd/yoddd.toml",
)
FOLDERS: Final = ("games/cup", "games/large", "games/test", "etc/yoddd")
"""Files and folders that options name."""


def words_of_pages() -> list[list[str]]:
    """All `yoddd` commands, once each, without the parts for the shell."""
    lines = dict.fromkeys(one.line for some in COMMANDS.values() for one in some)
    ours = [line.removeprefix(".venv/bin/") for line in lines]
    words = [shlex.split(line, comments=True) for line in ours if line.startswith("yoddd ")]
    return [list(takewhile(lambda word: word not in SHELL, found)) for found in words]


@pytest.mark.gate
@pytest.mark.parametrize("words", words_of_pages(), ids=" ".join)
def test_command_of_page_accepts_its_options(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in FOLDERS:
        (tmp_path / folder).mkdir(parents=True)
    for file in FILES:
        (tmp_path / file).touch()
    if words[1] == "--game-file":
        (tmp_path / words[2]).write_text(NEW.format(name="many", title="Many"))
        load_game_files([tmp_path / words[2]])
        words = [words[0], *words[3:]]
    command = main.get_command(click.Context(main), words[1])
    assert command is not None
    below = [re.sub("^/etc/", "etc/", word) for word in words[2:]]
    with command.make_context(words[1], below):
        pass


@pytest.mark.gate
def test_runs_of_pages_have_folders_of_their_own() -> None:
    # A run refuses the folder of another one, so a reader of both pages would be stopped.
    writers: dict[str, set[str]] = {}
    for title, some in COMMANDS.items():
        for one in some:
            if re.match("yoddd (match|tournament|tune) ", one.line):
                for folder in re.findall(r"--out (\S+)", one.line):
                    writers.setdefault(folder, set()).add(title)
    assert writers
    assert {folder: pages for folder, pages in writers.items() if len(pages) > 1} == {}
