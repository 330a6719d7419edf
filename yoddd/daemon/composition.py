"""The composition root: builds the services of a daemon from its settings.

Everything that connections share is built here, once, from the leaves upward; nothing changes once
it is built.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import attrs

import yoddd
from yoddd.daemon.base.current_settings import CurrentSettings, tree_memory
from yoddd.daemon.base.settings import Settings
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.connection_table import ReplyTimes
from yoddd.daemon.connections.search_pool import SearchPool
from yoddd.daemon.connections.services import Services
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.net.listeners import TLS, ListenError
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.match_requests import MatchRequests
from yoddd.engine import SmallBoards, Timekeeper, TreeMemory, engines_within
from yoddd.extras import needs_extra
from yoddd.protocol.config import SessionConfig, SessionDefaults, SessionLimits, SessionServices
from yoddd.referee import ClockError
from yoddd.referee.game.clock import parse_live_clock
from yoddd.rules import Rules, RulesError, make_rules
from yoddd.store.errors import StoreError
from yoddd.system import processors

if TYPE_CHECKING:  # their libraries are an extra
    from yoddd.daemon.lobby.ladder import Ladder
    from yoddd.daemon.lobby.ledger import Ledger

TREE_MEMORY: Final = 64
"""MiB for the tree of one search; ``limits.trees`` limits those of all together."""


@attrs.frozen(kw_only=True)
class Composition:
    """The parts of a daemon, built and not yet started.

    Attributes:
        services: the services of client connections.
        games: the engines and games.
        lobby: the lobby.
        ledger: the games in the store; None without one.
        ladder: pairs attached engines; None without a ladder.
    """

    services: Services
    games: GameServices
    lobby: DaemonLobby
    ledger: Ledger | None
    ladder: Ladder | None


def compose(
    world: World, current: CurrentSettings, show: Callable[[str], None] = lambda _: None
) -> Composition:
    """Build the services that the settings describe.

    Args:
        world: the surroundings of the daemon.
        current: the settings, of which a reload can replace those of live keys.
        show: receives the lines of a ladder.

    Raises:
        ListenError: the settings contradict each other, or name no store.
        ExtraMissing: the store's libraries are not installed.
    """
    settings = current.value
    played = check(settings)
    trees = TreeMemory(lambda: tree_memory(current.limits), threading.RLock())
    games = GameServices(world, current)
    matches = MatchRequests(games)
    ledger = _make_ledger(games)
    lobby = DaemonLobby(games, ledger)
    users = None if ledger is None else ledger.users
    times = ReplyTimes(world.reactor.seconds)
    pool = SearchPool(
        world,
        settings.searches or max(1, processors() - 1),
        settings.queue,
        share=lambda: current.limits.per_network,
    )
    services = Services(
        reactor=world.reactor,
        session=SessionConfig(
            version=yoddd.__version__,
            limits=SessionLimits(memory=TREE_MEMORY, ponder=True),
            defaults=SessionDefaults(seed=None),
            services=SessionServices(
                timekeeper=Timekeeper(world.monotonic),
                draw_seed=lambda: world.chance.getrandbits(63),
                free_threads=lambda: pool.threads - pool.running - pool.waiting,
                tables=SmallBoards(),
                engines=engines_within(trees),
                attach=True,
                match=matches.request,
                list_matches=matches.describe,
                lobby=lobby,
                accounts=users,
                login_required=settings.login,
                time_reply=times.begin,
            ),
        ),
        trees=trees,
        pool=pool,
        settings=current,
        engines=games.engines,
        reply_times=times,
        streams={"match": matches.open, "observe": lobby.observe},
        attach_gate=None if users is None else users.gate,
    )
    ladder = None
    if played is not None and ledger is not None:
        from yoddd.daemon.lobby.ladder import Ladder

        ladder = Ladder(world.reactor, games, ledger, lobby, *played, settings.ladder, show)
    return Composition(services=services, games=games, lobby=lobby, ledger=ledger, ladder=ladder)


def check(settings: Settings) -> tuple[Rules, str] | None:
    """Return the rules and the clock of the ladder; None without a ladder.

    Raises:
        ListenError: the settings contradict each other.
    """
    if settings.login and not settings.store:
        raise ListenError("no client could log in: `login` needs a `store`")
    if settings.registration and not settings.store:
        raise ListenError("no account could be kept: `registration` needs a `store`")
    if settings.ladder.concurrency and not settings.store:
        raise ListenError("a ladder needs a `store`")
    ports = (settings.http, *settings.listen, *settings.analysis)
    if not settings.tls.certificate and any(text.startswith(TLS) for text in ports):
        raise ListenError(f"{TLS} needs `tls.certificate` and `tls.private_key`")
    return _read_ladder(settings)


def _make_ledger(games: GameServices) -> Ledger | None:
    settings = games.settings.value
    if not settings.store:
        return None
    with needs_extra("store", "store"):
        from yoddd.daemon.base.store.journal import Journal
        from yoddd.daemon.lobby.ledger import Ledger
        from yoddd.daemon.lobby.users import Users
        from yoddd.store.database import read_url

    try:
        journal = Journal(games.world, read_url(settings.store))
    except StoreError as error:
        raise ListenError(f"store: {error}") from None
    users = Users(journal, games.engines, games.settings, login_required=settings.login)
    return Ledger(journal, users)


def _read_ladder(settings: Settings) -> tuple[Rules, str] | None:
    keys = settings.ladder
    if not keys.concurrency:
        return None
    try:
        return make_rules(keys.game, keys.board or None), str(parse_live_clock(keys.clock))
    except (RulesError, ClockError) as error:
        raise ListenError(f"ladder: {error}") from None
