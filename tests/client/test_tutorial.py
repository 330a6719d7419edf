"""The tutorial's program, put together from its own text."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.programs import run

pytestmark = pytest.mark.whole

TEXT = (Path(__file__).parents[2] / "docs" / "tutorial" / "write-a-bot.md").read_text()
CODE = "".join(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
COMMANDS = re.findall(r"^\$ (.*)$", TEXT, re.MULTILINE)


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    path = tmp_path / "my_bot.py"
    path.write_text(CODE)
    return path


def type_in(command: str, bot: Path) -> CompletedProcess[str]:
    command = command.replace("python3", sys.executable).replace("my_bot.py", bot.name)
    command = re.sub(r"^yoddd", f"{sys.executable} -m yoddd", command)
    return run("/bin/bash", "-c", command, cwd=bot.parent)


@pytest.mark.process
def test_tutorial_bot_check_warns_of_stated_gaps_only(bot: Path) -> None:
    (command,) = [command for command in COMMANDS if "check" in command]
    done = type_in(command.replace("check", "check --json"), bot)
    report = json.loads(done.stdout)
    assert done.returncode == 0, report
    warned = [f["check"] for f in report["findings"] if f["verdict"] == "warn"]
    assert warned == ["errors", "end of input"]


@pytest.mark.process
@pytest.mark.parametrize("seed", range(3))
def test_tutorial_bot_plays_the_match(bot: Path, seed: int) -> None:
    (command,) = [command for command in COMMANDS if "match" in command]
    done = type_in(f"{command} --seed {seed}", bot)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("by groups") == 2
    assert shlex.split(command)[2].endswith("my_bot.py")
