"""The game of the vectors, between a client and an attached engine, before a spectator."""

import re
from collections.abc import Callable
from itertools import groupby

from tests.daemon.memory import MemoryDaemon, Talk
from tests.protocol.vectors import GAME


def test_game_of_the_vectors_is_played_line_by_line(
    daemons: Callable[..., MemoryDaemon],
) -> None:
    talk = Talk(daemons({}))
    lines = re.findall(r"^(\w)([<>]) ?(.*)$", GAME.read_text("ascii"), re.MULTILINE)
    for (name, way), group in groupby(lines, key=lambda line: line[:2]):
        text = "\n".join(line[2] for line in group)
        if way == ">":
            talk.send(name, text)
        else:
            # The file leaves out the space of a reply without a text.
            talk.receive(name, re.sub(r"^=(?=\n.)", "= ", text))
