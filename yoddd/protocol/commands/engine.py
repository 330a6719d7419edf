"""The engine behind the daemon: searching for a turn, and its parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs

from yoddd.engine import (
    HIGHEST,
    LEVELS,
    Budget,
    Insight,
    Levelled,
    Report,
    Searcher,
    StopFlag,
    Timekeeper,
    Timer,
    allot,
    analyze,
)
from yoddd.protocol.command import Args, Client, Command, Found, Task, refuse_illegal, refuse_syntax
from yoddd.protocol.errors import EngineError
from yoddd.protocol.parameters import MAX_PLAYOUTS, PARAMETERS, Parameter
from yoddd.protocol.words import check_player
from yoddd.rules import RESIGN, IllegalTurn, PositionLike


def _genmove(client: Client, args: Args) -> Task:
    order = prepare(client, args[0] if args else None, playing=True)
    return Task(order.run, played(client, order), order.budget.seconds)


def _reg_genmove(client: Client, args: Args) -> Task:
    def answer(found: Found) -> str:
        order.timer.answered()
        client.found = found
        return client.spell(found.result.turn)

    order = prepare(client, args[0] if args else None)
    return Task(order.run, answer, order.budget.seconds)


@attrs.frozen
class Order:
    """A search that is ready to run; it touches nothing of the session.

    Attributes:
        searcher: who searches.
        position: a copy of the client's.
        budget: what may be spent.
        seed: of this search.
        keeps: whether what the searcher remembers is wanted for the next turn.
        keeper: foretells how long the answer takes once the search has ended.
        timer: of the time within the budget, which runs from now on.
    """

    searcher: Searcher
    position: PositionLike
    budget: Budget
    seed: int
    keeps: bool
    keeper: Timekeeper
    timer: Timer = attrs.field(init=False)

    @timer.default
    def _started(self) -> Timer:
        return self.keeper.start(self.budget.seconds)

    def run(self, stop: StopFlag, report: Report = lambda _insight: None) -> Found:
        """Search, report, and keep the last report beside the result."""
        last = [Insight()]

        def keep(insight: Insight) -> None:
            last[0] = insight
            report(insight)

        def ends() -> bool:
            return stop() or self.timer.is_up()

        budget = attrs.evolve(self.budget, seconds=self.timer.begin())
        result = analyze(self.searcher, self.position, budget, self.seed, ends, keep)
        return Found(self.position.player, result, last[0])


def prepare(
    client: Client, player: str | None, *, playing: bool = False, full: bool = False
) -> Order:
    """What a search for the next turn needs; refuses one that cannot be.

    Where the turn will be played, the searcher that has played the last one goes on with what it
    remembers; `played` keeps it for the next one. At a level below the highest it remembers
    nothing, for that would make it stronger. ``full`` is the highest level in any case.
    """
    position, parameters = client.position, client.parameters
    if player is not None:
        check_player(player, position)
    if position.is_over:
        refuse_illegal("the game is over")
    level = LEVELS[HIGHEST - 1 if full else parameters.level - 1]
    keeps = playing and level.is_full and parameters.reuse == "on"
    kept = client.config.shelf.take(client, parameters.engine) if keeps else None
    searcher = kept or client.config.engines[parameters.engine]()
    return Order(
        searcher if level.is_full else Levelled(searcher, level),
        position.copy(),
        parameters.budget(time_for(client)),
        parameters.search_seed(position.number),
        keeps,
        client.config.timekeeper,
    )


def time_for(client: Client) -> float | None:
    """Seconds for the turn of the player on turn."""
    position = client.position
    per_turn = 3 if position.rules.two_stones else 2  # cells that both players' turns fill
    empty, cells = position.cells.count(None), len(position.cells)
    left = client.left.get(position.player)
    return allot(client.time, left, (empty // per_turn, cells // per_turn))


def played(client: Client, order: Order) -> Callable[[Found], str]:
    """Plays what a search has found; what was said of the time left is out of date then."""

    def play(found: Found) -> str:
        order.timer.answered()
        result, client.found = found.result, found
        client.left.pop(client.position.player, None)
        if result.winrate is not None and 100 * result.winrate < client.parameters.resign:
            client.position.play(RESIGN)
            return client.spell(RESIGN)
        token = client.spell(result.turn)
        try:
            client.position.play(result.turn)
        except IllegalTurn as error:
            raise EngineError(f"{client.parameters.engine} chose {token}: {error.reason}") from None
        if order.keeps:
            client.config.shelf.put(client, order.searcher)
            client.pondering = _pondering(client, order)
        return token

    return play


def _pondering(client: Client, order: Order) -> Callable[[StopFlag], object] | None:
    """A search for the other side's turn, for the sake of what it leaves in the tree."""
    if client.parameters.ponder == "off" or client.position.is_over:
        return None
    budget = attrs.evolve(
        order.budget, playouts=MAX_PLAYOUTS, visits=None, seconds=None, resume=True
    )
    seed = client.parameters.search_seed(client.position.number)
    position = client.position.copy()
    return lambda stop: order.searcher.search(position, budget, seed, stop)


def _stop(_client: Client, _args: Args) -> str:
    return ""


def _list_params(client: Client, _args: Args) -> str:
    return "\n".join(
        parameter.describe(client.parameters.spell(name), client.config)
        for name, parameter in PARAMETERS.items()
    )


def _get_param(client: Client, args: Args) -> str:
    return client.parameters.spell(_parameter(args[0]).name)


def _set_param(client: Client, args: Args) -> str:
    parameter = _parameter(args[0])
    setattr(client.parameters, parameter.name, parameter.parse(args[1], client.config))
    return ""


def _parameter(name: str) -> Parameter:
    found = PARAMETERS.get(name.lower())
    if found is None:
        refuse_syntax(f"no parameter {name!r}: expected one of {', '.join(PARAMETERS)}")
    return found


COMMANDS: Final = (
    Command(
        "genmove",
        "engine",
        "[PLAYER]",
        "let the engine choose and play a turn",
        _genmove,
        (0, 1),
        8,
    ),
    Command(
        "reg_genmove",
        "engine",
        "[PLAYER]",
        "let the engine choose a turn without playing it",
        _reg_genmove,
        (0, 1),
        8,
    ),
    Command(
        "list_params",
        "engine",
        "",
        "every parameter: value, type, range and meaning",
        _list_params,
        cost=2,
    ),
    Command("get_param", "engine", "NAME", "the value of a parameter", _get_param, (1, 1)),
    Command("set_param", "engine", "NAME VALUE", "change a parameter", _set_param, (2, 2)),
    Command("stop", "engine", "", "end the streaming reply before it, as any line does", _stop),
)
