"""The lobby of a fleet: what another daemon has is asked of that daemon.

A game lives where it was offered, one against an engine where engines dial in. Every process passes
requests for the games of another on to it and its replies back, so that no client need know where
it is: behind one address, a redirection would lead nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.deferred_reply import deferred_reply
from yoddd.daemon.base.ports import End, Say, Stream, StreamOpener
from yoddd.daemon.fleet.membership import Membership
from yoddd.daemon.fleet.node_links import RelayedStream
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.play.game_services import GameServices
from yoddd.protocol.command import Later
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.lobby import Reply

_ID: Final = re.compile(r"r\d+|t\d+-\d+|m.+")
"""What the id of a game of any process looks like."""

Find = Callable[[], Coroutine[Deferred[Any], Any, int]]
"""Finds the process that is to be asked."""

_log = Logger()


class FleetLobby:
    """The `Lobby` of a daemon that is not alone."""

    def __init__(self, games: GameServices, local: DaemonLobby, membership: Membership) -> None:
        """Create it; ``local`` has the games of this node."""
        self._games = games
        self._local = local
        self._membership = membership
        self._directory = membership.directory

    # -- Lobby ------------------------------------------------------------------------------

    def games(self) -> Sequence[str]:
        """A line for each game of every process, our own first."""
        others = [line for one in self._directory.others for line, _ in one.games.values()]
        return [*self._local.games(), *others]

    def attached(self) -> Sequence[str]:
        """The names of the engines."""
        others = (name for one in self._directory.others for name in one.engines)
        return sorted({*self._local.attached(), *others})

    def seek(self, user: str | None, name: str, settings: Mapping[str, str]) -> Reply:
        """Offer a game here; one against an engine where that is."""
        rival = settings.get("against")
        if rival not in self._local.attached():
            home = self._home_of_engine(rival)
            if home is not None:
                self._games.start_gate.check()
                words = [f"{key}={value}" for key, value in settings.items()]
                return self._relay(home, user, " ".join(["seek", name, *words]))
        return self._local.seek(user, name, settings)

    def accept(self, user: str | None, game_id: str, name: str) -> Reply:
        """Take an offer."""
        if self._games.live.has(game_id):
            return self._local.accept(user, game_id, name)
        self._games.start_gate.check()
        return self._relay_to_game(game_id, user, f"accept {game_id} {name}")

    def withdraw(self, key: str) -> Reply:
        """Take an offer back."""
        home = self._home_of_key(key)
        if home is None:
            return self._local.withdraw(key)
        return self._relay(home, None, f"withdraw {key}")

    def put(self, key: str, turn: str) -> Reply:
        """Play a turn."""
        home = self._home_of_key(key)
        if home is None:
            return self._local.put(key, turn)
        return self._relay(home, None, f"put {key} {turn}")

    def resume(self, user: str | None, game_id: str | None) -> Reply:
        """A new key for a game of any process; without an id, the ids."""
        own = self._local.resume(user, None)
        if game_id is None:
            others = [
                other
                for one in self._directory.others
                for other, (_, people) in one.games.items()
                if user is not None and user.casefold() in people
            ]
            return " ".join([*own.split(), *others])
        if self._games.live.has(game_id):
            return self._local.resume(user, game_id)
        return self._relay_to_game(game_id, user, f"resume {game_id}")

    def check_watchable(self, game_id: str) -> None:
        """Refuse what is no id of a game; whether there is one may take a look into the store."""
        if not _ID.fullmatch(game_id):
            self._local.check_watchable(game_id)

    # -- streams and engines ------------------------------------------------------------------

    def observe(self, args: tuple[str, ...], say: Say, end: End) -> Stream:
        """The streaming job of ``observe``."""
        if self._games.live.has(args[0]):
            return self._local.observe(args, say, end)

        async def find() -> int:
            home = await self._membership.find(args[0])
            if home is None:
                raise _no_game(args[0])
            return home

        return self._relay_stream(find, " ".join(["observe", *args]), say, end)

    def match(self, local: StreamOpener) -> StreamOpener:
        """The streaming job of ``match``, which is played where engines dial in."""

        async def find() -> int:
            home = self._directory.oldest
            return self._membership.number if home is None else home.number

        def open_match(args: tuple[str, ...], say: Say, end: End) -> Stream:
            if self._directory.oldest is None:
                return local(args, say, end)
            return self._relay_stream(find, " ".join(["match", *args]), say, end)

        return open_match

    # -- passing on -------------------------------------------------------------------------

    def _home_of_engine(self, name: str | None) -> int | None:
        return next((home for home, one in self._directory.known if name in one.engines), None)

    def _home_of_key(self, key: str) -> int | None:
        """The process that gave a key; None for ourselves, and for what is no key."""
        number, dot, _ = key.partition(".")
        if not dot or not number.isdecimal() or int(number) == self._membership.number:
            return None
        return int(number)

    def _relay(self, home: int, user: str | None, request: str) -> Later:
        return deferred_reply(lambda: self._membership.links.ask(home, user, request))

    def _relay_to_game(self, game_id: str, user: str | None, request: str) -> Later:
        async def ask() -> str:
            home = await self._membership.find(game_id)
            if home is None:
                raise _no_game(game_id)
            return await self._membership.links.ask(home, user, request)

        return deferred_reply(ask)

    def _relay_stream(
        self,
        find: Find,
        request: str,
        say: Say,
        end: End,
    ) -> RelayedStream:
        relayed = RelayedStream(end)

        async def run() -> None:
            await self._membership.links.stream(await find(), None, request, say, relayed)

        Deferred.fromCoroutine(run()).addCallbacks(
            lambda _: relayed.finish(None), lambda failure: relayed.finish(_told(failure))
        )
        return relayed


def _no_game(game_id: str) -> PeerError:
    return PeerError(Code.SYNTAX, f"no game {game_id!r}")


def _told(failure: Failure) -> str:
    if isinstance(failure.value, PeerError):
        return failure.value.text
    _log.failure("a stream broke off", failure)
    return str(Code.INTERNAL)
