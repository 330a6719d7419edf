"""Settings from a file, the environment and the command line, and what is composed of them."""

from __future__ import annotations

import math
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import attrs
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.testing import MemoryReactorClock

from yoddd.cli import main
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import DEFAULT_HTTP, KEYS, LadderSettings, Settings, lookup
from yoddd.daemon.base.world import World
from yoddd.daemon.composition import compose
from yoddd.daemon.configuration import (
    SettingsError,
    Sources,
    format_reference,
    format_settings,
    load,
    parse_setting,
)
from yoddd.daemon.net.listeners import ListenError
from yoddd.notation.text import show_value
from yoddd.protocol.errors import PeerError
from yoddd.protocol.origin import Origin
from yoddd.referee.tournament.config import ConfigError, TournamentConfig, parse_toml

pytestmark = pytest.mark.gate


def written(folder: Path, text: str) -> Path:
    path = folder / "yoddd.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_load_prefers_flags_to_environment_to_file_to_defaults(
    tmp_path: Path,
) -> None:
    text = 'searches = 2\n[limits]\nline = 100\nrate = 7\nexempt = ["10.0.0.0/8"]\n'
    environment = {"YODDD_LIMITS_LINE": "200", "YODDD_LIMITS_RATE": "8.5", "HOME": "/"}
    sources = Sources(written(tmp_path, text), environment, {"limits.line": "300"})
    configuration = load(sources)
    limits = configuration.settings.limits
    assert (limits.line, limits.rate, limits.exempt) == (300, 8.5, ("10.0.0.0/8",))
    assert (configuration.settings.searches, limits.burst) == (2, 50)
    assert dict(configuration.origins) == {
        "limits.line": "flag",
        "limits.rate": "environment",
        "searches": "file",
        "limits.exempt": "file",
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[limits]\nlien = 3", "unknown key 'limits.lien'; did you mean 'limits.line'?"),
        ("line = 3", "unknown key 'line'; did you mean 'limits.line'?"),
        ("[limit]\nline = 3", "unknown section 'limit'; did you mean 'limits'?"),
        ("[limits]\nline = 'x'", "limits.line: 'x': expected a whole number"),
        ("[limits]\nline = true", "limits.line: true: expected a whole number"),
        ("[limits]\nline = 3", "yoddd.toml: limits.line 3: expected 64 or more"),
        ("[limits]\nrate = inf", "limits.rate inf: expected 0.01 or more"),
        (
            "[limits]\nexempt = ['home']",
            "limits.exempt 'home': expected a network such as 10.0.0.0/8",
        ),
        ("listen = [1]", "listen: [1]: expected a list of texts"),
        ("public = 1", "public: 1: expected true or false"),
        ("[log]\nformat = 'xml'", "format 'xml': expected one of text, json"),
        ("drain = " + "[" * 5000, "not TOML: nested too deeply"),
        ("drain = " + "9" * 5000, "not TOML: Exceeds the limit"),
    ],
)
def test_load_of_a_mistake_fails_and_names_it(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(Sources(written(tmp_path, text)))
    assert problem in str(caught.value)
    with pytest.raises(SettingsError, match="No such file"):
        load(Sources(tmp_path / "none.toml"))


NUMBERS = [name for name, key in KEYS.items() if type(key.default) in (int, float)]
NAMES = {
    "yodd.example": "yodd.example",
    "YODD.example": "yodd.example",
    "bücher.example": "xn--bcher-kva.example",
    "STRAßE.example": "xn--strae-oqa.example",
    "囲碁.example": "xn--kcsw49e.example",
    "192.0.2.1": "192.0.2.1",
    "[2001:DB8::1]": "[2001:db8::1]",
}
"""Names of servers, and how browsers spell them."""


@given(name=st.sampled_from(NUMBERS), digits=st.integers(10, 40), sign=st.sampled_from("-0"))
def test_load_of_a_number_that_is_too_large_or_negative_names_the_key_and_its_source(
    name: str, digits: int, sign: str
) -> None:
    number = "9" * digits if sign == "0" else f"-{'9' * digits}"
    with pytest.raises(SettingsError) as caught:
        load(Sources(environment={KEYS[name].variable: number}))
    assert re.match(
        rf"{KEYS[name].variable} \S+: expected [\d.]+ or (less|more)$", str(caught.value)
    )


@given(
    key=st.sampled_from(["origins", "cors"]),
    scheme=st.sampled_from(["https://", "HTTPS://", "http://", ""]),
    name=st.sampled_from(list(NAMES)),
    port=st.sampled_from(["", ":80", ":443", ":8443"]),
    rest=st.sampled_from(["", "/", "/a", "/a?b", "?b", "#c"]),
    user=st.sampled_from(["", "ann@"]),
)
def test_load_of_an_origin_spells_it_as_browsers_do_or_refuses_it_with_that_spelling(
    key: str, scheme: str, name: str, port: str, rest: str, user: str
) -> None:
    spelled = (scheme or "https://").lower()
    usual = ":443" if spelled == "https://" else ":80"
    right = f"{spelled}{NAMES[name]}{'' if port == usual else port}"
    with TemporaryDirectory() as folder:
        file = written(Path(folder), f"{key} = ['{scheme}{user}{name}{port}{rest}']")
        if scheme and not user and rest in ("", "/"):
            assert lookup(load(Sources(file)).settings, key) == (right,)
            return
        with pytest.raises(SettingsError) as caught:
            load(Sources(file))
    assert str(caught.value).startswith(f"{file}: {key} ")
    assert str(caught.value).endswith(f": expected {right}")


@pytest.mark.parametrize("text", ["", "*", "https://", "https://a b", "https://a:b", "x y://a"])
def test_load_of_what_is_no_origin_shows_one(text: str) -> None:
    with pytest.raises(SettingsError, match="expected an origin such as https://"):
        load(Sources(flags={"origins": (text,)}))
    assert load(Sources(flags={"cors": ("*",)})).settings.cors == ("*",)


def test_load_parses_text_by_the_type_of_its_key() -> None:
    flags = {
        "origins": "https://a.example, https://b.example",
        "limits.exempt": "[]",
        "public": "true",
        "limits.slow_line": "3",
        "http": "",
    }
    settings = load(Sources(flags=flags)).settings
    assert settings.origins == ("https://a.example", "https://b.example")
    assert (settings.limits.exempt, settings.public, settings.http) == ((), True, "")
    assert settings.limits.slow_line == 3.0
    with pytest.raises(SettingsError, match="YODDD_SEARCHES: 'many': expected a whole number"):
        load(Sources(environment={"YODDD_SEARCHES": "many"}))
    with pytest.raises(SettingsError, match=r"limits\.rate: .*: expected a number"):
        load(Sources(flags={"limits.rate": "[" * 5000}))


def test_parse_setting_splits_key_and_value() -> None:
    assert parse_setting("limits.line = 99") == ("limits.line", "99")
    assert parse_setting("http=") == ("http", "")
    with pytest.raises(SettingsError, match="expected KEY=VALUE"):
        parse_setting("limits.line")
    with pytest.raises(SettingsError, match=r"did you mean 'limits.burst'"):
        parse_setting("limits.brust=3")


def test_load_warns_of_a_misspelt_variable() -> None:
    meant = {
        "YODDD_LIMIT_LINE": "YODDD_LIMITS_LINE",
        "YODD_LIMITS_RATE": "YODDD_LIMITS_RATE",
        "YODDD_BURST": "YODDD_LIMITS_BURST",
        "YODDD_TOKN": "YODDD_TOKEN",
    }
    environment = dict.fromkeys([*meant, "YODDD_TEST_NATIVE", "YODDD_CONFIG"], "3")
    said = [f"{one} sets nothing; did you mean '{other}'?" for one, other in meant.items()]
    assert sorted(load(Sources(environment=environment)).warnings) == sorted(said)


def test_load_reads_an_old_name_of_a_key_from_every_source_and_warns(tmp_path: Path) -> None:
    path = tmp_path / "yoddd.toml"
    path.write_text("[ladder]\ngames = 3\n", encoding="utf-8")
    for sources in (
        Sources(file=path),
        Sources(environment={"YODDD_LADDER_GAMES": "3"}),
        Sources(flags=dict([parse_setting("ladder.games=3")])),
    ):
        found = load(sources)
        assert found.settings.ladder.concurrency == 3
        assert [*found.origins] == ["ladder.concurrency"]
        assert found.warnings == ("ladder.games is now named ladder.concurrency",)
    both = load(Sources(path, flags={"ladder.concurrency": 2}))
    assert both.settings.ladder.concurrency == 2
    path.write_text("[ladder]\ngames = true\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"ladder\.games: true: expected a whole number"):
        load(Sources(file=path))


def test_load_ignores_a_key_that_is_gone_and_warns(tmp_path: Path) -> None:
    for sources in (
        Sources(file=written(tmp_path, 'tables = "/var/lib/tables"\nsearches = 2\n')),
        Sources(environment={"YODDD_TABLES": "/var/lib/tables"}),
        Sources(flags=dict([parse_setting("tables=off")])),
    ):
        found = load(sources)
        assert "tables" not in found.origins
        (warning,) = found.warnings
        assert warning.startswith("tables is gone and has no effect: small boards are solved")


def test_format_settings_is_a_file_with_the_same_settings(tmp_path: Path) -> None:
    flags = {"limits.line": 99, "origins": ("https://x.example",), "admin": '/a "b"\\c'}
    first = load(Sources(flags=flags))
    text = format_settings(first)
    assert "line = 99  # flag" in text
    assert "burst = 50  # default" in text
    again = load(Sources(written(tmp_path, text)))
    assert again.settings == first.settings
    assert set(again.origins) == set(KEYS)


def test_keys_have_a_text_a_variable_and_a_line_in_the_reference() -> None:
    reference = format_reference()
    assert len({key.variable for key in KEYS.values()}) == len(KEYS)
    for name, key in KEYS.items():
        assert key.text.endswith(".")
        assert f"| `{name}` |" in reference
        value = lookup(Settings(), name)
        assert not isinstance(value, float) or math.isfinite(value)


def test_reference_page_is_up_to_date() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "configuration.md"
    assert page.read_text(encoding="utf-8") == format_reference()


def test_serve_prints_the_configuration_and_refuses_mistakes(tmp_path: Path) -> None:
    path = written(tmp_path, "[limits]\nrate = 5\n")
    words = ["serve", "--config", str(path), "--set", "limits.burst=9", "--print-config"]
    done = CliRunner().invoke(main, words)
    assert "rate = 5.0  # file\n" in done.stdout
    assert "burst = 9  # flag\n" in done.stdout
    path.write_text("[limits]\nrat = 5\n")
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 1
    assert f"{path}: unknown key 'limits.rat'; did you mean 'limits.rate'?" in refused.stderr


def test_page_of_limits_has_a_row_for_every_limit() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "limits.md").read_text()
    rows = "\n".join(line for line in page.splitlines() if line.startswith("| "))
    assert [one for one in KEYS if one.startswith("limits.") and f"`{one}`" not in rows] == []


NUMBERED = re.compile(r"`((?:limits|ladder)\.\w+)`(?: =|,)? (\d[\d,]*(?:\.\d+)?)(?: (KiB))?")


def test_pages_name_the_defaults_of_limits() -> None:
    found = {
        (page.name, name, float(number.replace(",", "")) * (1024 if unit else 1))
        for page in (Path(__file__).parents[2] / "docs").rglob("*.md")
        for name, number, unit in NUMBERED.findall(page.read_text(encoding="utf-8"))
    }
    assert len(found) > 40
    assert [one for one in found if one[2] != KEYS[one[1]].default] == []


@pytest.mark.parametrize(("more", "http"), [((), DEFAULT_HTTP), (("--no-http",), "")])
def test_page_is_served_beside_other_ports_unless_it_is_switched_off(
    more: tuple[str, ...], http: str
) -> None:
    words = ["serve", "--listen", "tcp:9:interface=127.0.0.1", *more, "--print-config"]
    assert f'\nhttp = "{http}"' in CliRunner().invoke(main, words).stdout


def test_option_that_is_not_given_leaves_the_key_to_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Sources] = []
    monkeypatch.setattr("yoddd.daemon.serve.serve", lambda _, sources: given.append(sources))
    path = written(tmp_path, 'login = true\nstore = "a"\n[ladder]\nconcurrency = 2\ngame = "odd"\n')
    done = CliRunner().invoke(main, ["serve", "--config", str(path)])
    assert (done.exit_code, [one.flags for one in given]) == (0, [{}]), done.output


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"login": True}, "`login` needs a `store`"),
        ({"ladder": LadderSettings(concurrency=1)}, "a ladder needs a `store`"),
        (
            {"ladder": LadderSettings(concurrency=1, clock="fast"), "store": "games.db"},
            "ladder: ",
        ),
        ({"store": "carrier-pigeon://"}, "store: "),
    ],
)
def test_compose_refuses_settings_that_cannot_work(keys: dict[str, Any], problem: str) -> None:
    with pytest.raises(ListenError, match=problem):
        compose(World(cast("Reactor", MemoryReactorClock())), CurrentSettings(Settings(**keys)))


def test_compose_without_a_store_has_no_accounts_and_no_ladder() -> None:
    clock = MemoryReactorClock()
    built = compose(World(cast("Reactor", clock)), CurrentSettings())
    assert (built.ledger, built.ladder) == (None, None)
    assert built.services.session.services.accounts is None
    assert built.services.attach_gate is None
    assert built.services.session_config().services.login_required is False
    assert clock.getDelayedCalls() == []


def test_compose_shares_engines_games_and_limits() -> None:
    built = compose(World(cast("Reactor", MemoryReactorClock())), CurrentSettings())
    services, games = built.services, built.games
    assert services.engines is games.engines
    assert services.session.services.lobby is built.lobby
    assert set(services.streams) == {"match", "observe"}
    games.start_gate.close("closed by the test")
    with pytest.raises(PeerError, match="closed by the test"):
        built.lobby.seek(Origin(), "ann", {})


TOML = st.recursive(
    st.one_of(st.dates(), st.times(), st.datetimes(), st.booleans(), st.integers(0, 9)),
    lambda below: st.lists(below, min_size=1, max_size=2),
    max_leaves=3,
)
PYTHONS_WORDS = re.compile(r"datetime|True|False|None|object is not|<class")


@given(st.sampled_from(sorted(KEYS)), TOML)
def test_value_of_toml_that_does_not_fit_is_shown_as_toml_has_it(key: str, value: object) -> None:
    with TemporaryDirectory() as folder:
        sources = Sources(written(Path(folder), f"{key} = {show_value(value)}"))
        try:
            load(sources)
        except SettingsError as error:
            assert not PYTHONS_WORDS.search(str(error))  # noqa: PT017 — some values fit


@given(st.sampled_from([one.name for one in attrs.fields(TournamentConfig)]), TOML)
def test_value_of_a_tournament_that_does_not_fit_is_shown_as_toml_has_it(
    key: str, value: object
) -> None:
    try:
        parse_toml(f"{key} = {show_value(value)}")
    except ConfigError as error:
        assert not PYTHONS_WORDS.search(str(error))  # noqa: PT017 — some values fit
