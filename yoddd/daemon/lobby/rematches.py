"""Rematches: agreements of the two humans of a game that is over to play again."""

from __future__ import annotations

from yoddd.daemon.lobby.games_over import GameOver
from yoddd.daemon.lobby.keys import KeyTable
from yoddd.daemon.lobby.offered_games import OfferedGames
from yoddd.daemon.lobby.offers import Offer
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.protocol.origin import Origin
from yoddd.referee.seat import Seat


class Rematches:
    """Offers a rematch, accepts or declines it."""

    def __init__(self, offered: OfferedGames, keys: KeyTable) -> None:
        """Create it; ``offered`` makes the offers, whose keys are in ``keys``."""
        self._offered = offered
        self._keys = keys

    def decline(self, over: GameOver, seat: Seat) -> None:
        """Withdraw the offer of either side.

        Raises:
            PeerError: no rematch is offered.
        """
        game = over.offered
        if game is None:
            raise PeerError(Subcode.NO_REQUEST, "no request to answer")
        self._offered.drop(game)
        over.live.refuse(seat.key, "rematch")

    async def agree(self, over: GameOver, seat: Seat, origin: Origin) -> str:
        """Accept the rematch that the other participant offers, or offer it; its id and the key.

        Raises:
            PeerError: it has begun, no further game is allowed, or the name is refused.
            StoreError: the store fails.
        """
        await over.offering.acquire()
        try:
            if over.is_begun:
                raise PeerError(Subcode.BEGUN, "the rematch has begun")
            name, game = over.names[seat], over.offered_to(seat)
            self._offered.check_share(origin)
            if game is None:
                return await self._offer(over, seat, origin)
            key = await self._offered.accept(game, seat.other, origin, name)
            over.is_begun = True
            over.live.name_rematch(game.live.id)
            return f"{game.live.id} {key}"
        finally:
            over.offering.release()

    async def _offer(self, over: GameOver, seat: Seat, origin: Origin) -> str:
        self._offered.check_room(origin)
        live, name, rival = over.live, over.names[seat], over.names[seat.other]
        rules, clock = live.rules, live.clock
        offer = Offer(rules, clock, seat.other, origin, rival, is_rated=over.is_rated)
        made = await self._offered.offer(offer, name)
        game, _ = self._keys.find(made.split()[1])
        over.offer(seat, game)
        return made
