"""Let Abstract Play's code judge games: ``python -m tests.notation.abstractplay.make CHECKOUT``.

CHECKOUT is one of github.com/AbstractPlay/gameslib with ``src/games/yodd.ts`` and the packages that
its ``package.json`` names; the package itself is on no public registry. Node.js and npx run it.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from tests.notation.abstractplay.games import JUDGED, play, rules_of
from yoddd.kernel import best_position

POSITIONS: Final = 100_000
ESBUILD: Final = "esbuild@0.25.0"


def asked(number: int) -> dict[str, Any]:
    """A random game as the judge reads it."""
    rules, variants = rules_of(number)
    steps = list(play(best_position()(rules), number))
    name = "product" if rules.game.name == "product" else "yodd"
    moves, tried = [move for _, move in steps], [words for words, _ in steps]
    return {"name": name, "variants": variants, "moves": moves, "tried": tried}


def main(checkout: Path) -> None:
    """Write the file."""
    judge = Path(__file__).with_name("judge.ts")
    shutil.copy(judge, checkout)
    words = ["--yes", "--package", ESBUILD, "--", "esbuild", "judge.ts", "--bundle"]
    npx = shutil.which("npx") or "npx"
    subprocess.run([npx, *words, "--platform=node", "--outfile=judge.js"], cwd=checkout, check=True)
    games: list[dict[str, Any]] = []
    while sum(len(game["moves"]) for game in games) < POSITIONS:
        games.append(asked(len(games)))
    node = shutil.which("node") or "node"
    lines = "".join(json.dumps(game) + "\n" for game in games)
    done = subprocess.run(
        [node, checkout / "judge.js"], input=lines, capture_output=True, text=True, check=True
    )
    with gzip.GzipFile(JUDGED, "wb", mtime=0) as out:
        for number, (game, line) in enumerate(zip(games, done.stdout.splitlines(), strict=True)):
            out.write(json.dumps(_kept(number, game, json.loads(line))).encode() + b"\n")


def _kept(number: int, game: dict[str, Any], verdict: dict[str, Any]) -> dict[str, Any]:
    count = len(game["moves"])
    if verdict["refused"] >= 0 or verdict["over"] != "0" * (count - 1) + "1":
        sys.exit(f"game {number}: {verdict}")
    (winner,) = verdict["winner"]
    taken = [f"{int(bits, 2):02x}" for bits in verdict["taken"]]
    kept = {"number": number, "moves": game["moves"], "taken": taken}
    return kept | {"winner": winner, "counts": verdict["counts"]}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
