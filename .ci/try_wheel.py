"""Uses an installed wheel as a user would: ``python .ci/try_wheel.py``."""

from __future__ import annotations

import subprocess
import sys
import tempfile

YODDD = [sys.executable, "-m", "yoddd"]


def run(*words: str, stdin: str = "") -> str:
    """The standard output of a command that has to succeed."""
    done = subprocess.run(
        [*YODDD, *words], input=stdin, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """Check the kernel, the rules, the engine and a match."""
    version = run("--version")
    print(version, end="")
    expect("kernel native", version)
    expect("470", run("perft", "--board", "hex2", "--depth", "2"))
    script = "1 name\n2 game yodd hex3\n3 set_param playouts 10\n4 genmove b\n5 quit\n"
    replies = run("gtp", stdin=script)
    expect("=1 yoddd", replies)
    expect("=4 ", replies)
    with tempfile.TemporaryDirectory() as folder:
        for language in ("c", "go", "js", "lua", "python", "rust"):
            expect("check", run("new-bot", language, f"{folder}/{language}"))
        expect("conforms", run("check", sys.executable, f"{folder}/python/bot.py"))
    # The program that keeps it comes with the kernel.
    limit = ["--each", "memory=500"] if sys.platform == "linux" else []
    expect("mcts", run("match", "builtin:random", "builtin:mcts", "--board", "hex2", *limit))


def expect(text: str, found: str) -> None:
    """Exit unless the output has a text."""
    if text not in found:
        sys.exit(f"expected {text!r} in:\n{found}")


if __name__ == "__main__":
    main()
