"""Games whose humans are all away, while the places of the lobby are few."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.daemon.fake_time import settle
from tests.daemon.lobby.journals import DirectJournal, FakeConnection
from tests.daemon.lobby.test_lobby import Setup
from tests.daemon.lobby.test_seats import restart
from yoddd.daemon.base.admission.places import PATIENCE
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.lobby.presence import AWAY
from yoddd.protocol.errors import PeerError
from yoddd.protocol.lobby import Claim
from yoddd.protocol.origin import Origin

PLACES = 20
BOARD = {"game": "odd", "board": "square5", "seat": "b"}


def few_places(world: Setup) -> Setup:
    world.games.settings.value = Settings(limits=Limits(games=PLACES, per_network=2))
    return world


def stranger(network: int) -> Origin:
    return Origin(place=f"10.0.{network}.7/32")


@attrs.define
class Table:
    """A game, with the keys and the connections of its humans."""

    id: str
    keys: tuple[str, str]
    connections: tuple[FakeConnection, FakeConnection] = attrs.Factory(
        lambda: (FakeConnection(), FakeConnection())
    )
    turns: list[str] = attrs.Factory(list)
    is_here: bool = True

    def hold(self, world: Setup) -> None:
        for key, connection in zip(self.keys, self.connections, strict=True):
            world.lobby.hold(key, connection)
        self.is_here = True

    def leave(self) -> None:
        for connection in self.connections:
            connection.lose()
        self.is_here = False


def begin(world: Setup, network: int, user: str | None = None) -> Table | None:
    """A game of two from a network, who are there; None if it is refused."""
    origin = attrs.evolve(stranger(network), user=user)
    try:
        words = world.ask(world.lobby.seek(origin, user or "gil", BOARD)).split()
        other = world.ask(world.lobby.accept(stranger(network), words[0], "hal"))
    except PeerError:
        return None
    table = Table(words[0], (words[1], other))
    table.hold(world)
    return table


def listed(world: Setup) -> set[str]:
    """The ids of the games that have a place, or are lately over."""
    return {line.split()[0] for line in world.lobby.games()}


def crowd(world: Setup, count: int) -> list[Table]:
    """Games that strangers begin, each from a network of its own, and leave."""
    tables = []
    for network in range(count):
        table = begin(world, network)
        assert table is not None
        assert world.put(table.keys[0], "1a1") == ""
        table.leave()
        world.clock.advance(AWAY)
        tables.append(table)
    return tables


def by_key(world: Setup, table: Table) -> str:
    return world.ask(world.lobby.resume(None, table.id, table.keys[1]))


def by_turn(world: Setup, table: Table) -> str:
    return world.ask(world.lobby.play(table.keys[1], Claim()))


def by_watching(world: Setup, table: Table) -> str:
    args = (table.id, table.keys[1])
    with pytest.raises(PeerError, match="waits for the store: resume it in a moment"):
        world.lobby.observe(args, lambda _line: None, lambda _error: None)
    settle(world.clock)
    lines: list[str] = []
    world.lobby.observe(args, lines.append, lambda _error: None)
    return lines[0]


@pytest.mark.parametrize("restarts", [0, 2])
@pytest.mark.parametrize("way", [by_key, by_turn, by_watching])
def test_left_game_gives_its_place_and_is_restored_when_one_returns(
    journal: DirectJournal, way: Callable[[Setup, Table], str], restarts: int
) -> None:
    world = few_places(Setup(journal))
    first, *_ = crowd(world, PLACES + 5)
    line = world.lobby.games([first.id])
    assert len(world.lobby.games()) < PLACES
    for _ in range(restarts):
        world = few_places(restart(world))
    world.clock.advance(AWAY)
    assert crowd(world, PLACES)
    assert world.lobby.games([first.id]) == line  # or a page would forget its key
    assert first.id not in listed(world)
    for strange in ("", "-", "strange"):
        args = (first.id, *filter(None, [strange]))
        with pytest.raises(PeerError, match="no game"):
            world.lobby.observe(args, lambda _line: None, lambda _error: None)
    answer = way(world, first)
    assert "no-key" not in answer
    assert first.id in listed(world)
    assert world.ask(world.lobby.resume(None, first.id, first.keys[0])) == first.keys[0]
    world.lobby.hold(first.keys[0], first.connections[0])
    world.lobby.hold(first.keys[1], first.connections[1])
    assert world.put(first.keys[1], "1b1") == ""


def test_game_of_an_account_is_resumed_without_its_key(journal: DirectJournal) -> None:
    world = few_places(Setup(journal))
    world.log_in("ann")
    mine = begin(world, 50, "ann")
    assert mine is not None
    mine.leave()
    world.clock.advance(AWAY)
    crowd(world, PLACES)
    assert mine.id not in listed(world)
    assert world.lobby.resume("ann") == mine.id
    with pytest.raises(PeerError, match="you play no game"):
        world.lobby.resume("bob", mine.id)
    key = world.ask(world.lobby.resume("ann", mine.id))
    assert world.ask(world.lobby.resume(None, mine.id, key)) == key
    world.clock.advance(AWAY)
    crowd(world, PLACES)
    assert mine.id in world.lobby.suspended
    world.lobby.end_games_of("ann", "the account ann was disabled")
    settle(world.clock)
    assert world.lobby.games([mine.id])[0].split()[1] == "over"


def test_suspended_games_end_as_void_once_there_are_too_many_or_after_a_week(
    journal: DirectJournal,
) -> None:
    world = few_places(Setup(journal))
    tables = crowd(world, PLACES + 6)
    known = len(world.lobby.suspended)
    limits = attrs.evolve(world.games.settings.limits, most_games=3)
    world.games.settings.value = Settings(limits=limits)
    crowd(world, 1)
    settle(world.clock)
    assert len(world.lobby.suspended) == 3 < known
    assert world.lobby.games([tables[0].id])[0].split()[1] == "over"
    world.clock.advance(8 * 86400)
    crowd(world, 1)
    settle(world.clock)
    assert len(world.lobby.suspended) <= 1


def test_accounts_and_exempt_clients_have_places_kept(journal: DirectJournal) -> None:
    world = few_places(Setup(journal))
    tables = [begin(world, network) for network in range(PLACES)]
    played = [one for one in tables if one is not None]
    assert len(played) == PLACES - PLACES // 10
    world.clock.advance(PATIENCE)
    with pytest.raises(PeerError, match="18 games are offered or played already"):
        world.lobby.seek(stranger(99), "eve", BOARD)
    assert world.ask(world.lobby.seek(attrs.evolve(stranger(99), user="ann"), "ann", BOARD))
    assert world.ask(world.lobby.seek(Origin(), "operator", BOARD))
    with pytest.raises(PeerError, match="20 games are offered or played already"):
        world.lobby.seek(Origin(), "operator", BOARD)


@attrs.define
class Humans:
    """Humans from networks who begin games, leave, return and play; each checks what it may.

    Attributes:
        world: the daemon, which `restart` replaces.
        tables: the games that were begun.
    """

    world: Setup
    tables: list[Table] = attrs.Factory(list)

    def begin(self, number: int) -> None:
        """While a game that is left has a place, and few are there, no other is refused."""
        begun = begin(self.world, number % 8)
        known = listed(self.world)
        is_left = any(one.id in known for one in self.tables if not one.is_here)
        here = sum(one.is_here for one in self.tables)
        assert begun is not None or here >= 16 or not is_left
        self.tables += [] if begun is None else [begun]

    def leave(self, number: int) -> None:
        for table in self.tables[number : number + 1]:
            table.leave()
        self.world.clock.advance(AWAY)

    def stay(self, number: int) -> None:
        """Return to a game, unless it was not left, and play a turn."""
        for table in self.tables[number : number + 1]:
            for key in table.keys:
                assert self.world.ask(self.world.lobby.resume(None, table.id, key)) == key
            if not table.is_here:
                table.connections = FakeConnection(), FakeConnection()
            table.hold(self.world)
            turn, key = _turn(len(table.turns)), table.keys[len(table.turns) % 2]
            if len(table.turns) < 20:
                assert self.world.put(key, turn) == ""
                table.turns.append(turn)

    def restart(self, _number: int) -> None:
        for table in self.tables:
            table.leave()
        self.world = few_places(restart(self.world))

    def check(self) -> None:
        """No game of which a human is there was interrupted."""
        assert {one.id for one in self.tables if one.is_here} <= listed(self.world)

    def check_turns(self) -> None:
        """Every game can be resumed, with every turn."""
        for table in random.Random(0).sample(self.tables, len(self.tables)):
            found = self.world.ask(self.world.lobby.resume(None, table.id, table.keys[0]))
            assert found == table.keys[0]
            lines: list[str] = []
            self.world.lobby.observe((table.id,), lines.append, lambda _error: None)
            assert [one.split()[2] for one in lines if one.startswith("turn ")] == table.turns


ACTS = [Humans.begin, Humans.begin, Humans.begin, Humans.leave, Humans.stay, Humans.restart]


@given(st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 30)), max_size=80))
@settings(max_examples=12, deadline=None)
def test_no_turn_is_lost_and_no_present_human_interrupted_however_few_places_are(
    acts: list[tuple[Callable[[Humans, int], None], int]],
) -> None:
    with TemporaryDirectory() as folder:
        journal = DirectJournal(Path(folder))
        humans = Humans(few_places(Setup(journal)))
        for act, number in acts:
            act(humans, number)
            humans.check()
        humans.check_turns()
        journal.close()


def _turn(number: int) -> str:
    return f"1{'abcde'[number % 5]}{1 + number // 5}"
