"""One command: its name, its help, the number of its arguments, and its handler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NoReturn

import attrs

from yoddd.protocol.client_state import ClientState
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import CommandReply

Args = tuple[str, ...]
"""The words after the command, as sent."""

OURS: Final = "yoddd-"
"""How the canonical names of our own commands begin."""

COMMON: Final = frozenset(
    (
        # of GTP 2
        "boardsize",
        "clear_board",
        "final_score",
        "genmove",
        "known_command",
        "komi",
        "list_commands",
        "loadsgf",
        "name",
        "play",
        "protocol_version",
        "quit",
        "reg_genmove",
        "showboard",
        "time_left",
        "time_settings",
        "undo",
        "version",
        # of GNU Go, GoGui, KataGo and Sabaki
        "analyze",
        "cputime",
        "genmove_analyze",
        "help",
        "printsgf",
        "stop",
    )
)
"""The commands without a prefix that other programs have under the same name."""

ANY: Final = 1 << 20
"""The upper arity of a command that takes any number of words."""


@attrs.frozen
class Command:
    """One entry of the command table.

    Attributes:
        name: in lower case, as the client sends it.
        group: the heading that it stands under.
        usage: the arguments, as ``help`` prints them after the name.
        help: what it does, in one line.
        handler: gets the client's state and the arguments; raises ProtocolError to refuse.
        arity: the least and the greatest number of arguments.
        cost: its share of a batch; 1 is some ten microseconds.
        aliases: other names that mean the same.
        canonical: the name that it is an alias of; None if it is none.
    """

    name: str
    group: str
    usage: str
    help: str
    handler: Callable[[ClientState, Args], CommandReply]
    arity: tuple[int, int] = (0, 0)
    cost: int = 1
    aliases: tuple[str, ...] = ()
    canonical: str | None = None

    @property
    def synopsis(self) -> str:
        """The name with its arguments."""
        return f"{self.name} {self.usage}".rstrip()

    @property
    def names(self) -> tuple[str, ...]:
        """All its names, the canonical one first.

        GTP 2 asks programs to put a prefix before the names of commands of their own.
        """
        is_ours = self.name not in COMMON and "-" not in self.name
        return (*((OURS + self.name,) if is_ours else ()), self.name, *self.aliases)

    def entries(self) -> Iterator[tuple[str, Command]]:
        """Yield the entries of the command in the command table, one for each name."""
        canonical, *others = self.names
        yield canonical, attrs.evolve(self, name=canonical, aliases=tuple(others))
        for name in others:
            yield name, attrs.evolve(self, name=name, aliases=(), canonical=canonical)

    def run(self, client: ClientState, args: Args) -> CommandReply:
        """Check the number of arguments and call the handler."""
        fewest, most = self.arity
        if not fewest <= len(args) <= most:
            raise PeerError(Code.SYNTAX, f"expected: {self.synopsis}")
        return self.handler(client, args)


def refuse_syntax(detail: str) -> NoReturn:
    """Refuse a request whose arguments cannot be understood."""
    raise PeerError(Code.SYNTAX, detail)


def refuse_illegal(detail: str) -> NoReturn:
    """Refuse a turn that the rules forbid."""
    raise PeerError(Code.ILLEGAL, detail)
