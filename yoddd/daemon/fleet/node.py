"""This daemon as a node of a fleet: its services for clients and for the other nodes."""

from __future__ import annotations

import attrs

from yoddd.daemon.connections.attached_engine import AttachedEngine, EngineTransport
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
        clients: the services for clients: what another node has is relayed to that node.
        nodes: the services for the other nodes, which are answered here.
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
        """Create it; `join` begins.

        Args:
            local: the services of the daemon as if it were alone.
            games: its engines and games.
            lobby: its lobby.
            ledger: its rated games.
            directory: the mirror of what the other nodes offer, empty so far.
            lease: seconds after which a node that was not heard of is dead.
        """
        own_matches = local.session.services.list_matches
        self._lobby = lobby
        self._ledger = ledger
        self._membership = membership = Membership(
            games, ledger, lobby, directory, lease=lease, matches=own_matches
        )
        fleet_lobby = FleetLobby(games, lobby, membership)

        def matches() -> list[str]:
            return [*own_matches(), *(line for one in directory.others for line in one.matches)]

        def relay(name: str, transport: EngineTransport) -> AttachedEngine | None:
            home = directory.oldest
            if home is None:
                return None
            return RelayedEngine(name, transport, membership.links, home)

        self.nodes = node_services(local, NodeAccounts(membership.secret, ledger.users))
        offered = attrs.evolve(local.session.services, lobby=fleet_lobby, list_matches=matches)
        self.clients = attrs.evolve(
            local,
            session=attrs.evolve(local.session, services=offered),
            streams={
                "observe": fleet_lobby.observe,
                "match": fleet_lobby.match(local.streams["match"]),
            },
            relay=relay,
        )

    async def publish(self) -> None:
        """Publish what this node offers, if that has changed."""
        await self._membership.publish()

    async def join(self, address: str) -> None:
        """Join; take up the games that no node has, if this one is the oldest.

        Args:
            address: a client's endpoint string, by which the other nodes reach this one.

        Raises:
            StoreError: the store fails.
        """
        await self._membership.join(address)
        self._lobby.join(self._membership.number)
        await self._ledger.rate()

    async def leave(self) -> None:
        """Leave; the others take over the rated games."""
        self._lobby.lose()
        await self._membership.leave()
