"""``python -m yoddd`` is ``yoddd``."""

from yoddd.cli import main

main(prog_name="yoddd")
