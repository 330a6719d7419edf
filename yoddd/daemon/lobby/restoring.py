"""Restores a game of the lobby from its row in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.lobby.game_writer import GameWriter
from yoddd.daemon.lobby.lobby_game import LobbyGame, Past
from yoddd.daemon.lobby.offers import Terms
from yoddd.daemon.lobby.seats import SeatHolder, Seats
from yoddd.daemon.play.human import HumanParticipant
from yoddd.daemon.play.live_games import RATED, LiveGame
from yoddd.daemon.play.participants import AttachedParticipant
from yoddd.referee.seat import Seat
from yoddd.rules import make_rules

if TYPE_CHECKING:
    from yoddd.store.values import GameRow


def read_game(row: GameRow, engines: EngineRegistry, writer: GameWriter) -> LobbyGame:
    """The game of a row, offered and not listed yet; its humans are away."""
    settled = row.settled
    options = dict(word.split("=", 1) for word in settled.options.split())
    live = LiveGame(
        row.id,
        make_rules(settled.game, settled.board, options),
        settled.clock,
        (settled.black, settled.white),
        expires=settled.expires,
        terms=RATED if settled.rated else (),
    )
    return LobbyGame(
        live,
        Seats((_read_holder(row, Seat.BLACK, engines), _read_holder(row, Seat.WHITE, engines))),
        terms=Terms(is_rated=settled.rated, invite=settled.invite),
        writer=writer,
        past=Past(row.started, tuple((turn.token, turn.seconds) for turn in row.turns)),
    )


def _read_holder(row: GameRow, seat: Seat, engines: EngineRegistry) -> SeatHolder | None:
    settled = row.settled
    name = (settled.black, settled.white)[seat]
    if name is None:
        return None
    if seat.key in settled.engines:
        return SeatHolder(AttachedParticipant(engines, name))
    human = HumanParticipant(name, is_available=False)
    return SeatHolder(human, settled.keys[seat], is_user=seat.key in row.accounts)
