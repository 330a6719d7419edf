"""Compiles the kernel to WebAssembly: ``python .ci/wasm.py OUT [--check]``.

The compiler is Zig's, from PyPI, installed when it is needed: what it has made of the same sources
is kept (`cache`). With ``--check`` the module is compiled again, from a copy of the sources in
another folder, and has to be the same byte for byte.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Final

import cache

ROOT: Final = Path(__file__).parents[1]
KERNEL: Final = Path("yoddd/kernel")
HEADER: Final = KERNEL / "c/yoddd.h"

SOURCES: Final = (
    *(f"c/{name}.cpp" for name in ("yoddd", "traps")),
    *(
        f"src/{name}.cpp"
        for name in (
            "board",
            "endgame",
            "exact",
            "features",
            "filling",
            "geometry",
            "layers",
            "layers_groups",
            "layers_sets",
            "legality",
            "levels",
            "loops",
            "loops_baseline",
            "planes",
            "player",
            "playout",
            "playout_finish",
            "review",
            "rules",
            "search",
            "search_replica",
            "search_tree",
            "search_worker",
            "solver",
            "square5",
            "successors",
            "sweep",
        )
    ),
)
"""What the C interface needs; no bindings, no games in batches."""

FLAGS: Final = (
    *("-target", "wasm32-wasi", "-mexec-model=reactor", "-msimd128"),
    *("-std=c++20", "-O3", "-g0", "-fno-rtti"),
    "-ffp-contract=off",  # the same numbers as everywhere
    *("-Wall", "-Wextra", "-Werror"),
    "-Wl,--strip-all",
)


def exports(header: str) -> list[str]:
    """The functions that a header declares."""
    return sorted(set(re.findall(r"\b(yoddd_\w+)\(", header)))


def build(tree: Path, out: Path) -> None:
    """Compile the sources in ``tree``."""
    subprocess.run(["make", "--silent", ".venv/wasm"], cwd=ROOT, check=True)  # noqa: S607
    names = exports((tree / HEADER).read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "ziglang", "c++", *FLAGS]
    command += [f"-Wl,--export={name}" for name in names]
    command += [str(KERNEL / source) for source in SOURCES]
    with tempfile.TemporaryDirectory() as local:
        environment = {
            **os.environ,
            "ZIG_GLOBAL_CACHE_DIR": str(ROOT / "build/zig"),
            "ZIG_LOCAL_CACHE_DIR": local,
        }
        subprocess.run([*command, "-o", str(out)], cwd=tree, env=environment, check=True)


def check(out: Path) -> None:
    """Exit with an error unless a second build is the same."""
    with tempfile.TemporaryDirectory() as folder:
        tree, again = Path(folder) / "tree", Path(folder) / "again.wasm"
        for part in ("c", "src"):
            shutil.copytree(ROOT / KERNEL / part, tree / KERNEL / part)
        build(tree, again)
        if again.read_bytes() != out.read_bytes():
            sys.exit(f"{out} is not the same when it is built again")


def name_of(tree: Path = ROOT) -> str:
    """Return the name under which the module is kept, by all that it is made of."""
    kernel = tree / KERNEL
    files = [*kernel.glob("c/*"), *kernel.glob("src/*.cpp"), *kernel.glob("src/*.hpp")]
    with (tree / "pyproject.toml").open("rb") as file:
        compiler = tomllib.load(file)["dependency-groups"]["wasm"]
    return f"{cache.key(files, *compiler, *FLAGS, *SOURCES)}.wasm"


def main() -> None:
    """Build, and check where that is asked for."""
    out, *more = sys.argv[1:]
    made = Path(out).absolute()
    cache.keep(made, name_of(), lambda: build(ROOT, made))
    made.chmod(0o644)
    if "--check" in more:
        check(made)
    print(f"{out}: {made.stat().st_size} bytes")


if __name__ == "__main__":
    main()
