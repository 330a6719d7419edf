"""The text of the ``match`` command: its arguments and the lines of its streaming reply.

Both are parsed and formatted here: the daemon parses the one and formats the other, and a client
does the reverse.

The reply has a line for each piece of news::

    game NUMBER ID BLACK WHITE [TURN...]
    turn NUMBER SEAT TURN SECONDS
    record NUMBER JSON

where SEAT is ``b`` or ``w`` and JSON a game record on one line; see protocol/SPEC.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from yoddd.daemon.play.match_runner import Waits
from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen
from yoddd.daemon.play.participants import ATTACHED
from yoddd.notation import NotationError
from yoddd.notation.records import dump_record, load_record
from yoddd.protocol.arguments import NAME_RULE, is_name, number_setting, parse_settings
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.protocol.origin import fold
from yoddd.referee import (
    DEFAULT_WAIT_LIMITS,
    ClockError,
    Match,
    MatchError,
    MatchPlan,
    parse_clock,
)
from yoddd.referee.adjudication import Adjudication
from yoddd.referee.config import ConfigError, EngineConfig, apply_each, engine_settings
from yoddd.referee.openings import OpeningError, read_openings
from yoddd.rules import Rules, RulesError, make_rules

MAX_GAMES: Final = 1000
"""Games of a match over a network: it holds both engines."""

MAX_WAIT: Final = 3600
MAX_SEED: Final = 2**31 - 1
MAX_TURNS: Final = 10_000
ABSENCE: Final = 30
"""Default of the seconds that an engine may be disconnected between two games."""

_SETTINGS: Final = (
    *("game", "board", "games", "pairs", "seed", "clock", "openings", "max_turns", "agree"),
    *("wait", "absence", "resume"),
)
_ENGINES: Final = ("each", "first", "second")
ELSEWHERE: Final = {
    "adjudicate": "the tables are files of the organiser",
    "solve": "proofs would delay all other clients",
    "generate": "an engine that judges openings would delay all other clients",
    "sprt": "the client can end the match at any line",
    "concurrency": "an attached engine plays one game at a time",
    "affinity": "attached engines are not processes of the daemon",
    "on_crash": "a crash loses",
    "ponder": "say each.param.ponder=on",
}
"""Settings of `yoddd match` that a daemon refuses, with the reasons."""


@attrs.frozen
class MatchOrder:
    """The match that a request asks for.

    Attributes:
        plan: the match.
        waits: how long engines are waited for, in seconds.
    """

    plan: MatchPlan
    waits: Waits


def parse_order(args: tuple[str, ...], match_id: str = "match") -> MatchOrder:
    """Read the arguments of ``match``.

    Names may be spelled ``tcp:NAME``. Settings that the command does not define are
    options of the game.

    Raises:
        PeerError: they describe no match.
    """
    first, second = (name.removeprefix(ATTACHED) for name in args[:2])
    for name in (first, second):
        if not is_name(name):
            raise PeerError(Code.SYNTAX, f"name {name!r}: {NAME_RULE}")
    if fold(first) == fold(second):
        raise PeerError(Code.SYNTAX, f"both entrants are called {second!r}")
    settings = parse_settings(args[2:])
    for name, why in ELSEWHERE.items():
        if name in settings:
            raise PeerError(Code.SYNTAX, f"{name}: not in a match that a daemon plays: {why}")
    known: dict[str, str] = {name: settings.pop(name) for name in _SETTINGS if name in settings}
    dotted = {name: settings.pop(name) for name in list(settings) if "." in name}
    try:
        first_engine, second_engine = _engine_settings(dotted)
        rules = make_rules(known.get("game", "yodd"), known.get("board"), settings)
        clock = parse_clock(known.get("clock", "none"))
        plan = MatchPlan(
            id=match_id,
            names=(first, second),
            rules=rules,
            games=_games(known),
            seed=number_setting(known, "seed", 0, MAX_SEED),
            clock=clock,
            odds=(first_engine.clock or clock, second_engine.clock or clock),
            params=(first_engine.params, second_engine.params),
            openings=_openings(known.get("openings"), rules),
            limits=attrs.evolve(
                DEFAULT_WAIT_LIMITS, resume=float(number_setting(known, "resume", 0, MAX_WAIT))
            ),
            adjudication=Adjudication(
                turns=number_setting(known, "max_turns", 0, MAX_TURNS) or None,
                agree=number_setting(known, "agree", 0, MAX_TURNS) or None,
            ),
        )
        Match(plan)
    except (RulesError, ClockError, MatchError, ConfigError, OpeningError) as error:
        raise PeerError(Code.SYNTAX, str(error)) from None
    wait = number_setting(known, "wait", 0, MAX_WAIT)
    return MatchOrder(plan, Waits(wait, number_setting(known, "absence", ABSENCE, MAX_WAIT)))


def _games(known: Mapping[str, str]) -> int:
    if "pairs" not in known:
        return number_setting(known, "games", 1, MAX_GAMES)
    if "games" in known:
        raise PeerError(Code.SYNTAX, "games or pairs, not both")
    return 2 * number_setting(known, "pairs", 1, MAX_GAMES // 2)


def _engine_settings(settings: Mapping[str, str]) -> tuple[EngineConfig, EngineConfig]:
    """The settings of each engine, such as ``first.clock`` and ``each.param.playouts``."""
    found: dict[str, list[str]] = {engine: [] for engine in _ENGINES}
    for name, value in settings.items():
        engine, _, key = name.partition(".")
        if engine not in found or not (key == "clock" or key.startswith("param.")):
            raise PeerError(
                Code.SYNTAX,
                f"{name}: expected clock or param.NAME of {', '.join(_ENGINES)}",
            )
        found[engine].append(f"{key}={value}")
    each, first, second = (engine_settings(found[engine]) for engine in _ENGINES)
    return apply_each(each, first), apply_each(each, second)


def _openings(text: str | None, rules: Rules) -> tuple[tuple[str, ...], ...]:
    """Openings joined by ``;``, each of turns that are joined by ``/``."""
    if text is None:
        return ()
    lines = text.replace(";", "\n").replace("/", " ")
    return tuple(opening.turns for opening in read_openings(lines, "openings", rules))


def format_order(plan: MatchPlan, waits: Waits) -> str:
    """The request line that asks for ``plan``; optional settings that are unset are left out.

    Raises:
        MatchError: the line is too long.
    """
    rules, early = plan.rules, plan.adjudication
    settings: dict[str, object] = {
        "game": rules.game.name,
        "board": rules.geometry.name,
        "games": plan.games,
        "seed": plan.seed,
        "clock": plan.clock,
        "wait": waits.first,
        "absence": waits.later,
        "resume": round(plan.limits.resume) or None,
        "max_turns": early.turns,
        "agree": early.agree,
        "openings": ";".join("/".join(turns) for turns in plan.openings) or None,
        **rules.chosen_options(),
    }
    for place, engine in enumerate(_ENGINES[1:]):
        if plan.odds is not None and plan.odds[place] != plan.clock:
            settings[f"{engine}.clock"] = plan.odds[place]
        settings |= {f"{engine}.param.{name}": value for name, value in plan.params[place].items()}
    words = [f"{name}={value}" for name, value in settings.items() if value is not None]
    for word in words:
        if len(word.split()) != 1:
            raise MatchError(f"{word!r}: a setting of a request has no space")
    line = " ".join(["match", *plan.names, *words])
    if len(line) > LINE_LIMIT:
        raise MatchError(f"{len(line)} bytes are too many for a request: send fewer openings")
    return line


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
