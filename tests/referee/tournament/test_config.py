"""Tournament files: every key, errors that name their key, and the conditions as text."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from yoddd.referee import WaitLimits, parse_clock
from yoddd.referee.game.adjudication import Adjudication
from yoddd.referee.game.evaluations import ResignRule, WinRule
from yoddd.referee.stats.sprt import Sprt, SprtModel
from yoddd.referee.tournament.conditions import conditions, source_of
from yoddd.referee.tournament.config import (
    ConfigError,
    EngineConfig,
    OpeningsConfig,
    TournamentConfig,
    check_at_daemon,
    dump_config,
    engine_settings,
    load_config,
    make_plan,
    parse_toml,
    structure,
)
from yoddd.referee.tournament.openings import Opening
from yoddd.referee.tournament.plan import Adjudicate, Format, OnCrash

CUP = """
name = "Cup"
game = "yoin"
board = "hex4"
format = "swiss"
rounds = 3
clock = "40/60+1,margin=0.1"
on_crash = "void"
ponder = true
[options]
pie = false
[limits]
reply = 3
[adjudication]
turns = 30
resign = { movecount = 4, score = 0.05, twosided = true }
win = { movecount = 10, score = 0.97 }
[each]
memory = 512
params = { level = 3, fast = true }
[[engine]]
engine = "./a"
name = "a"
[[engine]]
engine = "./b"
name = "b"
clock = "30"
memory = 256
params = { level = 5 }
"""


def test_parse_toml_whole_file_makes_a_plan() -> None:
    config = parse_toml(CUP)
    plan = make_plan(config)
    one, other = plan.sides
    assert (plan.format, plan.rounds, plan.on_crash) == (Format.SWISS, 3, OnCrash.VOID)
    assert (plan.rules.game.name, plan.rules.pie, plan.limits.reply) == ("yoin", False, 3)
    assert dict(one.params) == {"level": "3", "fast": "on", "ponder": "on"}
    assert dict(other.params) == {"level": "5", "fast": "on", "ponder": "on"}
    assert (str(one.clock), str(other.clock)) == ("40/60+1,margin=0.1", "30+0")
    assert [engine.memory for engine in config.engine] == [512, 256]
    resign = ResignRule(movecount=4, score=0.05, twosided=True)
    win = WinRule(movecount=10, score=0.97)
    assert plan.adjudication == Adjudication(turns=30, resign=resign, win=win)
    assert structure("movecount=4,score=0.05,twosided=on", ResignRule) == resign
    assert structure("score=0.97,movecount=10", WinRule) == win


def test_dump_config_is_loaded_again() -> None:
    config = attrs.evolve(parse_toml(CUP), opening=(Opening(("1a1",)), Opening((), "yoin …")))
    assert load_config(dump_config(config)) == config
    assert load_config(dump_config(TournamentConfig())) == TournamentConfig()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x =", "not TOML"),
        ("nam = 'x'", "unknown key nam; did you mean 'name'?"),
        ("[[engin]]\nname = 'x'", "unknown key engin; did you mean 'engine'?"),
        ("[[engine]]\nmemroy = 5", "engine[0]: unknown key memroy; did you mean 'memory'?"),
        ("pairs = 'x'", "pairs: 'x': expected a whole number"),
        ("pairs = true", "pairs: true: expected a whole number"),
        ("affinity = 1", "affinity: 1: expected true or false"),
        ("format = 'cup'", "format: 'cup': expected one of round-robin"),
        ("adjudicate = 'solver'", "adjudicate: 'solver': expected one of none, tables"),
        ("clock = 'soon'", "clock: clock part 'soon'"),
        ("options = {pie = [1]}", "expected a text or a number"),
        ("[sprt]\nelo0 = 5\nelo1 = 1", "sprt: elo0 5 is not below elo1 1"),
        ("[[engine]]\nspeed = 1", "engine[0]: unknown key speed"),
        ("[adjudication]\nturns = 1.5", "adjudication.turns: 1.5"),
        ("[adjudication]\nsolve = 0", "adjudication: 'solve' must be >= 1: 0"),
        ("[adjudication]\nresign = {count = 1}", "adjudication.resign: unknown key count"),
        ("[adjudication.resign]\nscore = -1", "adjudication.resign: 'score' must be >= 0.0: -1"),
        ("[adjudication.win]\nmovecount = 1", "adjudication.win: 'movecount' must be >= 2: 1"),
        ("[adjudication.win]\nscore = 0.5", "adjudication.win: 'score' must be > 0.5: 0.5"),
        ("[openings]\nwindow = nan", "openings: 'window' must be >= 0: nan"),
        ("[limits]\nreply = -1", "limits: 'reply' must be >= 0: -1"),
        ("[each]\nmemory = -1", "each: 'memory' must be >= 1: -1"),
        ('[each.env]\nA = "\\u0000"', "no program takes a NUL character"),
        ("[sprt]\nelo0 = 5", "sprt.elo1: missing"),
        ("concurrency = 0", "'concurrency' must be >= 1: 0"),
        ("games = 0", "'games' must be >= 1: 0"),
        ("engine = 5", "engine"),
    ],
)
def test_parse_toml_invalid_value_names_its_key(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_toml(text)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "0 engines"),
        ("game = 'chess'", "chess"),
        ("shard = '1/2'", "shard was removed: play on several machines with --cluster"),
        ("pairs = 0", "0 pairs of games: expected from 1 to 1000000"),
        ("rounds = 0", "expected at least 1"),
        ('each = { params = { a = "b\\nc" } }', "params.a: expected a line of text"),
    ],
)
def test_make_plan_contradiction_is_refused(text: str, problem: str) -> None:
    engines = '\n[[engine]]\nengine="a"\nname="a"\n[[engine]]\nengine="b"\nname="b"\n'
    with pytest.raises(ConfigError, match=problem):
        make_plan(parse_toml(text + (engines if text else "")))


def test_parse_toml_ignores_a_key_that_is_gone_and_warns() -> None:
    with pytest.warns(FutureWarning, match="tables is gone and has no effect"):
        assert parse_toml("tables = '/var/lib/tables'") == parse_toml("")


def test_engine_settings_are_read() -> None:
    words = ["name=x", "memory=99", "network=off", "restart=on", "clock=move=2", "param.a.b=c=d"]
    assert engine_settings(words) == EngineConfig(
        name="x",
        memory=99,
        network=False,
        restart=True,
        clock=parse_clock("move=2"),
        params={"a.b": "c=d"},
    )
    assert engine_settings(["name=007", "cwd=٣"]) == EngineConfig(name="007", cwd="٣")
    found = structure("elo0=-1.5,elo1=3,alpha=0.1,model=logistic", Sprt)
    assert (found.elo0, found.elo1, found.alpha, found.model) == (-1.5, 3, 0.1, SprtModel.LOGISTIC)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *((text, EngineConfig) for text in ("speed=1", "memory=much", "name", "=x")),
        *((text, Sprt) for text in ("elo0=0", "elo0=x,elo1=2", "elo0=2,elo1=1", "nothing")),
    ],
)
def test_settings_invalid_are_refused(text: str, kind: type) -> None:
    with pytest.raises(ConfigError):
        engine_settings([text]) if kind is EngineConfig else structure(text, kind)


def test_engine_settings_parameter_without_its_table_is_suggested() -> None:
    with pytest.raises(ConfigError, match="unknown key strength; a parameter of"):
        engine_settings(["strength=3"])
    with pytest.raises(ConfigError, match="unknown key memry; did you mean 'memory'"):
        engine_settings(["memry=3"])


# -- a match at a daemon --------------------------------------------------------------------

AT_DAEMON = (EngineConfig(engine="tcp:ann"), EngineConfig(engine="tcp:bob"))


@pytest.mark.parametrize(
    ("key", "settings"),
    [
        ("adjudication.solve", {"adjudication": Adjudication(solve=5)}),
        ("adjudicate", {"adjudicate": Adjudicate.TABLES}),
        ("affinity", {"affinity": True}),
        ("listen", {"listen": "tcp:0"}),
        ("attempts", {"attempts": 2}),
        ("format", {"format": Format.KNOCKOUT}),
        ("rounds", {"rounds": 2}),
        ("stages", {"stages": (2,)}),
        ("limits.reply", {"limits": WaitLimits(reply=1)}),
        ("limits.launch", {"limits": WaitLimits(launch=1)}),
        ("limits.move", {"limits": WaitLimits(move=1)}),
        ("engine.memory", {"engine": (attrs.evolve(AT_DAEMON[0], memory=5), AT_DAEMON[1])}),
        ("engine.restart", {"engine": (AT_DAEMON[0], attrs.evolve(AT_DAEMON[1], restart=True))}),
    ],
)
def test_check_at_daemon_refuses_a_setting_for_runs_alone(
    key: str, settings: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError, match=f"^{key}: not in a match that a daemon plays; with --li"):
        check_at_daemon(TournamentConfig(**{"engine": AT_DAEMON, **settings}))


def test_check_at_daemon_takes_what_is_sent_and_what_the_client_does_itself() -> None:
    config = TournamentConfig(
        engine=(attrs.evolve(AT_DAEMON[0], params={"playouts": "5"}), EngineConfig(engine="./bot")),
        name="cup",
        opening=(Opening(("1a1",)),),
        openings=OpeningsConfig(generate=3),
        adjudication=Adjudication(turns=9, agree=5),
        limits=WaitLimits(resume=5, absence=9),
        on_crash=OnCrash.VOID,
    )
    check_at_daemon(config)
    with pytest.raises(ConfigError, match="daemon: 3 engines, expected two"):
        check_at_daemon(attrs.evolve(config, engine=(*AT_DAEMON, AT_DAEMON[0])))


def test_conditions_have_what_a_swiss_tournament_sets() -> None:
    config = attrs.evolve(parse_toml(CUP), game="odd", options={}, ponder=False)
    found = dict(conditions(config))
    assert found["game"] == "odd on hex4 min_group=5"
    assert found["format"] == "swiss, 3 rounds, 1 pair per encounter"
    assert found["pondering"] == "off"
    assert found["adjudication"].startswith("turns=30 resign(")
    assert found["openings"] == "the empty board"


@pytest.mark.parametrize(
    ("openings", "text"),
    [
        (OpeningsConfig(), ""),
        (
            OpeningsConfig(generate=8, fill=0.25),
            "8 generated, 25% of the cells filled, within 0.05 of even for mcts with 200 playouts",
        ),
        (
            OpeningsConfig(file="book.sgf", turns=4, shuffle=True),
            "8 of book.sgf, 4 turns of each, shuffled",
        ),
        (OpeningsConfig(file="book.sgf"), "8 of book.sgf"),
    ],
)
def test_source_of_openings_says_where_they_come_from(openings: OpeningsConfig, text: str) -> None:
    assert source_of(openings, 8) == text
