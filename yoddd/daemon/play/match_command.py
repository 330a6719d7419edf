"""The text of the ``match`` command: its arguments and the lines of its streaming reply.

Both are parsed and formatted here: the daemon parses the one and formats the other, and a client
does the reverse.

The reply has a line for each piece of news::

    game NUMBER ID BLACK WHITE [TURN...]
    turn NUMBER SEAT TURN SECONDS
    record NUMBER JSON

where SEAT is ``b`` or ``w`` and JSON a game record on one line; see protocol/server.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen
from yoddd.daemon.play.participants import ATTACHED
from yoddd.notation import NotationError
from yoddd.notation.records import dump_record, load_record
from yoddd.protocol.arguments import (
    NAME_RULE,
    is_name,
    number_setting,
    parse_number,
    parse_settings,
)
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.protocol.origin import fold
from yoddd.referee import ClockError, WaitLimits, parse_clock
from yoddd.referee.adjudication import Adjudication
from yoddd.referee.config import (
    ConfigError,
    EngineConfig,
    TournamentConfig,
    apply_each,
    engine_settings,
    make_plan,
    resign_settings,
    win_settings,
)
from yoddd.referee.evaluations import ResignRule, WinRule
from yoddd.referee.openings import Opening, OpeningError, read_openings
from yoddd.referee.plan import Plan
from yoddd.referee.setting_rights import RIGHTS, Setter, refusal
from yoddd.rules import Rules, RulesError, make_rules

MAX_GAMES: Final = 1000
"""Games of a match over a network: it holds both engines."""

MAX_WAIT: Final = 3600
MAX_SEED: Final = 2**31 - 1
MAX_TURNS: Final = 10_000
ABSENCE: Final = 30
"""Default of the seconds that an engine may be disconnected between two games."""

_WORDS: Final[Mapping[str, str]] = {
    **{word: word for word in ("game", "board", "games", "pairs", "seed", "clock", "wait")},
    "openings": "opening",
    "max_turns": "adjudication.turns",
    "agree": "adjudication.agree",
    "resign": "adjudication.resign",
    "win": "adjudication.win",
    "solve": "adjudication.solve",
    "absence": "limits.absence",
    "resume": "limits.resume",
    "generate": "openings.generate",
}
"""Words of a request with their keys in `RIGHTS`; a key without a dot is a word too."""

_ENGINES: Final = ("each", "first", "second")
_SETTINGS: Final = (
    *(word for word, key in _WORDS.items() if RIGHTS[key].setter is Setter.PEER),
    "from",
)


@attrs.frozen
class MatchOrder:
    """The match that a request asks for.

    Attributes:
        config: the match, as a tournament of two engines that attach.
        first: the number of the first game that is played.
    """

    config: TournamentConfig
    first: int = 1

    @property
    def plan(self) -> Plan:
        """The plan of the games."""
        return attrs.evolve(make_plan(self.config), first=self.first)

    @property
    def names(self) -> tuple[str, str]:
        """Of the two engines."""
        first, second = self.config.engine
        return first.name, second.name

    @property
    def games(self) -> int:
        """The number of games that are played."""
        return (self.config.games or 0) + 1 - self.first


def parse_order(args: tuple[str, ...]) -> MatchOrder:
    """Read the arguments of ``match``.

    Names may be spelled ``tcp:NAME``. Settings that the command does not define are
    options of the game.

    Raises:
        PeerError: they describe no match.
    """
    names = _names(args[:2])
    settings = parse_settings(args[2:])
    _refuse(settings)
    known = {name: settings.pop(name) for name in _SETTINGS if name in settings}
    dotted = {name: settings.pop(name) for name in list(settings) if "." in name}
    games = _games(known)
    try:
        rules = make_rules(known.get("game", "yodd"), known.get("board"), settings)
        config = TournamentConfig(
            game=rules.game.name,
            board=rules.geometry.name,
            options=dict(rules.chosen_options()),
            games=games,
            seed=number_setting(known, "seed", 0, MAX_SEED),
            clock=parse_clock(known.get("clock", "none")),
            engine=_engines(names, dotted),
            opening=_openings(known.get("openings"), rules),
            adjudication=_adjudication(known),
            limits=WaitLimits(
                resume=number_setting(known, "resume", 0, MAX_WAIT),
                absence=number_setting(known, "absence", ABSENCE, MAX_WAIT),
            ),
            wait=number_setting(known, "wait", 0, MAX_WAIT),
        )
        make_plan(config)
    except (RulesError, ClockError, ConfigError, OpeningError) as error:
        raise PeerError(Code.SYNTAX, str(error)) from None
    return MatchOrder(config, _count(known, "from", games))


def _names(words: tuple[str, ...]) -> tuple[str, str]:
    first, second = (name.removeprefix(ATTACHED) for name in words)
    for name in (first, second):
        if not is_name(name):
            raise PeerError(Code.SYNTAX, f"name {name!r}: {NAME_RULE}")
    if fold(first) == fold(second):
        raise PeerError(Code.SYNTAX, f"both entrants are called {second!r}")
    return first, second


def _refuse(settings: Iterable[str]) -> None:
    """Refuse settings that no peer may set, see `RIGHTS`."""
    for name in settings:
        engine, dot, key = name.partition(".")
        is_engine = bool(dot) and engine in _ENGINES
        right = RIGHTS.get(f"engine.{key}" if is_engine else _WORDS.get(name, name))
        if right is not None and right.setter is not Setter.PEER:
            raise PeerError(Code.SYNTAX, refusal(name, right))


def refused_words() -> set[str]:
    """The settings that are refused with a reason, but those of single engines."""
    words = {**{key: key for key in RIGHTS if "." not in key}, **_WORDS}
    return {word for word, key in words.items() if RIGHTS[key].setter is not Setter.PEER}


def _adjudication(known: Mapping[str, str]) -> Adjudication:
    return Adjudication(
        turns=number_setting(known, "max_turns", 0, MAX_TURNS) or None,
        agree=number_setting(known, "agree", 0, MAX_TURNS) or None,
        resign=resign_settings(known["resign"]) if "resign" in known else None,
        win=win_settings(known["win"]) if "win" in known else None,
    )


def _games(known: Mapping[str, str]) -> int:
    if "pairs" not in known:
        return _count(known, "games", MAX_GAMES)
    if "games" in known:
        raise PeerError(Code.SYNTAX, "games or pairs, not both")
    return 2 * _count(known, "pairs", MAX_GAMES // 2)


def _count(known: Mapping[str, str], name: str, high: int) -> int:
    """The number from 1 that is set for ``name``, by default 1."""
    return parse_number(name, known.get(name, "1"), 1, high)


def _engines(names: tuple[str, str], settings: Mapping[str, str]) -> tuple[EngineConfig, ...]:
    """The engines, with settings such as ``first.clock`` and ``each.param.playouts``."""
    found: dict[str, list[str]] = {engine: [] for engine in _ENGINES}
    for name, value in settings.items():
        engine, _, key = name.partition(".")
        if engine not in found or not (key == "clock" or key.startswith("param.")):
            raise PeerError(
                Code.SYNTAX,
                f"{name}: expected clock or param.NAME of {', '.join(_ENGINES)}",
            )
        found[engine].append(f"{key}={value}")
    each, *own = (engine_settings(found[engine]) for engine in _ENGINES)
    return tuple(
        apply_each(each, attrs.evolve(engine, engine=f"{ATTACHED}{name}", name=name))
        for name, engine in zip(names, own, strict=True)
    )


def _openings(text: str | None, rules: Rules) -> tuple[Opening, ...]:
    """Openings joined by ``;``, each of turns that are joined by ``/``."""
    if text is None:
        return ()
    return tuple(read_openings(text.replace(";", "\n").replace("/", " "), "openings", rules))


def format_order(config: TournamentConfig, first: int, last: int) -> str:
    """The request line for the games ``first`` to ``last`` of a match.

    Settings that are unset are left out.

    Raises:
        ConfigError: the line is too long, or cannot say it.
    """
    plan = make_plan(config)
    if any(opening.position is not None for opening in plan.openings):
        raise ConfigError(
            "openings: a daemon supports turns from the empty board only, no positions"
        )
    early, limits = plan.adjudication, plan.limits
    settings: dict[str, object] = {
        "game": plan.rules.game.name,
        "board": plan.rules.geometry.name,
        "games": last,
        "from": first if first > 1 else None,
        "seed": plan.seed,
        "clock": config.clock,
        "wait": round(config.wait),
        "absence": round(limits.absence),
        "resume": round(limits.resume) or None,
        "max_turns": early.turns,
        "agree": early.agree,
        "resign": _format_rule(early.resign),
        "win": _format_rule(early.win),
        "openings": ";".join("/".join(opening.turns) for opening in plan.openings) or None,
        **plan.rules.chosen_options(),
    }
    for place, side in zip(_ENGINES[1:], plan.sides, strict=True):
        settings[f"{place}.clock"] = side.clock if side.clock != config.clock else None
        settings |= {f"{place}.param.{name}": value for name, value in side.params.items()}
    words = [f"{name}={value}" for name, value in settings.items() if value is not None]
    for word in words:
        if len(word.split()) != 1:
            raise ConfigError(f"{word!r}: a setting of a request has no space")
    line = " ".join(["match", *(side.name for side in plan.sides), *words])
    if len(line) > LINE_LIMIT:
        raise ConfigError(f"{len(line)} bytes are too many for a request: send fewer openings")
    return line


def _format_rule(rule: ResignRule | WinRule | None) -> str | None:
    """A rule as `resign_settings` and `win_settings` read it."""
    if rule is None:
        return None
    values = attrs.asdict(rule).items()
    return ",".join(
        f"{name}={('off', 'on')[value] if isinstance(value, bool) else value}"
        for name, value in values
    )


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
