"""Missing extras: one wording everywhere, a command that installs them, and help that always works.

The programs run in an environment whose folder of packages lacks those of the extras.
"""

from __future__ import annotations

import json
import shlex
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.programs import Program, run
from yoddd.extras import install_command, missing_of, missing_text

pytestmark = pytest.mark.gate
ROOT = Path(__file__).parents[1]
HIDDEN = frozenset(
    {"PIL", "alembic", "distributed", "gymnasium", "matplotlib", "mpl_toolkits"}
    | {
        "numpy",
        "open_spiel",
        "pettingzoo",
        "platformdirs",
        "prometheus_client",
        "psycopg",
        "psycopg_binary",
    }
    | {"pyspiel", "resvg_py", "scipy", "sqlalchemy"}
)
"""Top-level modules of the extras."""

POSITION = "yodd hex4 4/5/6/3b3/6/5/4 w 0 2"
MATCH = "match builtin:random builtin:random --board hex2"
USER = "accounts and ratings"
PURPOSES = {
    "plot {tmp} --out {tmp}/run.svg": ("yoddd.plots", "plot"),
    f"render '{POSITION}' --out {{tmp}}/board.png": ("PNG files", "png"),
    f"{MATCH} --cluster 127.0.0.1:1": ("--cluster", "cluster"),
    "user add ann --store {tmp}/store": (USER, "store"),
    "user list --store {tmp}/store": (USER, "store"),
    "store migrate --store {tmp}/store": (USER, "store"),
    "serve --no-http --listen tcp:0:interface=127.0.0.1 --store {tmp}/store": ("store", "store"),
    "train yodd --boards hex2:2 --out {tmp}/yodd.json": ("yoddd train", "train"),
}
"""Command lines, with the purpose and the extra that their messages name."""

AT_EACH_LANDING = ("plot", "render")

MODULES = {
    "yoddd.library.pettingzoo": "rl",
    "yoddd.openspiel": "openspiel",
    "yoddd.plots": "plot",
}


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all installed packages except those of the extras."""
    return link_packages(tmp_path_factory.mktemp("packages"))


def link_packages(folder: Path) -> Path:
    """Link all installed packages except those of the extras in a folder, and return it."""
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if entry.name.partition(".")[0] not in HIDDEN:
            (folder / entry.name).symlink_to(entry)
    return folder


def bare(packages: Path, code: str) -> list[str]:
    """The command line of Python code that cannot find the extras."""
    begin = f"import site, sys; site.addsitedir({str(packages)!r}); sys.path.insert(0, '')\n"
    return [sys.executable, "-S", "-c", begin + code]


# It loads all commands once and runs each line of its input in a copy of itself.
COMMANDS = """
import contextlib, io, json, os
from yoddd.cli import main

with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(["--help"], prog_name="yoddd")
for line in sys.stdin:
    arguments, errors = json.loads(line)
    if not (child := os.fork()):
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
        main(arguments, prog_name="yoddd")
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def commands(packages: Path) -> Iterator[Program]:
    """A program that runs commands where the extras cannot be found."""
    with Program(bare(packages, COMMANDS), stdin=True, cwd=ROOT) as process:
        yield process
        process.rest()
    assert process.returncode == 0


@pytest.mark.process
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, marks=[] if words.startswith(AT_EACH_LANDING) else pytest.mark.whole)
        for words in sorted(PURPOSES)
    ],
)
def test_command_without_its_extra_names_the_command_that_installs_it(
    commands: Program, tmp_path: Path, words: str
) -> None:
    (tmp_path / "games.jsonl").touch()
    errors = tmp_path / "errors"
    arguments = shlex.split(words.format(tmp=tmp_path))
    commands.stdin.write(json.dumps([arguments, str(errors)]) + "\n")
    assert commands.stdout.readline() in {"1\n", "2\n"}, commands.error_text()
    text = errors.read_text(encoding="utf-8")
    assert text.splitlines()[-1] == f"Error: {missing_text(*PURPOSES[words])}"
    assert "Traceback" not in text


@pytest.mark.whole
@pytest.mark.process
@pytest.mark.parametrize("module", sorted(MODULES))
def test_import_without_its_extra_names_the_command_that_installs_it(
    packages: Path, module: str
) -> None:
    done = run(*bare(packages, f"import {module}"), cwd=ROOT)
    last = f"yoddd.extras.ExtraMissing: {missing_text(module, MODULES[module])}"
    assert done.stderr.splitlines()[-1] == last


@pytest.mark.process
def test_help_of_every_command_works_without_extras(packages: Path) -> None:
    code = """
import click
from yoddd.cli import main

def walk(command, path):
    try:
        main([*path, "--help"], prog_name="yoddd", standalone_mode=False)
    except SystemExit as error:
        assert not error.code, path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if not below.hidden:  # a removed command has no help
                walk(below, [*path, name])

walk(main, [])
"""
    done = run(*bare(packages, code), cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage: yoddd") > 40


@pytest.mark.parametrize(
    ("file", "text", "command"),
    [
        ("pipx_metadata.json", "{}", "pipx inject yoddd 'pillow>=11'"),
        ("uv-receipt.toml", "", "uv pip install --python {}/bin/python 'pillow>=11'"),
        ("pyvenv.cfg", "uv = 0.9.2\n", "uv pip install --python {}/bin/python 'pillow>=11'"),
        ("pyvenv.cfg", "home = /usr/bin\n", "{}/bin/python -m pip install 'pillow>=11'"),
    ],
)
def test_install_command_is_that_of_the_installer(
    tmp_path: Path, file: str, text: str, command: str
) -> None:
    (tmp_path / file).write_text(text)
    found = install_command(["pillow>=11"], tmp_path / "bin" / "python", has_pip=True)
    assert found == command.format(tmp_path)


def test_install_command_without_pip_installs_it_first(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    found = install_command(["pillow>=11"], python, has_pip=False)
    assert found == f"{python} -m ensurepip && {python} -m pip install 'pillow>=11'"


def test_missing_of_extra_names_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {"store": ["alembic>=1.17", "click>=8"], "postgres": ["yoddd[store]", "psycopg>=3.2"]}
    lines = [f"{one}; extra == '{name}'" for name, ones in wanted.items() for one in ones]

    def distribution(name: str) -> SimpleNamespace:
        if name in {"alembic", "psycopg"}:
            raise PackageNotFoundError(name)
        return SimpleNamespace(requires=["attrs>=25", *lines])

    monkeypatch.setattr("importlib.metadata.distribution", distribution)
    assert missing_of("postgres") == ["alembic>=1.17", "psycopg>=3.2"]
    assert missing_of("plot") == ["yoddd[plot]"]
