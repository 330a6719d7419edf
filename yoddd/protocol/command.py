"""Commands: their names, their help, the number of their arguments, and their handlers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NoReturn, TypeVar

import attrs

from yoddd.protocol.client_state import ClientState
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.replies import CommandReply

Args = tuple[str, ...]
"""The words after the command, as sent."""

ABOUT: Final = "admin"
"""The group of the commands about the program and the connection."""

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

_Handler = TypeVar("_Handler", bound=Callable[[ClientState, Args], CommandReply])


def _arity_of(usage: str) -> tuple[int, int]:
    """Count the words of a usage, of which those in brackets may be left out."""
    fewest = most = depth = 0
    for word in usage.split():
        depth += word.count("[")
        fewest += not depth
        most += 1
        depth -= word.count("]")
    return fewest, ANY if "..." in usage else most


@attrs.frozen
class Command:
    """One entry of the command table.

    Attributes:
        name: in lower case, as the client sends it.
        group: the heading that it stands under.
        usage: the arguments, as ``help`` prints them after the name.
        help: what it does, in one line.
        handler: gets the client's state and the arguments; raises ProtocolError to refuse.
        cost: its share of a batch; 1 is some ten microseconds.
        arity: the least and the greatest number of arguments, by default as the usage says.
        canonical: whether the name is the canonical one.
    """

    name: str
    group: str
    usage: str
    help: str
    handler: Callable[[ClientState, Args], CommandReply]
    cost: int = 1
    arity: tuple[int, int] = attrs.Factory(lambda self: _arity_of(self.usage), takes_self=True)
    canonical: bool = True

    @property
    def synopsis(self) -> str:
        """The name with its arguments."""
        return f"{self.name} {self.usage}".rstrip()

    def entries(self) -> Iterator[Command]:
        """Yield the command under each of its names, the canonical one first.

        GTP 2 asks programs to put a prefix before the names of commands of their own.
        """
        is_ours = self.name not in COMMON and "-" not in self.name
        if is_ours:
            yield attrs.evolve(self, name=OURS + self.name)
        yield attrs.evolve(self, canonical=not is_ours)

    def run(self, client: ClientState, args: Args) -> CommandReply:
        """Check the number of arguments and call the handler."""
        fewest, most = self.arity
        if not fewest <= len(args) <= most:
            raise PeerError(Code.SYNTAX, f"expected: {self.synopsis}")
        return self.handler(client, args)


class CommandGroup:
    """The commands under one heading.

    Attributes:
        commands: in the order of ``help``.
    """

    def __init__(self, name: str) -> None:
        """Start empty; ``name`` is the heading."""
        self._name = name
        self.commands: list[Command] = []

    def command(
        self,
        name: str,
        usage: str,
        help_: str,
        cost: int = 1,
        *,
        arity: tuple[int, int] | None = None,
    ) -> Callable[[_Handler], _Handler]:
        """Add the decorated handler as a command."""

        def add(handler: _Handler) -> _Handler:
            command = Command(name, self._name, usage, help_, handler, cost)
            self.commands.append(command if arity is None else attrs.evolve(command, arity=arity))
            return handler

        return add


def refuse_syntax(detail: str) -> NoReturn:
    """Refuse a request whose arguments cannot be understood."""
    raise PeerError(Code.SYNTAX, detail)


def refuse_illegal(detail: str) -> NoReturn:
    """Refuse a turn that the rules forbid."""
    raise PeerError(Code.ILLEGAL, detail)
