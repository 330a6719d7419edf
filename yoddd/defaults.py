"""Defaults that the command line shows, so that it need not import what uses them."""

from __future__ import annotations

from typing import Final

ENGINES_FILE: Final = "engines.toml"
"""The engines file, unless another one is named."""

LAUNCH: Final = 60.0
"""Seconds for an engine to start and to complete its handshake."""

MARGIN: Final = 0.1
"""Seconds by which a turn may be late if the clock says nothing else.

It is for delays that are no engine's and that the referee cannot measure. fastchess waits as long
before it ends a game, and OpenBench has it allow 0.25 s.
"""

WALK_DEPTH: Final = 2
WALK_SECONDS: Final = 40.0
"""Turns that ``check --perft`` lets an engine count at most, and the seconds of its walk."""

BUILTIN: Final = "builtin:"
"""The prefix of the name of a builtin engine, where engines are described."""
