"""An engine that plays a game from its command line without thinking; run as a program."""

from __future__ import annotations

import sys

_COMMANDS = (
    "name version protocol_version list_commands boardsize clear_board game position play genmove"
    " quit"
)


def main(turns: list[str]) -> None:
    """Answer requests on standard input until ``quit``."""
    played = 0
    for line in sys.stdin:
        number, command, *words = line.split()
        text = ""
        if command == "genmove":
            text = turns[played]
            played += 1
        elif command == "play":
            played += 1
        elif command in ("clear_board", "position"):
            played = max(0, len(words) - 2)
        elif command == "list_commands":
            text = _COMMANDS.replace(" ", "\n")
        elif command == "protocol_version":
            text = "2"
        sys.stdout.write(f"={number} {text}\n\n")
        sys.stdout.flush()
        if command == "quit":
            return


if __name__ == "__main__":
    main(sys.argv[1:])
