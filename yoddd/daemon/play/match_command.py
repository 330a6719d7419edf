"""The text of the ``match`` command: its argument and the lines of its streaming reply.

Both are parsed and formatted here: the daemon parses the one and formats the other, and a client
does the reverse. The argument is a tournament file as JSON, with the keys of a `MatchRequest`.

The reply has a line for each piece of news::

    game NUMBER ID BLACK WHITE [TURN...]
    turn NUMBER SEAT TURN SECONDS
    record NUMBER JSON

where SEAT is ``b`` or ``w`` and JSON a game record on one line; see protocol/server.md.
"""

from __future__ import annotations

import json
from operator import attrgetter
from typing import Any, Final

import attrs

from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen
from yoddd.daemon.play.participants import ATTACHED
from yoddd.engine import StopFlag
from yoddd.notation import NotationError, format_turn
from yoddd.notation.records import dump_record, load_record
from yoddd.protocol.arguments import NAME_RULE, is_name, parse_settings
from yoddd.protocol.commands.referee import MOST_COPIES
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.protocol.origin import fold
from yoddd.referee.game.adjudication import Adjudication
from yoddd.referee.game.setup import WaitLimits
from yoddd.referee.tournament.config import (
    ConfigError,
    EngineConfig,
    MatchConfig,
    MatchEngine,
    TournamentConfig,
    config_values,
    engine_values,
    make_plan,
    read_json,
    read_match,
    read_value,
)
from yoddd.referee.tournament.openings import Opening, OpeningError, begin
from yoddd.referee.tournament.plan import Plan
from yoddd.rules import IllegalTurn

MAX_GAMES: Final = 1000
"""Games of a match over a network: it holds both engines."""

MAX_WAIT: Final = 3600
MAX_SEED: Final = 2**31 - 1
MAX_TURNS: Final = 10_000

_BOUNDS: Final = {
    "games": (1, MAX_GAMES),
    "pairs": (1, MAX_GAMES // 2),
    "seed": (0, MAX_SEED),
    "wait": (0, MAX_WAIT),
    "concurrency": (1, MOST_COPIES),
    "limits.resume": (0, MAX_WAIT),
    "limits.absence": (0, MAX_WAIT),
    "adjudication.turns": (1, MAX_TURNS),
    "adjudication.agree": (1, MAX_TURNS),
}
"""The least and the greatest number that a request may have under a key."""


@attrs.frozen(kw_only=True)
class MatchRequest(MatchConfig):
    """A match as a client requests it.

    Attributes:
        first: the number of the first game that is played.
    """

    first: int = 1

    def __attrs_post_init__(self) -> None:
        """Check what is allowed in a tournament file, but not in a request.

        Raises:
            ValueError: a number is out of range, an opening begins with a position, or the engines
                are not two that attach.
        """
        names = self.names
        if len(names) != 2:
            raise ValueError(f"engine: {len(names)} engines, expected two")
        for engine, name in zip(self.engine, names, strict=True):
            if name == engine.engine:
                raise ValueError(f"engine {name!r}: expected {ATTACHED}NAME")
            if not is_name(name):
                raise ValueError(f"name {name!r}: {NAME_RULE}")
        if fold(names[0]) == fold(names[1]):
            raise ValueError(f"both entrants are called {names[1]!r}")
        for key, (low, high) in {**_BOUNDS, "first": (1, self.last)}.items():
            value = attrgetter(key)(self)
            if value is not None and not low <= value <= high:
                raise ValueError(f"{key} {value}: expected a number from {low} to {high}")
        if any(opening.position is not None for opening in self.opening):
            raise ValueError("opening: expected turns from the empty board, no position")

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the engines have attached with."""
        return tuple(one.engine.removeprefix(ATTACHED) for one in self.engine)

    @property
    def last(self) -> int:
        """The number of the last game."""
        return self.games or 2 * self.pairs

    @property
    def length(self) -> int:
        """The number of games that are played."""
        return self.last + 1 - self.first

    @property
    def tournament(self) -> TournamentConfig:
        """The match as a tournament."""
        values = {field.name: getattr(self, field.name) for field in attrs.fields(MatchConfig)}
        named = zip(self.names, self.engine, strict=True)
        engines = (
            EngineConfig(name=name, **attrs.asdict(one, recurse=False)) for name, one in named
        )
        values |= {
            "limits": WaitLimits(**attrs.asdict(self.limits)),
            "adjudication": Adjudication(**attrs.asdict(self.adjudication, recurse=False)),
            "each": EngineConfig(),
            "engine": tuple(engines),
        }
        return TournamentConfig(**values)

    @property
    def plan(self) -> Plan:
        """The plan of the games."""
        return attrs.evolve(make_plan(self.tournament), first=self.first)

    def with_openings(self, stop: StopFlag) -> MatchRequest:
        """The match with openings that were played; safe to call in any thread.

        It takes up to a second for the longest line.

        Raises:
            PeerError: one cannot be played, or ``stop`` said True.
        """
        rules, found = self.plan.rules, []
        for number, opening in enumerate(self.opening, start=1):
            if stop():
                raise PeerError(Code.INTERRUPTED)
            try:
                turns = begin(rules, opening).history
            except (NotationError, IllegalTurn, OpeningError) as error:
                raise PeerError(Code.SYNTAX, f"opening {number}: {error}") from None
            found.append(Opening(tuple(format_turn(turn, rules) for turn in turns)))
        return attrs.evolve(self, opening=tuple(found))


def parse_request(args: tuple[str, ...]) -> MatchRequest:
    """Read the arguments of ``match``, whose openings are not played.

    Raises:
        PeerError: they describe no match.
    """
    try:
        raw = read_json(" ".join(args)) if args[0].startswith("{") else _of_words(args)
        request = read_match(raw, MatchRequest)
        make_plan(request.tournament)
    except ConfigError as error:
        raise PeerError(Code.SYNTAX, str(error)) from None
    return attrs.evolve(request, games=request.last, pairs=1)


def format_request(config: TournamentConfig, first: int, last: int) -> str:
    """The request line for the games ``first`` to ``last`` of a match.

    Raises:
        ConfigError: the line is too long, or the daemon would refuse it.
    """
    shared = {field.name: getattr(config, field.name) for field in attrs.fields(MatchConfig)}
    engines = tuple(
        MatchEngine(engine=f"{ATTACHED}{side.name}", clock=engine.clock, params={**side.params})
        for side, engine in zip(make_plan(config).sides, config.engine, strict=True)
    )
    shared |= {"pairs": 1, "games": last, "each": MatchEngine(), "engine": engines}
    try:
        values = config_values(MatchRequest(**shared, first=first))
    except ValueError as error:
        raise ConfigError(str(error)) from None
    text = json.dumps(values, separators=(",", ":"))
    # A request ends at a number sign, and its words have single spaces between them.
    line = "match " + text.replace("#", r"\u0023").replace("  ", r" \u0020")
    if len(line) > LINE_LIMIT:
        raise ConfigError(f"{len(line)} bytes are too many for a request: send fewer openings")
    return line


# -- up to 0.2; read until 0.4 ---------------------------------------------------------------

_WORDS: Final = {
    **{word: ("", word) for word in ("game", "board", "games", "pairs", "seed", "clock", "wait")},
    "from": ("", "first"),
    "max_turns": ("adjudication", "turns"),
    **{word: ("adjudication", word) for word in ("agree", "resign", "win", "solve")},
    **{word: ("limits", word) for word in ("absence", "resume")},
}
"""The options of ``match ENGINE ENGINE [OPTION=VALUE...]`` with their tables and keys."""


def _of_words(args: tuple[str, ...]) -> dict[str, Any]:
    """The keys that the words of the form of 0.2 stand for; other options are those of the game."""
    if len(args) < 2:
        raise ConfigError("expected a match as JSON")
    raw: dict[str, Any] = {"options": {}}
    engines: dict[str, list[str]] = {"each": [], "first": [], "second": []}
    for name, value in parse_settings(args[2:]).items():
        engine, dot, key = name.partition(".")
        if dot and engine in engines:
            engines[engine].append(f"{key}={value}")
        elif name == "openings":
            raw["opening"] = value.replace("/", " ").split(";")
        elif name in _WORDS:
            table, key = _WORDS[name]
            (raw.setdefault(table, {}) if table else raw)[key] = read_value(value)
        else:
            is_key = hasattr(TournamentConfig(), name)
            (raw if is_key else raw["options"])[name] = value
    if not raw.keys() & {"games", "pairs"}:
        raw["games"] = 1
    raw["each"], *own = map(engine_values, engines.values())
    names = (ATTACHED + name.removeprefix(ATTACHED) for name in args)
    raw["engine"] = [{**one, "engine": name} for one, name in zip(own, names, strict=False)]
    return raw


# -- the reply --------------------------------------------------------------------------------


def format_news(news: News) -> str:
    """One line of the streaming reply."""
    match news:
        case GameBegins(number, game_id, black, white, opening):
            return " ".join(["game", str(number), game_id, black, white, *opening])
        case TurnSeen(number, seat, token, seconds):
            return f"turn {number} {seat} {token} {seconds:.6f}"
        case GameEnds(number, record):
            return f"record {number} {dump_record(record)}"


def parse_news(line: str) -> News:
    """Read one line of the streaming reply.

    Raises:
        NotationError: it is not such a line.
    """
    kind, _, rest = line.partition(" ")
    try:
        number, *words = rest.split(" ")
        if kind == "game":
            game_id, black, white, *opening = words
            return GameBegins(int(number), game_id, black, white, tuple(opening))
        if kind == "turn":
            seat, token, seconds = words
            return TurnSeen(int(number), seat, token, float(seconds))
        if kind == "record":
            return GameEnds(int(number), load_record(rest.partition(" ")[2]))
    except NotationError:
        raise
    except ValueError:
        pass
    raise NotationError(f"not a line of a match: {line[:60]!r}")
