"""Analysis lines as programs for Go read them.

The reader is Sabaki's `src/modules/analysis.js` of version 0.60, in Python: it takes what `analyze`
and `lz-analyze` say as ten-thousandths, and what `kata-analyze` says as 0 to 1.
"""

from __future__ import annotations

import re

import pytest

from tests.protocol.peer import Peer
from yoddd.engine import Budget, SearchResult, StopFlag
from yoddd.protocol.config import Dialect
from yoddd.protocol.coordinates import Coordinates
from yoddd.rules import PositionLike

_PV = re.compile(r"(pass|[A-Za-z]\d+)(\s+(pass|[A-Za-z]\d+))*$")
_VERTEX = re.compile(r"[A-HJ-Z]\d+")


class Even:
    """An engine that gives its turn 37.5 % and expects the first legal turn in reply."""

    name = "even"

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        del budget, seed, stop
        return SearchResult(next(position.legal_turns()), playouts=80, winrate=0.375, visits=80)


def read_as_sabaki(line: str, command: str) -> list[tuple[str, int, float, list[str]]]:
    """Return vertex, visits, per cent and variation of each candidate."""
    found = []
    for part in re.split(r"\s*info\s+", line)[1:]:
        match = _PV.search(part.strip())
        assert match is not None, part
        tokens = part.strip()[: match.start()].split()[:-1]
        values = dict(zip(tokens[::2], tokens[1::2], strict=True))
        assert re.fullmatch(r"[A-Za-z]\d+", values["move"])
        winrate = float(values["winrate"])
        winrate = winrate * 100 if command.startswith("kata") else winrate / 100
        found.append((values["move"], int(values["visits"]), winrate, match[0].split()))
    return found


def analysis_of(peer: Peer, command: str) -> str:
    (line,) = (line for line in peer.ask(f"{command} B 50").split("\n") if line.startswith("info"))
    return line


@pytest.mark.parametrize("command", ["analyze", "kata-analyze", "lz-analyze"])
@pytest.mark.parametrize("game", ["yoin hex5 pie=off", "odd square9"])
def test_analysis_sabaki_reads_the_winrate_and_plain_vertices(game: str, command: str) -> None:
    peer = Peer(engines={"first": Even}, coordinates=Coordinates.GOGUI, dialect=Dialect.LZ, seed=1)
    peer.setup(f"game {game}")
    ((vertex, visits, percent, variation),) = read_as_sabaki(analysis_of(peer, command), command)
    assert (vertex, visits) == ("A1", 80)
    assert percent == pytest.approx(37.5)
    assert variation[0] == vertex
    assert all(_VERTEX.fullmatch(word) for word in variation)


@pytest.mark.parametrize("prefix", ["", "kata-", "lz-"])
def test_genmove_analyze_last_line_is_a_vertex(prefix: str) -> None:
    peer = Peer(engines={"first": Even}, coordinates=Coordinates.GOGUI)
    peer.setup("game yoin hex5 pie=off")
    assert peer.ask(f"{prefix}genmove_analyze B 50").endswith("\nplay A1")


def test_analysis_of_leela_zero_has_only_its_numbers() -> None:
    peer = Peer(engines={"first": Even})
    peer.setup("game yodd hex3")
    line = analysis_of(peer, "lz-analyze")
    assert line == "info move 1a1 visits 80 winrate 3750 prior 263 order 0 pv 1a1"
