"""The lobby of a fleet: relays requests about the games of other nodes to those nodes.

A game stays at the node where it was offered; one against an engine is at the node that pairs
engines. Clients may send their requests to any node: behind one address a redirection would lead
nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Mapping, Sequence
from typing import Final

from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.deferred_reply import deferred_reply
from yoddd.daemon.base.ports import End, Say, Stream, StreamOpener
from yoddd.daemon.fleet.membership import Membership
from yoddd.daemon.fleet.node_links import RelayedStream
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.live_games import is_listed
from yoddd.protocol.effects import ConnectionHandle
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.lobby import LobbyReply
from yoddd.protocol.origin import TRUSTED, Origin, fold
from yoddd.protocol.replies import DeferredReply

_GAME_ID: Final = re.compile(r"[rt][0-9]+|m.+")
"""The id of a game of any node: rated, not rated, or of a match."""

_NODE: Final = re.compile(r"[0-9]{1,10}")
"""The number of a node, with which its keys begin."""

_log = Logger()


class FleetLobby:
    """The `Lobby` for clients of a node of a fleet."""

    def __init__(self, games: GameServices, local: DaemonLobby, membership: Membership) -> None:
        """Create it; ``local`` has the games of this node."""
        self._games = games
        self._local = local
        self._membership = membership
        self._directory = membership.directory

    # -- Lobby ------------------------------------------------------------------------------

    def games(self, ids: Sequence[str] = ()) -> DeferredReply:
        """Return a line for each game of every node, those of this node first, or for ``ids``.

        A client that has been told of an offer by one node finds it at every other.
        """
        return deferred_reply(lambda: self._games_of_all(ids))

    async def _games_of_all(self, ids: Sequence[str]) -> str:
        await self._membership.refresh()
        games = (item for one in self._directory.others.values() for item in one.games.items())
        remote = [
            line for game_id, (line, _) in games if (game_id in ids if ids else is_listed(line))
        ]
        return "\n".join([*self._local.games(ids), *remote])

    def attached(self) -> Sequence[str]:
        """Return the names of the engines of every node, sorted."""
        others = self._directory.others.values()
        return sorted({*self._local.attached(), *(name for one in others for name in one.engines)})

    def seek(self, origin: Origin, name: str, settings: Mapping[str, str]) -> LobbyReply:
        """Offer a game at this node, or at the node of the engine that it is against."""
        opponent = settings.get("against")
        if opponent is not None and self._games.engines.find(opponent) is None:
            node = self._node_of_engine(opponent)
            if node is not None:
                self._games.start_gate.check()
                words = [f"{key}={value}" for key, value in settings.items()]
                return self._relay(node, origin, " ".join(["seek", name, *words]))
        return self._local.seek(origin, name, settings)

    def hold(self, game_id: str, key: str, connection: ConnectionHandle) -> None:
        """Count the holder of a key as present, also for a game of another node."""
        node = self._node_of_key(key)
        if node is None:
            self._local.hold(game_id, key, connection)
            return
        # Observing with the key is how the other node learns of the connection.
        stream = self._relay_stream(
            succeed(node), f"observe {game_id} {key}", lambda _line: None, lambda _error: None
        )
        connection.on_disconnect(stream.stop)

    def accept(
        self, origin: Origin, game_id: str, name: str, secret: str | None = None
    ) -> LobbyReply:
        """Accept an offer of any node."""
        if self._games.live.has(game_id):
            return self._local.accept(origin, game_id, name, secret)
        self._games.start_gate.check()
        words = ["accept", game_id, name, *([] if secret is None else [secret])]
        return self._relay_to_owner(game_id, origin, " ".join(words))

    def withdraw(self, key: str) -> LobbyReply:
        """Withdraw an offer at the node that issued the key."""
        node = self._node_of_key(key)
        if node is None:
            return self._local.withdraw(key)
        return self._relay(node, TRUSTED, f"withdraw {key}")

    def put(self, key: str, turn: str, number: int | None = None) -> LobbyReply:
        """Play a turn at the node that issued the key."""
        node = self._node_of_key(key)
        if node is None:
            return self._local.put(key, turn, number)
        end = "" if number is None else f" {number}"
        return self._relay(node, TRUSTED, f"put {key} {turn}{end}")

    def claim(self, key: str) -> LobbyReply:
        """Claim a game at the node that issued the key."""
        node = self._node_of_key(key)
        if node is None:
            return self._local.claim(key)
        return self._relay(node, TRUSTED, f"claim {key}")

    def take_back(self, key: str, *, agrees: bool) -> LobbyReply:
        """Ask to take back a turn, or answer, at the node that issued the key."""
        node = self._node_of_key(key)
        if node is None:
            return self._local.take_back(key, agrees=agrees)
        return self._relay(node, TRUSTED, f"takeback {key} {_word(agrees)}")

    def rematch(self, origin: Origin, key: str, *, agrees: bool) -> LobbyReply:
        """Offer, accept or decline a rematch at the node that issued the key."""
        node = self._node_of_key(key)
        if node is None:
            return self._local.rematch(origin, key, agrees=agrees)
        return self._relay(node, origin, f"rematch {key} {_word(agrees)}")

    def resume(
        self, user: str | None, game_id: str | None = None, key: str | None = None
    ) -> LobbyReply:
        """Return a key for a game of any node; without an id, the ids of the user's games."""
        if game_id is None:
            own = self._local.resume(user)  # which refuses a client that is not logged in
            return " ".join([*str(own).split(), *self._remote_games(user or "")])
        if self._games.live.has(game_id) or (user is None and key is None):
            return self._local.resume(user, game_id, key)
        words = ["resume", game_id, *([] if key is None else [key])]
        return self._relay_to_owner(game_id, Origin(user), " ".join(words))

    def check_watchable(self, game_id: str) -> None:
        """Refuse what cannot be the id of a game.

        Whether another node has the game may take a look into the store, so that is `observe`'s.
        """
        if not _GAME_ID.fullmatch(game_id):
            self._local.check_watchable(game_id)

    # -- streams ----------------------------------------------------------------------------

    def observe(
        self, args: tuple[str, ...], say: Say, end: End, origin: Origin = TRUSTED
    ) -> Stream:
        """Start the streaming job of ``observe``."""
        if self._games.live.has(args[0]):
            return self._local.observe(args, say, end, origin)
        node = self._find_owner(args[0])
        return self._relay_stream(node, " ".join(["observe", *args]), say, end)

    def match_opener(self, local: StreamOpener) -> StreamOpener:
        """Return the opener of ``match``, which is played at the node that pairs engines.

        Args:
            local: the opener for matches at this node.
        """

        def open_match(args: tuple[str, ...], say: Say, end: End, origin: Origin) -> Stream:
            node = self._directory.engine_node
            if node is None:
                return local(args, say, end, origin)
            request = " ".join(["match", *args])
            return self._relay_stream(succeed(node.number), request, say, end, origin)

        return open_match

    # -- finding nodes ----------------------------------------------------------------------

    def _node_of_engine(self, name: str) -> int | None:
        for number, one in self._directory.others.items():
            if fold(name) in map(fold, one.engines):
                return number
        return None

    def _node_of_key(self, key: str) -> int | None:
        """Return the other node that issued a key; None for this one, and for what is no key."""
        number, dot, _ = key.partition(".")
        if not dot or not _NODE.fullmatch(number) or int(number) == self._membership.number:
            return None
        return int(number)

    def _remote_games(self, user: str) -> list[str]:
        """Return the ids of the games of other nodes that ``user`` plays."""
        games = (item for one in self._directory.others.values() for item in one.games.items())
        return [game_id for game_id, (_, users) in games if fold(user) in users]

    async def _find_owner(self, game_id: str) -> int:
        node = await self._membership.find_owner(game_id)
        if node is None:
            raise PeerError(Code.SYNTAX, f"no game {game_id!r}")
        return node

    # -- relaying ---------------------------------------------------------------------------

    def _relay(self, node: int, origin: Origin, request: str) -> DeferredReply:
        return deferred_reply(lambda: self._membership.links.ask(node, origin, request))

    def _relay_to_owner(self, game_id: str, origin: Origin, request: str) -> DeferredReply:
        async def ask() -> str:
            node = await self._find_owner(game_id)
            return await self._membership.links.ask(node, origin, request)

        return deferred_reply(ask)

    def _relay_stream(
        self,
        node: Awaitable[int],
        request: str,
        say: Say,
        end: End,
        origin: Origin = TRUSTED,
    ) -> RelayedStream:
        relayed = RelayedStream(end)

        async def run() -> None:
            await self._membership.links.stream(await node, origin, request, say, relayed)

        Deferred.fromCoroutine(run()).addCallbacks(
            lambda _: relayed.finish(None), lambda failure: relayed.finish(_error_text(failure))
        )
        return relayed


def _word(agrees: bool) -> str:  # noqa: FBT001 — what it spells
    return "yes" if agrees else "no"


def _error_text(failure: Failure) -> str:
    if isinstance(failure.value, PeerError):
        return failure.value.text
    _log.failure("a relayed stream failed", failure)
    return str(Code.INTERNAL)
