"""A node of a fleet: its membership, and its services for clients and for the other nodes."""

from __future__ import annotations

import attrs

from yoddd.daemon.connections.attached_engine import AttachedEngine, EngineTransport
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.services import Services
from yoddd.daemon.fleet.directory import NodeDirectory
from yoddd.daemon.fleet.lobby import FleetLobby
from yoddd.daemon.fleet.membership import Membership
from yoddd.daemon.fleet.node_links import NodeAccounts, node_services
from yoddd.daemon.fleet.relay import RelayedEngine
from yoddd.daemon.lobby.ledger import Ledger
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.play.game_services import GameServices


class FleetNode:
    """The membership of this node in its fleet, from joining to leaving.

    Attributes:
        clients: the services for clients, which relay to another node what that node has.
        nodes: the services for the other nodes, which relay nothing.
    """

    def __init__(
        self,
        local: Services,
        games: GameServices,
        lobby: DaemonLobby,
        ledger: Ledger,
        directory: NodeDirectory,
        lease: float,
    ) -> None:
        """Create it; `join` starts it.

        Args:
            local: the services of the daemon as one that is alone.
            games: its engines and games.
            lobby: its lobby.
            ledger: its rated games.
            directory: the mirror of the directories of the other nodes, empty so far.
            lease: seconds after which a lease that is not renewed expires.
        """
        own_matches = local.session.services.list_matches
        self._lobby = lobby
        self._ledger = ledger
        self._membership = membership = Membership(
            games, ledger, lobby, directory, lease=lease, matches=own_matches
        )
        fleet_lobby = FleetLobby(games, lobby, membership)

        def matches() -> list[str]:
            others = directory.others.values()
            return [*own_matches(), *(line for one in others for line in one.matches)]

        def relay(attachment: Attachment, transport: EngineTransport) -> AttachedEngine | None:
            node = directory.engine_node
            if node is None:
                return None
            return RelayedEngine(attachment, transport, membership.links, node)

        self.nodes = node_services(local, NodeAccounts(membership.secret, ledger.users))
        offered = attrs.evolve(local.session.services, lobby=fleet_lobby, list_matches=matches)
        self.clients = attrs.evolve(
            local,
            session=attrs.evolve(local.session, services=offered),
            streams={
                "observe": fleet_lobby.observe,
                "match": fleet_lobby.match_opener(local.streams["match"]),
            },
            relay=relay,
        )

    async def publish(self) -> None:
        """Publish the directory of this node, if it has changed."""
        await self._membership.publish()

    async def join(self, address: str) -> None:
        """Join; the oldest node takes over the games that no node has.

        Args:
            address: the client endpoint string by which the other nodes reach this one.

        Raises:
            StoreError: the store fails.
        """
        await self._membership.join(address)
        self._lobby.join(self._membership.number)
        await self._ledger.rate()

    async def leave(self) -> None:
        """Leave; another node takes over the rated games."""
        self._lobby.lose()
        await self._membership.leave()
