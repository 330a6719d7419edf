"""The bots of clients/: each passes `yoddd check`, and they play each other in refereed games."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import YODDD, output_of

pytestmark = [pytest.mark.process, pytest.mark.whole]

CLIENTS = Path(__file__).parents[2] / "clients"
GAMES = (
    "yodd --board hex4",
    "xodd --board square5",
    "odd --board hex3",
    "yoin --board hex4",
    "product --board hex5",
)
BOTS = {
    "python": sys.executable,
    "c": "gcc",
    "node": "node",
    "rust": "rustc",
    "go": "go",
    "java": "javac",
    "lua": "lua",
}


def build(bot: str, folder: Path) -> list[str]:
    """The command line of a bot, compiled if need be; skips where its tool is missing."""
    if shutil.which(BOTS[bot]) is None:
        pytest.skip(f"{BOTS[bot]} is not installed")
    source = next((CLIENTS / bot).glob("[bB]ot.*"))
    program = str(folder / f"{bot}-bot")
    if bot == "c":
        strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2"]
        subprocess.run(["gcc", *strict, "-o", program, source], check=True)  # noqa: S607 — found on the PATH
    elif bot == "rust":
        strict = ["-D", "warnings", "-O"]
        subprocess.run(["rustc", *strict, "-o", program, source], check=True)  # noqa: S607 — likewise
    elif bot == "go":
        subprocess.run(["go", "vet", source], check=True)  # noqa: S607 — likewise
        subprocess.run(["go", "build", "-o", program, source], check=True)  # noqa: S607 — likewise
    elif bot == "java":
        subprocess.run(["javac", "-d", folder, source], check=True)  # noqa: S607 — likewise
        return ["java", "-cp", str(folder), "Bot"]
    else:
        return [BOTS[bot], str(source)]
    return [program]


@pytest.mark.parametrize("bot", sorted(BOTS))
def test_bot_passes_the_check(bot: str, tmp_path: Path) -> None:
    command = [*YODDD, "check", "--json", *build(bot, tmp_path)]
    done = subprocess.run(command, capture_output=True, check=False)
    report = json.loads(done.stdout)
    assert report["passed"], report
    verdicts = {finding["check"]: finding["verdict"] for finding in report["findings"]}
    others = {name for name, verdict in verdicts.items() if verdict != "ok"}
    # What no bot lists.
    assert others == {"position", "final_score", "legal", "undo", "analyze", "time left", "time"}


@pytest.mark.parametrize(
    ("pair", "game"),
    list(zip(itertools.combinations(BOTS, 2), itertools.cycle(GAMES), strict=False)),
)
def test_bots_in_refereed_match_play_to_the_end(
    pair: tuple[str, str], game: str, tmp_path: Path
) -> None:
    commands = [" ".join(build(bot, tmp_path)) for bot in pair]
    out = tmp_path / "out"
    command = [*YODDD, "match", *commands, "--game", *game.split(), "--out", str(out)]
    done = subprocess.run([*command, "--seed", "5"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    records = [json.loads(line) for line in (out / "games.jsonl").read_text().splitlines()]
    assert [record["reason"] for record in records] == ["groups", "groups"]


@pytest.mark.parametrize(
    "bot",
    [pytest.param(bot, marks=[pytest.mark.gate] * (bot in ("c", "node"))) for bot in sorted(BOTS)],
)
def test_bot_game_takes_optional_board_and_options(bot: str, tmp_path: Path) -> None:
    lines = ("game yoin pie=off", "game xodd Square-4 own_colour=on", "boardsize 3", "game ODD")
    script = "".join(f"{line}\n" for line in lines)
    printed = output_of(*build(bot, tmp_path), given=script)
    assert printed.replace("= ", "=") == "=\n\n" * len(lines)


@pytest.mark.parametrize("bot", sorted(BOTS))
def test_bot_same_seed_gives_same_turns(bot: str, tmp_path: Path) -> None:
    command = build(bot, tmp_path)

    def turns(seed: int) -> str:
        script = f"set_param seed {seed}\n" + "genmove b\ngenmove w\n" * 3
        return output_of(*command, given=script)

    assert turns(1) == turns(1)
    assert len({turns(seed) for seed in range(3)}) > 1
