"""The documentation agrees with the program."""

from __future__ import annotations

import doctest
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import attrs
import click
import pytest

import yoddd
from yoddd.cli import main
from yoddd.daemon.configuration import Sources, load
from yoddd.notation import parse_position, parse_sgf, read_sgf_game
from yoddd.pictures import THEMES, Style, draw
from yoddd.referee.game.setup import DEFAULT_WAIT_LIMITS, MatchLimits
from yoddd.referee.tournament.config import parse_toml

pytestmark = pytest.mark.gate

ROOT = Path(__file__).parents[1]
COPY = ROOT / "docs" / "protocol"
"""What a build of the documentation leaves of ``protocol/``."""
PAGES = sorted(
    page
    for folder in ("*.md", "docs/**/*.md", "protocol/**/*.md")
    for page in ROOT.glob(folder)
    if COPY not in page.parents
)
BLOCK = re.compile(
    r"^```(?P<language>python|pycon|toml)\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE
)
LINK = re.compile(r"\[[^\]]*\]\((?!https?://)(?P<target>[^)#]*)(#(?P<anchor>[^)]*))?\)")
IMAGES = ROOT / "docs" / "images"
PROGRAMS = (pytest.mark.process, pytest.mark.whole)


def test_commands_page_names_every_command() -> None:
    text = (ROOT / "docs/reference/commands.md").read_text()
    named = re.findall(r"^## yoddd ([\w-]+)$", text, re.MULTILINE)
    assert named == main.list_commands(click.Context(main))


BOTS = {
    "c": "C",
    "go": "Go",
    "java": "Java",
    "lua": "Lua",
    "node": "JavaScript",
    "python": "Python",
    "rust": "Rust",
}
"""The languages of the folders of ``clients`` with a bot."""


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial/write-a-bot.md"])
def test_page_names_the_language_of_every_bot(page: str) -> None:
    folders = {path.name for path in (ROOT / "clients").iterdir() if path.is_dir()}
    assert folders - {"js"} == BOTS.keys()
    (named,) = re.findall(r"bots in ((?:\w+, )+and \w+)", (ROOT / page).read_text())
    assert sorted(re.split(r", (?:and )?", named)) == sorted(BOTS.values())


def test_architecture_page_names_every_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers, *_ = project["tool"]["importlinter"]["contracts"]
    names = [name for layer in layers["layers"] for name in layer.split(" | ")]
    page = (ROOT / "docs/lab/architecture.md").read_text()
    assert [name for name in names if f"`yoddd.{name}`" not in page] == []


CODE = {".c", ".cpp", ".css", ".go", ".h", ".hpp", ".js", ".mjs", ".py", ".pyi"}
TEXTS = {"yoddd/web/js/base/en.js"}
"""Files of code that only hold texts."""


def code_in(folder: str) -> Iterator[Path]:
    """The files of code in a folder of the repository."""
    for path in (ROOT / folder).rglob("*.*"):
        if path.suffix in CODE and "node_modules" not in path.parts:
            yield path


def test_architecture_page_bounds_the_lines_of_every_file_of_code() -> None:
    (most,) = re.findall(
        r"No file of code has more than (\d+) lines",
        (ROOT / "docs/lab/architecture.md").read_text(),
    )
    paths = (path for folder in ("yoddd", "tests", "clients", ".ci") for path in code_in(folder))
    assert {name_of(one) for one in paths if len(one.read_text().splitlines()) > int(most)} == TEXTS


def test_pages_count_the_puzzles_and_the_tasks() -> None:
    puzzles = (ROOT / "yoddd/library/puzzles.jsonl").read_text().splitlines()
    product = sum('"id":"product-' in one for one in puzzles)
    tasks = json.loads((ROOT / "yoddd/web/lessons/yodd.json").read_text())["steps"]
    manual = (ROOT / "docs/how-to/play-in-the-browser.md").read_text()
    assert f"has {len(puzzles):,} [proven puzzles]" in manual
    assert (len(tasks), "has fifteen tasks for Yodd" in manual) == (15, True)
    counts = f"{len(puzzles):,} puzzles, {len(puzzles) - product:,} of"
    page = (ROOT / "docs/reference/puzzles.md").read_text()
    assert counts in page
    assert f"and {product} of Product" in page


def test_tournament_page_names_the_default_limits() -> None:
    page = (ROOT / "docs/reference/tournament-file.md").read_text()
    (line,) = re.findall(r"^`\[limits\]` .*$", page, re.MULTILINE)
    named = {name: float(number) for name, number in re.findall(r"`(\w+)` (\d+)", line)}
    assert named == attrs.asdict(DEFAULT_WAIT_LIMITS)
    assert f"or {MatchLimits().absence:.0f} in `yoddd match`" in line


# -- code, positions, links -----------------------------------------------------------------


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *languages: str) -> list[str]:
    return [m["code"] for m in BLOCK.finditer(page.read_text()) if m["language"] in languages]


# The bot of the tutorial is a program; tests/client runs it as one.
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(p, marks=PROGRAMS if "popen" in p.read_text().lower() else ())
        for p in PAGES
        if blocks(p, "python", "pycon") and p.name != "write-a-bot.md"
    ],
    ids=name_of,
)
def test_code_of_page_runs_as_shown(page: Path) -> None:
    # A page is one session: names defined by a block are visible to the next ones.
    names: dict[str, object] = {}
    for code in blocks(page, "python", "pycon"):
        if code.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), 0)
            runner = doctest.DocTestRunner()
            runner.run(test, clear_globs=False)
            assert runner.failures == 0
            names |= test.globs
        else:
            exec(compile(code, str(page), "exec"), names)  # noqa: S102 — our own page


def test_toml_of_pages_is_accepted(tmp_path: Path) -> None:
    files = [code for page in PAGES for code in blocks(page, "toml")]
    cups = [code for code in files if "[[engine" in code]
    daemons = [code for code in files if code not in cups]
    assert cups
    assert daemons
    for code in cups:
        parse_toml(code)
    for code in daemons:
        (tmp_path / "yoddd.toml").write_text(code)
        load(Sources(tmp_path / "yoddd.toml"))


def test_python_modules_named_by_pages_exist() -> None:
    # The notebook names the programs of its day.
    pages = [page for page in PAGES if "experiments" not in page.as_posix()]
    text = "\n".join(page.read_text() for page in pages)
    programs = set(re.findall(r"python -m (tests[.\w]*\w)", text))
    assert programs
    for program in programs:
        path = ROOT / program.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), program


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_inner_links_of_page_have_a_target(page: Path) -> None:
    for match in LINK.finditer(page.read_text()):
        target = (page.parent / match["target"]).resolve() if match["target"] else page
        assert target.exists(), match[0]
        if match["anchor"] and target.suffix == ".md":
            heads = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
            assert match["anchor"] in anchors, match[0]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_tables_of_page_begin_with_a_head(page: Path) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", page.read_text(), re.MULTILINE)
    assert [one for one in tables if not re.match(r".*\n\|[-|: ]+\|\n", one)] == []


def test_board_directives_have_legal_positions() -> None:
    lines = [
        line
        for page in PAGES
        for line in re.findall(r"^:::\{board\} (.*)$", page.read_text(), re.MULTILINE)
    ]
    assert len(lines) >= 8
    for line in lines:
        parse_position(line)


# -- releases and pictures ------------------------------------------------------------------


def test_citation_version_is_that_of_the_package() -> None:
    (cited,) = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited == yoddd.__version__


def test_changelog_latest_release_is_that_of_the_package() -> None:
    (latest, *_) = re.findall(r"^## (\S+) \(\d", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert latest == yoddd.__version__


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_of_the_first_page_are_current(theme: str) -> None:
    (tree,), _ = parse_sgf((IMAGES / "yodd-game.sgf").read_text())
    game = read_sgf_game(tree)
    position = game.start.copy()
    style = Style(theme=THEMES[theme], cell=36, groups=True)
    pictures = []
    for turn in game.turns:
        position.play(turn)
        pictures.append(draw(position, style=style))
    hint = "run `make boards`"
    assert (IMAGES / f"yodd-board-{theme}.svg").read_text() == pictures[17], hint
    assert (IMAGES / f"yodd-game-{theme}.svg").read_text() == pictures[-1], hint
