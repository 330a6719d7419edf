"""A configuration completed for this machine."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.daemon.conftest import ENGINE
from yoddd.daemon.runs.preparation import (
    RUN_MARK,
    check_hashes,
    find_openings,
    hash_files,
    launch_of,
    name_engines,
    prepare,
    take_engines,
)
from yoddd.protocol.controller import EngineInfo
from yoddd.referee import NO_LIMIT, parse_clock
from yoddd.referee.tournament.config import (
    ConfigError,
    EngineConfig,
    OpeningsConfig,
    TournamentConfig,
    make_plan,
)
from yoddd.referee.tournament.openings import Opening
from yoddd.system import own_command


def test_check_hashes_refuses_another_program_of_the_same_name(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    described = EngineConfig(engine=f"{script} --fast", name="bot")
    hashes = hash_files(described, tmp_path)
    assert list(hashes) == [str(script)]
    planned = EngineConfig(engine=described.engine, name="bot", hashes=hashes)
    check_hashes(planned)
    script.write_text("#!/bin/bash\n")
    with pytest.raises(ConfigError, match="is not the program that was planned"):
        check_hashes(planned)
    script.unlink()
    with pytest.raises(ConfigError, match="No such file"):
        check_hashes(planned)


def named(*engines: EngineConfig) -> list[EngineConfig]:
    """The engines with names, without starting them."""
    config = TournamentConfig(engine=engines, listen="tcp:0")
    return [*prepare(config, Path(), start=False).engine]


def test_name_engines_takes_their_own_names_and_tells_twins_apart() -> None:
    engines = [EngineConfig(engine=command) for command in ("a/new", "a/old", "b/bot", "c/bot")]
    infos = {
        n: EngineInfo(name, version, "2", frozenset())
        for n, (name, version) in enumerate(
            [("Bot", "1"), ("Bot", "1"), ("Gnu", "1"), ("Gnu", "2")]
        )
    }
    names = [engine.name for engine in name_engines(engines, infos)]
    assert names == ["Bot (new)", "Bot (old)", "Gnu 1", "Gnu 2"]


def test_prepare_numbers_equal_names_that_were_not_chosen() -> None:
    engines = named(
        EngineConfig(engine="builtin:random"),
        EngineConfig(engine="builtin:random"),
        EngineConfig(engine="builtin:random", name="mine"),
        EngineConfig(engine="tcp:far"),
        EngineConfig(engine=f"{sys.executable} {ENGINE}"),
    )
    assert [engine.name for engine in engines][:-1] == ["random", "random-2", "mine", "far"]
    assert [str(ENGINE) in engine.hashes for engine in engines] == [False] * 4 + [True]


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (EngineConfig(name="x"), "engine 'x': an empty command line"),
        (EngineConfig(engine="builtin:chess"), "builtin:chess: expected one of"),
        (EngineConfig(engine="'open"), "No closing quotation"),
        (EngineConfig(engine="tcp:far", name="near"), "it is called far, not near"),
        (EngineConfig(engine="true", cwd="no-such-folder"), "cwd: no folder"),
    ],
)
def test_name_engines_refuses_what_names_no_engine(engine: EngineConfig, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        named(engine)


def test_prepare_resolves_folders_and_titles_the_run(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    engines = (
        EngineConfig(engine="builtin:random", cwd="bots"),
        EngineConfig(engine="builtin:uct", memory=4096),
    )
    prepared = prepare(TournamentConfig(board="hex2", engine=engines), tmp_path, start=False)
    assert prepared.name == "random, uct"
    assert prepared.engine[0].cwd == str(tmp_path / "bots")
    named = attrs.evolve(prepared, name="Cup")
    assert prepare(named, tmp_path, start=False).name == "Cup"


def test_prepare_gives_clocks_without_a_margin_one(tmp_path: Path) -> None:
    engines = (
        EngineConfig(engine="builtin:uct", name="a"),
        EngineConfig(engine="builtin:uct", name="b", clock=parse_clock("5+1,margin=0.3")),
        EngineConfig(engine="tcp:c"),
    )
    config = TournamentConfig(engine=engines, clock=parse_clock("move=1"), listen="tcp:0")
    plan = make_plan(prepare(config, tmp_path, start=False))
    usual = "move=1,margin=0.1"
    assert [str(side.clock) for side in plan.sides] == [usual, "5+1,margin=0.3", usual]
    untimed = prepare(TournamentConfig(engine=engines[::2], listen="tcp:0"), tmp_path, start=False)
    assert untimed.clock == NO_LIMIT


def test_launch_of_a_builtin_engine_marks_its_run() -> None:
    engine = EngineConfig(engine="builtin:random", env={"A": "1"}, memory=64, network=False)
    launch = launch_of(engine, "games/cup", (0,))
    assert shlex.split(launch.command) == own_command("yoddd", "gtp", "--engine", "random")
    assert launch.env == {"A": "1", RUN_MARK: "games/cup"}
    assert (launch.confinement.memory, launch.confinement.network) == (64, False)
    assert launch.confinement.cpus == (0,)


def openings_of(tmp_path: Path, **wanted: Any) -> tuple[Opening, ...]:
    config = TournamentConfig(
        board="hex3",
        openings=OpeningsConfig(**wanted),
        engine=(EngineConfig(engine="true", name="a"), EngineConfig(engine="true", name="b")),
    )
    return find_openings(config, make_plan(config), tmp_path)


def test_find_openings_reads_shuffles_or_generates_them(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("1c3\n2c3 1a1,2b1\n1a1\n1b1\n")
    read = openings_of(tmp_path, file="lines.txt")
    assert [opening.turns for opening in read][:2] == [("1c3",), ("2c3", "1a1,2b1")]
    shuffled = openings_of(tmp_path, file="lines.txt", shuffle=True)
    assert shuffled != read
    assert set(shuffled) == set(read)
    assert openings_of(tmp_path, file="lines.txt", shuffle=True) == shuffled
    filled = openings_of(tmp_path, generate=2, fill=0.5, engine="uct", playouts=20, window=1.0)
    assert [opening.turns for opening in filled] == [(), ()]
    assert all(opening.position for opening in filled)
    assert openings_of(tmp_path) == ()


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"file": "missing.txt"}, "does not exist"),
        ({"file": "bad.txt"}, "openings: "),
        ({"generate": 1, "engine": "chess"}, "openings.engine: expected one of"),
    ],
)
def test_find_openings_refuses_what_holds_none(
    tmp_path: Path, wanted: dict[str, Any], reason: str
) -> None:
    (tmp_path / "bad.txt").write_text("nonsense\n")
    with pytest.raises(ConfigError, match=reason):
        openings_of(tmp_path, **wanted)


def test_take_engines_reads_the_engines_file(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "engines.toml").write_text(
        '[[engine]]\nname = "mine"\nengine = "bot --fast"\ncwd = "bots"\nmemory = 64\n'
        "params = { level = 3, seed = 1 }\n"
    )
    engines = (
        EngineConfig(engine="conf:mine", params={"seed": "9"}),
        EngineConfig(engine="conf:mine", name="second", memory=99),
    )
    config = take_engines(TournamentConfig(engine=engines), tmp_path)
    first, second = config.engine
    assert (first.name, first.engine, first.memory) == ("mine", "bot --fast", 64)
    assert (first.params, first.cwd) == ({"level": "3", "seed": "9"}, str(tmp_path / "bots"))
    assert (second.name, second.memory) == ("second", 99)
    with pytest.raises(ConfigError, match=r"conf:mime: no engine .*did you mean conf:mine\?"):
        take_engines(TournamentConfig(engine=(EngineConfig(engine="conf:mime"),)), tmp_path)
    for text, reason in (
        ("engine = 3", "engines.toml: engine: "),
        ('[[engine]]\nengine = "bot"', "needs a name of its own"),
        ("?", "not TOML"),
    ):
        (tmp_path / "engines.toml").write_text(text)
        with pytest.raises(ConfigError, match=reason):
            take_engines(TournamentConfig(engine=engines), tmp_path)


@pytest.mark.parametrize("games", [3, 4])
def test_prepare_odd_number_of_games_shares_first_moves(games: int, tmp_path: Path) -> None:
    engines = tuple(EngineConfig(engine="builtin:random") for _ in range(3))
    asked = TournamentConfig(board="hex2", engine=engines, games=games)
    assert not asked.balanced  # as in a plan that an older version has written
    assert prepare(asked, tmp_path, start=False).balanced == (games % 2 == 1)
