"""A configuration completed for this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.daemon.conftest import ENGINE
from yoddd.daemon.runs.preparation import check_hashes, hash_files, prepare
from yoddd.referee.config import ConfigError, EngineConfig, TournamentConfig


def test_another_program_under_the_same_name_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    described = EngineConfig(engine=f"{script} --fast", name="bot")
    hashes = hash_files(described, tmp_path)
    assert list(hashes) == [str(script)]
    planned = EngineConfig(engine=described.engine, name="bot", hashes=hashes)
    check_hashes(planned)
    script.write_text("#!/bin/bash\n")
    with pytest.raises(ConfigError, match="is another program than was planned"):
        check_hashes(planned)
    script.unlink()
    with pytest.raises(ConfigError, match="No such file"):
        check_hashes(planned)


def test_scripts_are_hashed_like_programs(tmp_path: Path) -> None:
    config = TournamentConfig(
        engine=tuple(EngineConfig(engine=f"{sys.executable} {ENGINE} {n}") for n in "12")
    )
    first, second = prepare(config, tmp_path).engine
    assert str(ENGINE) in first.hashes
    assert (first.name, second.name) == (
        Path(sys.executable).name,
        f"{Path(sys.executable).name}-2",
    )
