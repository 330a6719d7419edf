"""The fallbacks for other compilers than GCC and Clang give the same numbers."""

from __future__ import annotations

import os
import random
import runpy
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "yoddd" / "kernel" / "src"
COMPILER = shutil.which("g++") or shutil.which("c++")
PROGRAM = """
#include <cstdio>
#include "portable.hpp"
using namespace yoddd;
int main() {
    unsigned long long a, b;
    while (std::scanf("%llu %llu", &a, &b) == 2) {
        Lanes<u8> one, two;
        for (int i = 0; i < 16; ++i) {
            reinterpret_cast<u8*>(&one)[i] = static_cast<u8>(a >> (i * 3 % 57));
            reinterpret_cast<u8*>(&two)[i] = static_cast<u8>(b >> (i * 3 % 57));
        }
        const Lanes<u8> most = larger(one, two) - 1;
        std::printf("%llu", static_cast<unsigned long long>(upper_product(a, b)));
        for (int i = 0; i < 16; ++i) std::printf(" %d", most[i]);
        std::printf("\\n");
    }
}
"""


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
@pytest.mark.parametrize("option", ["-DYODDD_PORTABLE", "-DYODDD_COMPILERS_OWN"])
def test_portable_arithmetic_is_that_of_python(tmp_path: Path, option: str) -> None:
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(PROGRAM)
    common = [str(COMPILER), "-std=c++20", "-O1", f"-I{SOURCES}", option]
    subprocess.run([*common, str(source), "-o", str(program)], check=True, timeout=200)
    rng = random.Random(5)
    pairs = [(rng.getrandbits(64), rng.getrandbits(rng.randint(1, 64))) for _ in range(200)]
    text = "".join(f"{a} {b}\n" for a, b in pairs)
    done = subprocess.run(
        [str(program)], input=text, capture_output=True, text=True, check=True, timeout=60
    )
    for (a, b), line in zip(pairs, done.stdout.splitlines(), strict=True):
        shifts = [i * 3 % 57 for i in range(16)]
        lanes = [(max(a >> n & 255, b >> n & 255) - 1) & 255 for n in shifts]
        assert line.split() == [str(a * b >> 64), *map(str, lanes)]


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
def test_portable_source_uses_no_extension_of_a_compiler() -> None:
    options = ["-std=c++20", "-fsyntax-only", "-pedantic-errors", "-DYODDD_PORTABLE"]
    source = SOURCES / "loops_baseline.cpp"
    subprocess.run([str(COMPILER), *options, str(source)], check=True, timeout=200)


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.skipif(find_spec("ziglang") is None, reason="needs Zig's compiler: make wasm")
@pytest.mark.parametrize("target", ["x86-linux-gnu", "arm-linux-gnueabihf"])
def test_kernel_compiles_for_32_bits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, target: str
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    sources = runpy.run_path(str(ROOT / ".ci" / "wasm.py"))["SOURCES"]
    compiler = [sys.executable, "-m", "ziglang", "c++", "-target", target]
    options = ["-std=c++20", "-O1", "-fno-rtti", "-Wall", "-Wextra", "-Werror"]
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(tmp_path / "zig")}
    for source in sources:
        path = str(ROOT / "yoddd" / "kernel" / source)
        command = [*compiler, *options, "-c", path, "-o", str(tmp_path / "kernel.o")]
        subprocess.run(command, env=environment, check=True, timeout=200)
