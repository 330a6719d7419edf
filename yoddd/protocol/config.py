"""The configuration of a session in three parts; every field has a default that tests can use."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence

import attrs

from yoddd.engine import (
    ENGINES,
    HIGHEST,
    NO_TABLES,
    STRONGEST,
    Searcher,
    Shelf,
    Tables,
    Timekeeper,
)
from yoddd.protocol.coordinates import Coordinates, Turns
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.protocol.lobby import Accounts, Lobby
from yoddd.protocol.origin import LoginLimits, Origin
from yoddd.protocol.replies import StreamReply, TaskReply
from yoddd.rules import Rules, make_rules


class Dialect(enum.StrEnum):
    """The programs whose numbers ``analyze`` writes, by the prefix of their commands."""

    KATA = "kata"
    LZ = "lz"


@attrs.frozen(kw_only=True)
class SessionLimits:
    """The resources that one session may use.

    Attributes:
        connections: how many connections the server accepts; reported by ``hello``.
        line: the longest line in bytes.
        queue: how many requests are queued behind a running task before reading pauses.
        batch_cost: how much work one call of the session may do before it wants to be resumed.
        batch_output: bytes of replies one call may make before it wants to be resumed.
        threads: threads one search may use.
        memory: MiB that the tree of one search may use.
        work: seconds after which a task is told to stop; None for never.
        analysis: likewise for an analysis and for pondering.
        ponder: whether the client may let the engine search in the opponent's time.
        login: what is served before log-in, where log-in is required.
        searches: how many positions of an analysis engine's client are searched at once.
        positions: how many more of them may wait before reading pauses.
        queries: bytes of the queries of those, likewise.
        kept: how many searches are kept for further queries about the same positions.
    """

    connections: int = 1
    line: int = LINE_LIMIT
    queue: int = 64
    batch_cost: int = 256
    batch_output: int = 64 * 1024
    threads: int = 1
    memory: int = 256
    work: float | None = None
    analysis: float | None = None
    ponder: bool = False
    login: LoginLimits = attrs.Factory(LoginLimits)
    searches: int = 1
    positions: int = 1024
    queries: int = 256 * 1024
    kept: int = 16


@attrs.frozen(kw_only=True)
class SessionDefaults:
    """The values that hold until the client chooses otherwise.

    Attributes:
        engine: the name of the engine behind ``genmove``.
        level: how well it plays, 1 to `HIGHEST`.
        seed: the seed of searches; None for a new one for each.
        coordinates: how cells are labelled.
        dialect: whose numbers ``analyze`` writes.
        turns: how turns of two stones are entered.
        rules: the rules of the first game.
    """

    engine: str = STRONGEST
    level: int = HIGHEST
    seed: int | None = 0
    coordinates: Coordinates = Coordinates.ROWS
    dialect: Dialect = Dialect.KATA
    turns: Turns = Turns.WHOLE
    rules: Rules = attrs.Factory(lambda: make_rules("yodd"))


@attrs.frozen(kw_only=True, eq=False)
class SessionServices:
    """The services that the surroundings offer to every session; absent ones have no commands.

    Attributes:
        engines: the engines that ``genmove`` can use, by name.
        timekeeper: predicts how long replies take on this machine; shared by all sessions.
        shelf: keeps searchers between turns; shared by all sessions.
        draw_seed: returns a random seed, for clients that want each search to have another one;
            None if they have to choose a number.
        cpu_time: returns the seconds of CPU time that this process has used, for ``cputime``; None
            where others use the process too.
        free_threads: returns how many threads a search by time may use now; None for one.
        tables: the values of small boards.
        attach: whether engines may attach.
        read_file: reads a file of the client's for ``loadsgf``, in a task; may raise OSError or
            ValueError. None if the client may not open our files.
        match: replies to ``match`` with these arguments of a client, and raises PeerError to refuse
            them; None if matches are not offered.
        list_matches: the matches that are played now, a line each; offered with ``match``.
        lobby: offers and games of users; None if there is no lobby.
        accounts: who may log in, and the leaderboards; None if there are no accounts.
        login_required: whether only `login.OPEN` is served before log-in.
        time_reply: begins to time the reply to a command of a group, and returns the function that
            ends it; None if reply times are not counted.
    """

    engines: Mapping[str, Callable[[], Searcher]] = ENGINES
    timekeeper: Timekeeper = attrs.Factory(Timekeeper)
    shelf: Shelf = attrs.Factory(Shelf)
    draw_seed: Callable[[], int] | None = None
    cpu_time: Callable[[], float] | None = None
    free_threads: Callable[[], int] | None = None
    tables: Tables = NO_TABLES
    attach: bool = False
    read_file: Callable[[str], bytes] | None = None
    match: Callable[[tuple[str, ...], Origin], TaskReply | StreamReply] | None = None
    list_matches: Callable[[], Sequence[str]] = tuple
    lobby: Lobby | None = None
    accounts: Accounts | None = None
    login_required: bool = False
    time_reply: Callable[[str], Callable[[], None]] | None = None


@attrs.frozen(kw_only=True)
class SessionConfig:
    """The configuration of a session.

    Attributes:
        name: what ``name`` replies.
        version: what ``version`` replies.
        limits: the resources that the session may use.
        defaults: the values that hold until the client chooses otherwise.
        services: the services that the surroundings offer.
    """

    name: str = "yoddd"
    version: str = "0"
    limits: SessionLimits = attrs.Factory(SessionLimits)
    defaults: SessionDefaults = attrs.Factory(SessionDefaults)
    services: SessionServices = attrs.Factory(SessionServices)
