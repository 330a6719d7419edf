"""The knowledge of the judge: a model of each game, its keys, and the file of the store."""

from __future__ import annotations

import json
import math
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from tests.simulation.dialogue import Dialogue, Request
from tests.simulation.outside import DAY
from yoddd.protocol.origin import fold
from yoddd.referee.tournament.ladder import Result, rank

if TYPE_CHECKING:
    from tests.simulation.engines import Engine

ACCOUNTS: Final = ("ann", "bob", "cid", "dan", "eve", "bot", "box")

SECOND: Final = 0.0011
"""Seconds by which a time may differ: they are told with three digits."""


ROUNDED: Final = 0.1
"""Seconds by which the end of an offer may differ by the calendar."""


@attrs.define(eq=False)
class Key:
    """A key that the daemon has told.

    Attributes:
        seat: ``b`` or ``w``.
        void: when it became void; infinite before.
        alive: when its holder has last asked or observed.
    """

    game: Model
    seat: str
    void: float = float("inf")
    alive: float = 0.0


@attrs.define(eq=False)
class Range:
    """The games that an engine says it plays.

    Attributes:
        words: of its ``attach``.
        boards: those of it that are asked for.
        clocks: likewise.
        copies: how many games it plays at once.
        closed: since when it begins no game; infinite while it does.
        opened: when it has begun to do so again.
    """

    words: str
    boards: tuple[str, ...]
    clocks: tuple[str, ...]
    copies: int = 1
    closed: float = float("inf")
    opened: float = 0.0

    def has(self, words: dict[str, str]) -> bool:
        """Whether the settings of a ``seek`` are in it."""
        return words["board"] in self.boards and words["clock"] in self.clocks


@attrs.define(eq=False)
class Model:
    """A game as the judge has it.

    Attributes:
        id: its name for clients.
        words: the settings of its ``seek``.
        offerer: the account that has offered it, and who has accepted it.
        turns: the turns that count, with seat and seconds, as spectators were told.
        told: when the last of them was told, or the beginning.
        served: for how long daemons had run then, and how often one had started.
        went_on: when a turn, a rewind or the record was told last.
        acked: the turns that were acknowledged, by number.
        record: as it was told first.
        asked: who has asked for what, as of a stream.
        pause: the seconds of the last one in the present turn, `served` when it was told, and
            `pausing` then.
        may_rest: whether more seconds of the turn may be uncharged than `pause` says.
        pausing: for how long daemons had run when the first request for the next one came.
        wishes: the pauses that were asked for, each with the seat and the days.
        rewinding: how many turns are left if an agreement is carried out of which no one was told.
        made: what its humans have asked each other for and no answer has come to.
        granted: the requests that were agreed to in this event.
        agreed: when each agreement was told last, by the word and the number.
        rematch: the game that has begun as its rematch.
        deeds: what humans have asked for that ends it, each with the seat.
        absence: for how long one was away at most when the other claimed the game.
        streams: the replies of ``observe`` that go on.
        epoch: how often a daemon had ended when it was offered.
        times: when each turn was told, while its clocks have run without an interruption.
        expires: until when an invite or an offer by the day can be accepted, by the calendar, also
            after a restart; 0 for another offer.
        may_go: whether it may be withdrawn before, because that was asked for.
        order: the number of its offer among those that were told; 0 of none.
    """

    id: str
    words: dict[str, str] = attrs.Factory(dict)
    offerer: str | None = None
    secret: str | None = None
    names: list[str] = attrs.Factory(list)
    users: dict[str, str | None] = attrs.Factory(dict)
    is_begun: bool = False
    accepted: bool = False
    has_rematch: bool = False
    withdrawn: bool = False
    turns: list[tuple[str, str, float]] = attrs.Factory(list)
    told: float = 0.0
    served: tuple[float, int] = (0.0, 0)
    went_on: float = 0.0
    acked: dict[int, str] = attrs.Factory(dict)
    record: dict[str, Any] | None = None
    streams: list[Request] = attrs.Factory(list)
    times: dict[int, float] = attrs.Factory(dict)
    clock: str = "none"
    rewinding: set[int] = attrs.Factory(set)
    asked: tuple[str, str, str] | None = None
    pause: tuple[float, tuple[float, int], float] | None = None
    may_rest: bool = False
    pausing: float = 0.0
    wishes: set[tuple[str, str]] = attrs.Factory(set)
    ended_by: set[str] = attrs.Factory(set)
    made: list[Request] = attrs.Factory(list)
    granted: list[Request] = attrs.Factory(list)
    agreed: dict[tuple[str, str], float] = attrs.Factory(dict)
    rematch: str | None = None
    deeds: set[tuple[str, str]] = attrs.Factory(set)
    absence: float = 0.0
    epoch: int = 0
    expires: float = 0.0
    may_go: bool = False
    order: int = 0

    @property
    def by_day(self) -> bool:
        return self.clock.startswith("days=")

    @property
    def is_queued(self) -> bool:
        """Whether a human has offered it to an engine, for which it waits unless it has begun."""
        words = self.words
        return "against" in words and words.get("as") != "engine" and not self.by_day

    @property
    def number(self) -> int:
        return int(self.id[1:])


class Games:
    """The knowledge of games, keys, log-ins and daemons, and the file of the store.

    Attributes:
        violation: the first invariant that did not hold.
        invariant: which one that is, whatever the game and the turn.
        is_guarded: whether the daemon requires a log-in.
        claim: seconds after which the game of one who is away can be claimed.
        notices: how many the administrator has sent.
        keeps_time: whether the store always takes the time of games by the day.
        paused: since when no game begins, because the administrator has said so.
        decided: when each end was decided, by the id and the end of its record.
        grants: the accounts by their tokens, and by the tickets of their browsers.
        deeds: the faults that engines have committed so far, by name and reason.
        ranges: of the engines that state one, by folded name.
        games: by id; without a store by the daemon and the id.
        today: returns the time of the calendar; infinite if that has been wrong, or if an offer
            may be withdrawn at any time for want of places.
    """

    def __init__(
        self,
        seconds: Callable[[], float],
        note: Callable[[str], None],
        later: Callable[..., object],
        calm: Callable[[], float],
    ) -> None:
        self.violation: str | None = None
        self.invariant = ""
        self.today: Callable[[], float] = lambda: math.inf
        self.claim = 300.0
        self.notices = 0
        self.keeps_time = False
        # The daemons that run, since when one does, how long before, and how often one started.
        self._up: set[str] = set()
        self._up_since, self._served, self._starts = 0.0, 0.0, 0
        self.paused = float("inf")
        self.decided: dict[tuple[str, str], float] = {}
        self.is_guarded = False
        self.games: dict[str, Model] = {}
        self.grants = {f"token-of-{name}": name for name in ACCOUNTS}
        self.keys: dict[str, Key] = {}
        self.ended = 0
        self.epoch = 0
        self.acknowledged = 0
        self._offers = 0
        self._seconds, self._note, self._later, self._calm = seconds, note, later, calm
        self._store: sqlite3.Connection | None = None
        # Whether the present reply is one of a daemon whose store another has taken over.
        self._is_past = False
        self._touched: dict[str, Model] = {}
        # Until when each token and ticket was valid, and the accounts that were revoked.
        self._ended_grants: dict[str, float] = {}
        self._revoked: set[str] = set()
        # The log-ins, each with the account and the token.
        self._here: dict[Dialogue, tuple[str, str]] = {}
        # Those that end soon, those that are asked for, and when the last one of an account ended.
        self._leaving: set[Dialogue] = set()
        self._entering: dict[Request, str] = {}
        self._left: dict[str, float] = {}
        # The engines that have connected, to whatever they attach.
        self._engines: list[Engine] = []
        self.deeds: set[tuple[str, str]] = set()
        self.ranges: dict[str, Range] = {}

    # -- what it may look at ----------------------------------------------------------------

    def open(self, path: str) -> None:
        """Read the file of the store."""
        self._store = sqlite3.connect(path, isolation_level=None)

    def close(self) -> None:
        if self._store is not None:
            self._store.close()

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        assert self._store is not None
        return self._store.execute(query, values).fetchall()

    @property
    def has_store(self) -> bool:
        return self._store is not None

    def check(self, holds: object, text: str) -> None:
        """Note that an invariant does not hold; the first time counts."""
        if not holds and self.violation is None and not self._is_past:
            self.violation = text
            self.invariant = _place(text)
            self._note(f"VIOLATED {text}")

    def serves(self, house: str, *, is_up: bool) -> None:
        """Note that a daemon starts or ends."""
        if self._up:
            self._served += self._seconds() - self._up_since
        self._up_since, self._starts = self._seconds(), self._starts + is_up
        self._up = self._up | {house} if is_up else self._up - {house}

    @property
    def served(self) -> tuple[float, int]:
        """For how long daemons have run, and how often one has started."""
        now = self._seconds() - self._up_since if self._up else 0.0
        return self._served + now, self._starts

    def game(self, name: str) -> Model:
        """The model of a game; without a store each daemon counts its games from 1."""
        key = name if self._store is not None else f"{self.epoch}/{name}"
        if key not in self.games:
            self.games[key] = Model(name)
        return self.games[key]

    def stored(self, game: Model) -> list[str]:
        """The turns of a game in the store."""
        query = "SELECT token FROM turns WHERE game = ? ORDER BY number"
        return [token for (token,) in self.rows(query, game.number)]

    def stored_keys(self, game: Model) -> list[str]:
        """The digests of the keys that play a game, in the store."""
        query = "SELECT black_key, white_key FROM games WHERE number = ?"
        return [one for row in self.rows(query, game.number) for one in row]

    def users(self, game: Model) -> dict[str, str | None]:
        """The accounts that play a game, by seat: an acceptance may have lost its answer."""
        query = """SELECT black.folded, white.folded FROM games
            LEFT JOIN accounts black ON black.id = black_id
            LEFT JOIN accounts white ON white.id = white_id WHERE number = ?"""
        found = self.rows(query, game.number) if self.has_store else []
        return dict(zip("bw", found[0], strict=True)) if found else game.users

    def range_of(self, words: dict[str, str]) -> Range | None:
        """That of the engine which a ``seek`` is against, if it states one."""
        return self.ranges.get(fold(words.get("against", "")))

    @property
    def void_keys(self) -> list[str]:
        """Keys that play no more."""
        return [key for key, one in self.keys.items() if one.void < self._seconds()]

    def attaching(self, engine: Engine) -> None:
        """Take an engine that attaches."""
        self._engines = [one for one in self._engines if one.wire.is_open]
        self._engines.append(engine)

    # -- the store --------------------------------------------------------------------------

    def check_kept(self) -> None:
        """Every acknowledged turn is in the store."""
        for game in self.games.values():
            if game.acked:
                stored = self.stored(game)
                lost = {n: one for n, one in game.acked.items() if stored[n - 1 : n] != [one]}
                self.check(not lost, f"{game.id}: lost {lost}, the store has {stored}")

    def is_due(self, game: Model) -> bool:
        """Whether an invite, or an offer by the day, has to be there, unless it has begun.

        It was acknowledged, and has not expired, and no restart ends it.
        """
        is_over = game.accepted or game.withdrawn or game.may_go
        return not is_over and game.expires > self.today() + ROUNDED

    def check_invites(self, offered: set[str]) -> None:
        """Check that the daemon offers all that it has to, or the game has begun.

        An acceptance may have lost its answer.
        """
        for game in self.games.values():
            if self.is_due(game) and str(game.number) not in offered:
                stored = self.rows("SELECT state FROM games WHERE number = ?", game.number)
                is_begun = stored in ([("playing",)], [("over",)])
                self.check(is_begun, f"{game.id} is not offered any more, the store has {stored}")

    def check_ended(self, offered: set[str], *, was_away: bool) -> None:
        """The store has the records that were told, and the games that the daemon has.

        An offer that was not acknowledged, or could not be dropped, may stay until a restart, and
        one whose acceptance has lost its answer has begun in the store alone.
        """
        query = "SELECT number, state, record, winner, reason FROM games"
        rows = {row[0]: row[1:] for row in self.rows(query)}
        missing = offered - {str(number) for number in rows}
        self.check(not missing, f"offered by the daemon alone: {missing}")
        lost = {game.id[1:] for game in self.games.values() if not game.is_begun}
        left = [
            (number, state)
            for number, (state, *_) in rows.items()
            if state != "over"
            and str(number) not in offered
            and not (was_away and (state == "open" or str(number) in lost))
        ]
        self.check(not left, f"games in the store alone: {left}")
        for game in self.games.values():
            if game.record is not None:
                state, text, winner, reason = rows.get(game.number, (None,) * 4)
                self.check(state == "over", f"{game.id} is over, in the store it is {state}")
                record = json.loads(text or "null")
                self.check(record == game.record, f"{game.id}: {game.record}, stored {record}")
                same = (winner, reason) == (game.record["winner"], game.record["reason"])
                self.check(same, f"{game.id}: {winner} {reason}")
                self.check(self.stored(game) == game.record["turns"], f"{game.id}: its turns")

    def check_ratings(self) -> None:
        """The leaderboards are those of the results, computed again."""
        query = """SELECT game, board, black_name, white_name, winner FROM games
            WHERE rated AND winner IS NOT NULL"""
        played: dict[tuple[str, str], list[Result]] = {}
        for game, board, black, white, winner in self.rows(query):
            result = Result(black, white, int(winner == "b"), int(winner == "w"))
            played.setdefault((game, board), []).append(result)
        for (game, board), results in played.items():
            query = """SELECT name, elo, games, won FROM ratings
                JOIN accounts ON accounts.id = account_id WHERE game = ? AND board = ?"""
            stored = {
                name: (round(elo, 1), *rest) for name, elo, *rest in self.rows(query, game, board)
            }
            wanted = {
                one.name: (round(one.elo, 1), one.games, one.won) for one in rank(results, {})
            }
            self.check(stored == wanted, f"ratings of {game} {board}: {stored}, not {wanted}")


def _place(text: str) -> str:
    """The place of the check in the source, also of one by `fail`; of an exception, its type."""
    if "Traceback" in text:
        return text.strip().splitlines()[-1].partition(":")[0]
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_name in ("check", "fail"):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def allowance(clock: str, turns: int) -> float:
    """Seconds that a clock gives for some turns and the next one."""
    if clock == "none":
        return 3600.0
    if clock.startswith("move="):
        return float(clock.removeprefix("move="))
    if clock.startswith("days="):
        return float(clock.removeprefix("days=")) * DAY
    main, _, increment = clock.partition("+")
    return float(main) + float(increment or 0) * turns
