"""People as contestants: the referee's table sees an engine that takes its turns from `put`."""

from __future__ import annotations

from twisted.internet.defer import Deferred, succeed

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.protocol.controller import MANDATORY, ReplyReceived
from yoddd.protocol.errors import Code, PeerError


class PersonLink(EngineLink):
    """A person as the referee's table sees one."""

    def __init__(self, reactor: Reactor, name: str) -> None:
        """Nothing is asked yet."""
        super().__init__(name)
        self._reactor = reactor
        self._asked: str | None = None
        self._turn: str | None = None
        self._played: Deferred[None] | None = None

    def ask(self, command: str) -> None:
        """Answer what needs no thought, and keep the question that does."""
        word = command.split(maxsplit=1)[0]
        if word == "genmove":
            self._asked = command
            self._answer()
            return
        text = {"protocol_version": "2", "name": self.name, "list_commands": "\n".join(MANDATORY)}
        reply = ReplyReceived(command, ok=True, text=text.get(word, ""))
        self._reactor.callLater(0, self._tell, reply)

    def put(self, token: str) -> Deferred[None]:
        """The person's turn, which waits until it is asked for; fires once it is played.

        Raises:
            PeerError: there is one on its way already.
        """
        if self._played is not None:
            raise PeerError(Code.ILLEGAL, "your turn is on its way")
        self._turn, self._played = token, Deferred()
        played = self._played
        self._answer()
        return played

    def played(self) -> None:
        """The turn is on the board, and kept where it has to be."""
        played, self._played = self._played, None
        if played is not None:
            played.callback(None)

    def over(self, error: PeerError | None = None) -> None:
        """The game is over; a turn that is still on its way came too late, or ``error`` holds."""
        played, self._played = self._played, None
        if played is not None:
            played.errback(error or PeerError(Code.ILLEGAL, "the game is over"))

    def close(self) -> None:
        """The person may stay in the lobby."""
        self.listener = None

    def _answer(self) -> None:
        if self._asked is not None and self._turn is not None:
            reply = ReplyReceived(self._asked, ok=True, text=self._turn)
            self._asked = self._turn = None
            self._reactor.callLater(0, self._tell, reply)

    def _tell(self, reply: ReplyReceived) -> None:
        if self.listener is not None:
            self.listener.replied(reply)


class Person:
    """A person as a contestant.

    Attributes:
        name: theirs.
        link: what the table talks to.
        is_there: whether they have a key; after a restart they have to ask for a new one first.
    """

    def __init__(self, reactor: Reactor, name: str, *, is_there: bool = True) -> None:
        """Sit down."""
        self.name = name
        self.link = PersonLink(reactor, name)
        self.is_there = is_there
        self._coming: list[Deferred[EngineLink]] = []

    def engine(self) -> Deferred[EngineLink]:
        """The person, as soon as they are there."""
        if self.is_there:
            return succeed(self.link)
        coming: Deferred[EngineLink] = Deferred(self._coming.remove)
        self._coming.append(coming)
        return coming

    def arrive(self) -> None:
        """They are back."""
        self.is_there = True
        coming, self._coming = self._coming, []
        for one in coming:
            one.callback(self.link)

    def release(self, link: EngineLink, *, busy: bool) -> None:
        """The game is over."""
        del busy
        link.close()

    def close(self) -> None:
        """Nothing is left to do."""
