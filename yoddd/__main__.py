"""``python -m yoddd`` is ``yoddd``."""

import os
import sys

import yoddd

# Python has put the working folder first, where a bot's ``random.py`` may lie.
if not sys.flags.safe_path and f"{sys.path[0]}{os.sep}yoddd" not in yoddd.__path__:
    del sys.path[0]

from yoddd.cli import main

main(prog_name="yoddd")
