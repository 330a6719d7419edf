"""What a command is: its line in the table, what its handler sees, and what it may come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

import attrs

from yoddd.engine import Insight, SearchResult, StopFlag, TimeLeft, TimeSettings
from yoddd.notation import format_turn
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.coordinates import Coordinates, format_gogui_turn, token_from_gogui
from yoddd.protocol.effects import Answer, Guest, Say
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.parameters import Parameters
from yoddd.protocol.words import read_turn
from yoddd.rules import Colour, Position, PositionLike, Rules, Turn

Args = tuple[str, ...]
"""The words after the command, as sent."""

ANY: Final = 1 << 20
"""As many words as the line holds."""


@attrs.frozen
class Task:
    """A long job: ``work`` runs elsewhere, then ``finish`` makes the reply of its result.

    The session stays as it is in between, so ``finish`` finds what the handler saw. After
    ``seconds`` the work is told to stop, as it is by an interrupt.
    """

    work: Callable[[StopFlag], object]
    finish: Callable[[Any], str]
    seconds: float | None = None


@attrs.frozen
class Later:
    """Something that the daemon does when it can: it has to be kept first, or somebody must come.

    ``start`` begins it, and its result becomes the reply's text by ``finish``, or a refusal if it
    is a ProtocolError.
    """

    start: Callable[[Guest, Answer], None]
    finish: Callable[[Any], str] = str


@attrs.frozen
class Analysis:
    """A long job that reports while it runs, in a streaming reply.

    Attributes:
        work: the job; it hands its lines to its second argument.
        finish: makes the last line of the result; then any line of the client only hastens the
            result. None where there is none; then any line ends the stream at once.
        interval: seconds between two lines at least.
        seconds: after which the work is told to stop; None for never.
        resumes: whether the work, broken off and run again, goes on where it was.
    """

    work: Callable[[StopFlag, Say], object]
    finish: Callable[[Any], str] | None
    interval: float
    seconds: float | None
    resumes: bool = False


@attrs.frozen
class Stream:
    """A reply that grows line by line; the daemon does the work called ``name``."""

    name: str
    args: Args


@attrs.frozen
class Handover:
    """The connection becomes an engine's."""

    name: str
    options: Mapping[str, str]


@attrs.frozen
class Leave:
    """An empty reply, then the connection closes."""


Outcome = str | Task | Later | Analysis | Stream | Handover | Leave
"""What a handler comes to: the reply's text, or something that takes longer."""


@attrs.frozen
class Found:
    """What the last search came to.

    Attributes:
        player: for whom it was made.
        result: its result.
        insight: its last report.
    """

    player: Colour
    result: SearchResult
    insight: Insight


@attrs.define(eq=False)
class Client:
    """What one connection owns.

    Attributes:
        config: the surroundings.
        commands: the table that it is served from.
        parameters: what ``set_param`` changes.
        position: its game.
        served: how many requests it has made before this one.
        time: the time control that it has set.
        found: what the last search of ``genmove`` or its kin came to.
        left: what it has said of the time left, by player, in the game that goes on.
        logged_in: whether it may do everything; what logs it in sets this.
        user: the account that it has logged in to; None if none.
        pondering: what to do after a turn until it is of no use any more, if anything.
    """

    config: SessionConfig
    commands: Mapping[str, Command]
    parameters: Parameters
    position: PositionLike = attrs.Factory(
        lambda self: Position(self.config.rules), takes_self=True
    )
    served: int = 0
    time: TimeSettings = attrs.Factory(TimeSettings)
    found: Found | None = None
    left: dict[Colour, TimeLeft] = attrs.Factory(dict)
    logged_in: bool = False
    user: str | None = None
    pondering: Callable[[StopFlag], object] | None = None

    @property
    def rules(self) -> Rules:
        """The rules of its game."""
        return self.position.rules

    def forget(self) -> None:
        """Another game begins: what was said and found in the last one is out of date."""
        self.left.clear()
        self.found = None
        self.config.shelf.drop(self)

    @property
    def in_gogui(self) -> bool:
        """Whether cells go by GoGui's names in the commands that GoGui sends."""
        return self.parameters.coordinates == Coordinates.GOGUI

    def read_turn(self, token: str, position: PositionLike) -> Turn:
        """A turn in the client's coordinates for the player on turn."""
        if self.in_gogui:
            token = token_from_gogui(token, position.rules.geometry)
        return read_turn(token, position)

    def spell(self, turn: Turn) -> str:
        """A turn in the client's coordinates."""
        return self.speller()(turn)

    def speller(self) -> Callable[[Turn], str]:
        """Spells turns as `spell` does now, in any thread and whatever happens to the session."""
        spell, rules = format_gogui_turn if self.in_gogui else format_turn, self.rules
        return lambda turn: spell(turn, rules)


@attrs.frozen
class Command:
    """One line of the table.

    Attributes:
        name: in lower case.
        group: the heading that it stands under.
        usage: the arguments, as ``help`` prints them after the name.
        help: what it does, in one line.
        handler: gets the client and the arguments; raises ProtocolError to refuse.
        arity: the fewest and the most arguments.
        cost: how much of a batch it uses up; 1 is some ten microseconds.
    """

    name: str
    group: str
    usage: str
    help: str
    handler: Callable[[Client, Args], Outcome]
    arity: tuple[int, int] = (0, 0)
    cost: int = 1

    @property
    def synopsis(self) -> str:
        """The name with its arguments."""
        return f"{self.name} {self.usage}".rstrip()

    def run(self, client: Client, args: Args) -> Outcome:
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
