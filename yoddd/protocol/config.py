"""What a session has to be told; everything has a default that tests can use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs

from yoddd.engine import ENGINES, HIGHEST, STRONGEST, Searcher, Shelf, Timekeeper
from yoddd.protocol.accounts import Accounts
from yoddd.protocol.coordinates import Coordinates
from yoddd.protocol.entrance import LoginLimits
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.protocol.lobby import Lobby
from yoddd.rules import Rules, make_rules


@attrs.frozen(kw_only=True)
class SessionConfig:
    """The surroundings of a session.

    Attributes:
        name: what ``name`` answers.
        version: what ``version`` answers.
        seed: the seed that searches start from until the client sets another.
        engines: the engines that ``genmove`` can use, by name.
        engine: the one used until the client chooses another.
        level: how well it plays until the client says otherwise, 1 to `HIGHEST`.
        threads: how many threads one search may use.
        memory: how many MiB the tree of one search may use.
        ponder: whether clients may let the engine think in their opponents' time, which it does
            only while nobody else wants a thread.
        timekeeper: foretells how long answers take on this machine; sessions share it as well.
        shelf: where searchers are kept between turns; sessions of one server share it.
        coordinates: how cells are called until the client chooses otherwise.
        rules: what is played until the client chooses otherwise.
        connections: how many connections the server takes, for ``hello``.
        line_limit: the longest line in bytes.
        queue_limit: how many requests wait behind a running task before reading pauses.
        batch_cost: how much work one call may do before it wants to be resumed.
        batch_output: how many bytes of replies one call may make before it wants to be resumed.
        attach: whether engines may attach.
        read_file: reads a file of the client's for ``loadsgf``, in a task; may raise OSError or
            ValueError. None where the client has no business with our files.
        match: checks the arguments of ``match`` and raises PeerError to refuse them; None where
            matches are not offered.
        matches: says which matches are played now, a line each; offered together with ``match``.
        lobby: where games of people are; None where there is no lobby.
        accounts: who may log in, and what that is good for; None where there are no accounts.
        login: what is served before log-in; None where nobody has to log in.
    """

    name: str = "yoddd"
    version: str = "0"
    seed: int = 0
    engines: Mapping[str, Callable[[], Searcher]] = ENGINES
    engine: str = STRONGEST
    level: int = HIGHEST
    threads: int = 1
    memory: int = 256
    ponder: bool = False
    timekeeper: Timekeeper = attrs.Factory(Timekeeper)
    shelf: Shelf = attrs.Factory(Shelf)
    coordinates: Coordinates = Coordinates.ROWS
    rules: Rules = attrs.Factory(lambda: make_rules("yodd"))
    connections: int = 1
    line_limit: int = LINE_LIMIT
    queue_limit: int = 64
    batch_cost: int = 256
    batch_output: int = 64 * 1024
    attach: bool = False
    read_file: Callable[[str], str] | None = None
    match: Callable[[tuple[str, ...]], None] | None = None
    matches: Callable[[], Sequence[str]] = tuple
    lobby: Lobby | None = None
    accounts: Accounts | None = None
    login: LoginLimits | None = None
