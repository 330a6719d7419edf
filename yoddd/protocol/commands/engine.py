"""The commands of the engine: searching for a turn, and parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs

from yoddd.engine import (
    HIGHEST,
    LEVELS,
    NO_TABLES,
    STRONGEST,
    Budget,
    Completion,
    Insight,
    InsightCallback,
    Levelled,
    Searcher,
    SearchResult,
    StopFlag,
    Tabled,
    Tables,
    Timekeeper,
    Timer,
    Tunable,
    allot,
    analyze,
    for_good,
)
from yoddd.engine.mcts import PLAYOUTS, MctsSearcher
from yoddd.engine.tables import PATIENT
from yoddd.gone import GONE
from yoddd.notation.evaluations import LONGEST_LINE, Evaluation
from yoddd.protocol.arguments import check_player, parse_player
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup, refuse_syntax
from yoddd.protocol.errors import EngineError, PeerError, Subcode
from yoddd.protocol.parameters import MAX_PLAYOUTS, PARAMETERS, Parameter
from yoddd.protocol.replies import CommandReply, TaskReply
from yoddd.protocol.turn_entry import TurnEntry
from yoddd.rules import PASS, RESIGN, Colour, IllegalTurn, PositionLike, Turn

_NULL: Final = "null"

COMMANDS: Final = CommandGroup("engine")


@COMMANDS.command("genmove", "[PLAYER]", "let the engine choose and play a turn", 8)
def _genmove(client: ClientState, args: Args) -> CommandReply:
    player = read_player(args)
    known = reply_without_search(client, player)
    if known is not None:
        return known
    search = prepare_search(client, player, playing=True)
    return TaskReply(
        search.run, play_and_reply(client, search), search.budget.seconds, search.resumes
    )


@COMMANDS.command("reg_genmove", "[PLAYER]", "let the engine choose a turn without playing it", 8)
def _reg_genmove(client: ClientState, args: Args) -> CommandReply:
    # gogui-statistics 1.6 asks for `null` where its file does not say who is to move.
    player = None if args == (_NULL,) else read_player(args)
    if client.entry.ends_in_passes:
        return client.format_turn(PASS)
    search = prepare_search(client, player)
    return TaskReply(
        search.run, reply_and_keep(client, search), search.budget.seconds, search.resumes
    )


def read_player(args: Args) -> Colour | None:
    """Return the player that a request names first; None if it has no arguments."""
    return parse_player(args[0]) if args else None


def reply_without_search(client: ClientState, player: Colour | None) -> str | None:
    """Return the reply to ``genmove`` where the engine's turn has begun or the game is over."""
    entry = client.entry
    if entry.ends_in_passes:
        return client.format_turn(entry.pass_after_the_end())
    if not entry.plan:
        return None
    if player is not None:
        check_player(player, entry.position)
    return entry.play_planned(client.spelling)


@attrs.frozen
class FinishedSearch:
    """A search that has ended.

    Attributes:
        result: the turn found and its value.
        insight: the last report of the search.
    """

    result: SearchResult
    insight: Insight


@attrs.frozen
class PreparedSearch:
    """A search that is ready to run, in any thread: it shares no state with the session.

    Attributes:
        searcher: the engine that searches.
        position: a copy of the client's position.
        budget: what the search may spend.
        seed: the seed of this search.
        tables: the values of small boards, which answer first.
        keeps: whether to keep the searcher, with its tree, for the next turn.
        keeper: predicts how long the reply takes once the search has ended.
        timer: measures the time of the budget, from the making of this object.
        runs: the results so far; more than one if it is preempted and resumes.
    """

    searcher: Searcher
    position: PositionLike
    budget: Budget
    seed: int
    tables: Tables
    keeps: bool
    keeper: Timekeeper
    timer: Timer = attrs.field(init=False)
    runs: list[FinishedSearch] = attrs.field(init=False, factory=list)

    @timer.default
    def _started(self) -> Timer:
        return self.keeper.start(self.budget.seconds)

    @property
    def resumes(self) -> bool:
        """Whether a second run continues where the first one was stopped."""
        return type(self.searcher) is MctsSearcher

    def run(
        self, stop: StopFlag, report: InsightCallback = lambda _insight: None
    ) -> FinishedSearch:
        """Search, report, and return the result with the last report."""
        last = [Insight()]

        def keep(insight: Insight) -> None:
            last[0] = insight
            report(insight)

        def ends() -> bool:
            return stop() or self.timer.is_up()

        budget, before = attrs.evolve(self.budget, seconds=self.timer.begin()), 0
        if self.runs:
            before = self.runs[-1].result.playouts
            left = budget.playouts_or(PLAYOUTS) - before
            if left <= 0:
                return self.runs[-1]
            budget = attrs.evolve(budget, playouts=left, resume=True)
        elif (self.budget.seconds or PATIENT) >= PATIENT:
            # A second at most, in which it is not preempted, since it could not resume.
            told = for_good(stop)
            self.tables.find(self.position.rules, lambda: told() or self.timer.is_up())
        searcher = Tabled(self.searcher, self.tables)
        result = analyze(searcher, self.position, budget, self.seed, ends, keep)
        result = attrs.evolve(result, playouts=before + result.playouts)
        self.runs.append(FinishedSearch(result, last[0]))
        return self.runs[-1]


def prepare_search(
    client: ClientState, player: Colour | None, *, playing: bool = False, full: bool = False
) -> PreparedSearch:
    """Prepare a search for the next turn.

    Args:
        client: the state of the client.
        player: the player to move; None if the request names none.
        playing: whether the turn will be played. The searcher of the last turn then searches again
            with the tree it has; `play_and_reply` keeps it for the next one. At a level below the
            highest it keeps no tree, which would make it stronger.
        full: whether to search at the highest level in any case.

    Raises:
        PeerError: it is the other player's turn, or the game is over.
    """
    position, parameters = client.position, client.parameters
    if player is not None:
        check_player(player, position)
    if position.is_over:
        raise PeerError(Subcode.OVER, "the game is over")
    level = LEVELS[HIGHEST - 1 if full else parameters.level - 1]
    begun = client.entry.stones
    keeps = playing and level.is_full and parameters.reuse == "on" and not begun
    kept = client.config.services.shelf.take(client, parameters.engine) if keeps else None
    searcher = tuned_searcher(client, kept)
    chosen: Searcher = searcher if level.is_full else Levelled(searcher, level)
    return PreparedSearch(
        Completion(chosen, *begun) if begun else chosen,
        position.copy(),
        parameters.budget(time_for(client), client.config.services),
        parameters.search_seed(position.number, client.config.services),
        # Only the strongest engine uses tables: the others are there to measure engines against.
        client.tables if level.is_full and parameters.engine == STRONGEST else NO_TABLES,
        keeps,
        client.config.services.timekeeper,
    )


def tuned_searcher(client: ClientState, kept: Searcher | None = None) -> Searcher:
    """Return the searcher ``kept``, else a new one of the client's engine, tuned as it says."""
    parameters = client.parameters
    searcher = kept or client.config.services.engines[parameters.engine]()
    if isinstance(searcher, Tunable):
        searcher.tuning = parameters.tuning
    return searcher


def time_for(client: ClientState) -> float | None:
    """Seconds for the turn of the player to move; None without a time control."""
    position = client.position
    per_turn = 3 if position.rules.two_stones else 2  # cells that both players' turns fill
    empty, cells = position.cells.count(None), len(position.cells)
    left = client.left.get(position.player)
    return allot(client.time, left, (empty // per_turn, cells // per_turn))


def play_and_reply(client: ClientState, search: PreparedSearch) -> Callable[[FinishedSearch], str]:
    """Return a function that plays the turn found and returns its token.

    It drops the player's ``time_left``, which is out of date then.
    """

    def play(finished: FinishedSearch) -> str:
        search.timer.answered()
        result = finished.result
        state_info(client, search, finished)
        client.left.pop(client.position.player, None)
        if result.winrate is not None and 100 * result.winrate < client.parameters.resign:
            return _play_as_engine(client, client.entry, RESIGN)
        token = _play_as_engine(client, client.entry, result.turn)
        if search.keeps:
            client.config.services.shelf.put(client, search.searcher)
            client.pondering = _pondering(client, search)
        return token

    return play


def reply_and_keep(client: ClientState, search: PreparedSearch) -> Callable[[FinishedSearch], str]:
    """Return a function that returns the token of the turn found, which is not played."""

    def reply(finished: FinishedSearch) -> str:
        search.timer.answered()
        state_info(client, search, finished)
        return _play_as_engine(client, client.entry.copy(), finished.result.turn)

    return reply


def _play_as_engine(client: ClientState, entry: TurnEntry, turn: Turn) -> str:
    """Play a turn of the client's engine on ``entry``; return its token.

    Raises:
        EngineError: the rules forbid it.
    """
    try:
        return entry.play_as_engine(turn, client.spelling)
    except IllegalTurn as error:
        token = client.format_turn(turn)
        raise EngineError(f"{client.parameters.engine} chose {token}: {error.reason}") from None


def state_info(client: ClientState, search: PreparedSearch, finished: FinishedSearch) -> None:
    """Have the reply preceded by the evaluation of the turn, if the client wants that.

    A search without a value, as that of an engine that plays at random, states nothing.
    """
    result = finished.result
    if not client.info_lines or result.winrate is None:
        return
    line = next(
        (one.line for one in finished.insight.candidates if one.turn == result.turn),
        (result.turn,),
    )
    searched = search.position
    evaluation = Evaluation(
        winrate=result.winrate,
        lead=result.margin if 0 < result.winrate < 1 else None,  # few have ended where it is proven
        visits=result.visits,
        time=search.timer.elapsed,
        pv=tuple(client.spelling_of(searched.rules).line(line[:LONGEST_LINE], searched.player)),
    )
    client.info = str(evaluation)


def _pondering(client: ClientState, search: PreparedSearch) -> Callable[[StopFlag], object] | None:
    """Return a search for the opponent's turn, which fills the tree; None if it is not wanted."""
    if client.parameters.ponder == "off" or client.position.is_over or client.entry.plan:
        return None
    if search.tables.find(client.rules) is not None:
        return None  # the next turn takes no search
    budget = attrs.evolve(
        search.budget, playouts=MAX_PLAYOUTS, visits=None, seconds=None, resume=True
    )
    seed = client.parameters.search_seed(client.position.number, client.config.services)
    position = client.position.copy()
    return lambda stop: search.searcher.search(position, budget, seed, stop)


@COMMANDS.command(
    "info_lines", "on|off", "whether a line of its evaluation precedes the engine's turn"
)
def _info_lines(client: ClientState, args: Args) -> str:
    if args[0].lower() not in ("on", "off"):
        refuse_syntax(f"info_lines {args[0]!r}: expected on or off")
    client.info_lines = args[0].lower() == "on"
    return ""


@COMMANDS.command("list_params", "", "every parameter: value, type, range and meaning", 2)
def _list_params(client: ClientState, _args: Args) -> str:
    return "\n".join(
        parameter.describe(client.parameters.format(name), client.config)
        for name, parameter in PARAMETERS.items()
    )


@COMMANDS.command("get_param", "NAME", "the value of a parameter")
def _get_param(client: ClientState, args: Args) -> str:
    return client.parameters.format(_parameter(args[0]).name)


@COMMANDS.command("set_param", "NAME VALUE", "change a parameter")
def _set_param(client: ClientState, args: Args) -> str:
    if args[0].lower() in GONE:
        return ""
    parameter = _parameter(args[0])
    value = parameter.parse(args[1], client.config)
    if parameter.name == "turns" and value != client.parameters.turns:
        client.entry.forget_steps()
    client.parameters = client.parameters.having(parameter.name, value)
    return ""


def _parameter(name: str) -> Parameter:
    found = PARAMETERS.get(name.lower())
    if found is None:
        refuse_syntax(f"no parameter {name!r}: expected one of {', '.join(PARAMETERS)}")
    return found


@COMMANDS.command("stop", "", "end the stream before it, as any line does")
def _stop(_client: ClientState, _args: Args) -> str:
    return ""
