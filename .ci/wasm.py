"""Compiles the kernel to WebAssembly: ``python .ci/wasm.py OUT [--threads] [--check]``.

The compiler is Zig's, from PyPI, installed when it is needed: what it has made of the same sources
is kept (`cache`). With ``--threads`` the module has shared memory, for searches on several threads
that its host lends. With ``--check`` it is compiled again, from a copy of the sources in another
folder, and has to be the same byte for byte.
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
from typing import Final, NamedTuple

import cache

ROOT: Final = Path(__file__).parents[1]
KERNEL: Final = Path("yoddd/kernel")

PAGE: Final = 1 << 16
"""The bytes of a page of WebAssembly's memory."""

SOURCES: Final = (
    *(f"c/{name}.cpp" for name in ("yoddd", "traps")),
    *(
        f"src/{name}.cpp"
        for name in (
            "board",
            "choose_baseline",
            "features",
            "filling",
            "filling_baseline",
            "geometry",
            "layers",
            "layers_baseline",
            "layers_groups",
            "layers_sets",
            "legality",
            "planes",
            "playout",
            "playout_baseline",
            "playout_finish",
            "policy",
            "search",
            "search_replica",
            "search_tree",
            "search_worker",
            "solver",
            "successors",
        )
    ),
)
"""What the C interface needs; no bindings, no games in batches, no tables."""

FLAGS: Final = (
    *("-target", "wasm32-wasi", "-mexec-model=reactor"),
    *("-std=c++20", "-O3", "-g0", "-fno-rtti"),
    "-ffp-contract=off",  # the same numbers as everywhere
    *("-Wall", "-Wextra", "-Werror"),
    "-Wl,--strip-all",
)


class Variant(NamedTuple):
    """One of the modules that the kernel is compiled to.

    Attributes:
        headers: what the module exports.
        sources: what it is made of.
        flags: those of its own.
    """

    headers: tuple[str, ...]
    sources: tuple[str, ...]
    flags: tuple[str, ...]


SINGLE: Final = Variant(("c/yoddd.h",), SOURCES, ("-msimd128",))
THREADED: Final = Variant(
    ("c/yoddd.h", "c/helpers.h"),
    (*SOURCES, "c/helpers.cpp", "src/helpers.cpp"),
    (
        "-mcpu=generic+simd128+atomics+bulk_memory",
        *("-pthread", "-DYODDD_THREADS=2"),
        # What yoddd/web/js/kernel/module.js makes the memory with.
        *("-Wl,--import-memory", "-Wl,--shared-memory"),
        f"-Wl,--initial-memory={320 * PAGE}",
        f"-Wl,--max-memory={16384 * PAGE}",
        *(f"-Wl,--export={name}" for name in ("__stack_pointer", "__tls_size", "__wasm_init_tls")),
    ),
)


def exports(header: str) -> list[str]:
    """The functions that a header declares."""
    return sorted(set(re.findall(r"\b(yoddd_\w+)\(", header)))


def build(variant: Variant, tree: Path, out: Path) -> None:
    """Compile the sources in ``tree``."""
    subprocess.run(["make", "--silent", ".venv/wasm"], cwd=ROOT, check=True)  # noqa: S607
    command = [sys.executable, "-m", "ziglang", "c++", *FLAGS, *variant.flags]
    for header in variant.headers:
        names = exports((tree / KERNEL / header).read_text(encoding="utf-8"))
        command += [f"-Wl,--export={name}" for name in names]
    command += [str(KERNEL / source) for source in variant.sources]
    with tempfile.TemporaryDirectory() as local:
        environment = {
            **os.environ,
            "ZIG_GLOBAL_CACHE_DIR": str(ROOT / "build/zig"),
            "ZIG_LOCAL_CACHE_DIR": local,
        }
        subprocess.run([*command, "-o", str(out)], cwd=tree, env=environment, check=True)


def check(variant: Variant, out: Path) -> None:
    """Exit with an error unless a second build is the same."""
    with tempfile.TemporaryDirectory() as folder:
        tree, again = Path(folder) / "tree", Path(folder) / "again.wasm"
        for part in ("c", "src"):
            shutil.copytree(ROOT / KERNEL / part, tree / KERNEL / part)
        build(variant, tree, again)
        if again.read_bytes() != out.read_bytes():
            sys.exit(f"{out} is not the same when it is built again")


def name_of(variant: Variant, tree: Path = ROOT) -> str:
    """Return the name under which a module is kept, by all that it is made of."""
    kernel = tree / KERNEL
    files = [*kernel.glob("c/*"), *kernel.glob("src/*.cpp"), *kernel.glob("src/*.hpp")]
    with (tree / "pyproject.toml").open("rb") as file:
        compiler = tomllib.load(file)["dependency-groups"]["wasm"]
    return f"{cache.key(files, *compiler, *FLAGS, *variant.flags, *variant.sources)}.wasm"


def main() -> None:
    """Build, and check where that is asked for."""
    out, *more = sys.argv[1:]
    made = Path(out).absolute()
    variant = THREADED if "--threads" in more else SINGLE
    cache.keep(made, name_of(variant), lambda: build(variant, ROOT, made))
    made.chmod(0o644)
    if "--check" in more:
        check(variant, made)
    print(f"{out}: {made.stat().st_size} bytes")


if __name__ == "__main__":
    main()
