from pathlib import Path

from click.testing import CliRunner, Result

from tests.daemon.conftest import marker
from tests.daemon.runs.conftest import namespaces
from yoddd.cli import main

__all__ = ["marker", "namespaces"]


def yoddd(*words: str | Path, given: str = "") -> Result:
    """Run a command in the tests' own process."""
    return CliRunner().invoke(main, [*map(str, words)], input=given, prog_name="yoddd")
