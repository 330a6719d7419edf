"""The language-neutral texts in protocol/ against the program and each other."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
from abnf import ParseError

from tests.protocol.peer import EVERYTHING, Peer
from tests.protocol.vectors import (
    CHANNELS,
    FILES,
    PROTOCOL,
    Exchange,
    connections,
    escape,
    every_exchange,
    spelled,
)
from tests.support.schemas import validator
from tests.support.wire import GRAMMAR, parses, rule_of
from yoddd.protocol import Code
from yoddd.protocol.command import COMMON, OURS
from yoddd.protocol.command_table import FEATURES
from yoddd.protocol.effects import Attach, Close, StartAnalysis, StartCall, StartTask
from yoddd.protocol.errors import Subcode
from yoddd.protocol.grammar import Request, parse_line
from yoddd.protocol.phases import TRANSITIONS
from yoddd.rules import GAMES
from yoddd.rules.facts import WORDS

SPEC = "\n".join(part.read_text() for part in sorted(PROTOCOL.glob("*.md")))
"""All parts of the specification."""
DOCS = PROTOCOL.parent / "docs"


def listed() -> list[str]:
    return Peer(**EVERYTHING).ask("list_commands").removeprefix("= ").split("\n")


def commands() -> list[str]:
    """The commands under the names of the specification."""
    return [name for name in listed() if not name.startswith(OURS)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_session_follows_its_vector(file: Path, request: pytest.FixtureRequest) -> None:
    sent = spelled(file, lambda: partial(replay, Peer(**EVERYTHING)))
    if request.config.getoption("--renew"):
        file.write_text(sent, encoding="ascii")
    assert file.read_text("ascii") == sent


def replay(peer: Peer, line: bytes) -> Exchange:
    mark = len(peer.log)
    sent = peer.feed(line + b"\n")
    for effect in peer.log[mark:]:
        if isinstance(effect, StartTask | StartCall | StartAnalysis):
            sent += peer.finish_task(effect)
    kinds = {type(effect) for effect in peer.log[mark:]}
    ends = "closed" if Close in kinds else "attached" if Attach in kinds else ""
    return Exchange(line, sent, ends)


@pytest.mark.whole
def test_vectors_lines_follow_the_grammar() -> None:
    for exchange in every_exchange():
        line = exchange.line.translate(bytes.maketrans(b"\t", b" "), bytes(range(9)) + b"\r")
        assert parses("line", line), escape(line)
        for reply in re.findall(rb"(?:^|(?<=\n))[=?].*?\n\n", exchange.reply, re.DOTALL):
            assert parses("reply", reply), escape(reply)


@pytest.mark.whole
def test_vectors_requests_and_replies_follow_the_grammar_of_the_command() -> None:
    seen = set()
    for exchange in every_exchange():
        request = parse_line(exchange.line)
        match = re.fullmatch(rb"=\d* (.*?)\n?\n", exchange.reply, re.DOTALL)
        if match and isinstance(request, Request) and "coordinates" not in request.args:
            seen.add(request.command.removeprefix(OURS))
            words = " ".join([request.command.removeprefix(OURS), *request.args])
            assert parses(rule_of("c", request.command), words.encode())
            assert parses(rule_of("r", request.command), match[1]), exchange
    assert seen == set(commands()) - {"attach"}


def test_requests_of_go_programs_are_those_of_the_table() -> None:
    sent: dict[str, set[str]] = {}
    for file in (PROTOCOL / "vectors" / "programs").glob("*.txt"):
        requests = [parse_line(one.line) for part in connections(file) for one in part]
        names = {request.command for request in requests if isinstance(request, Request)}
        sent[file.stem] = names - {"set_param", "game"}  # what --gogui and --sabaki do
    assert sent
    page = (DOCS / "lab" / "go-programs.md").read_text()
    (table,) = re.findall(r"^\| request \|.*\n\|.*\n((?:\|.*\n)+)", page, re.MULTILINE)
    told: dict[str, set[str]] = {program: set() for program in sent}
    for row in table.splitlines():
        _, requests, programs, *_ = row.split("|")
        names = set(re.findall(r"`([\w-]+)`", requests))
        named = re.findall(r"\w+", programs.lower())
        for program in sent.keys() if named == ["all"] else sent.keys() & set(named):
            told[program] |= names
            assert names & sent[program], (row, program)
    assert all(sent[program] <= told[program] for program in sent)


def test_channel_vectors_follow_the_grammar() -> None:
    for exchange in (one for connection in connections(CHANNELS) for one in connection):
        for message in exchange.reply.splitlines():
            assert parses("server-message", message), exchange
        if exchange.ends:
            with pytest.raises(ParseError):
                parses("client-message", exchange.line)
        else:
            assert parses("client-message", exchange.line)


def test_error_codes_are_in_grammar_and_specification() -> None:
    for code in Code:
        assert parses("code", code.encode())
        assert f"`{code}`" in SPEC
    said = b"".join(exchange.reply for exchange in every_exchange())
    rare = {Code.INTERRUPTED, Code.ENGINE, Code.LOGIN, Code.BUSY, Code.INTERNAL}
    assert {code for code in Code if f" {code}".encode() in said} == set(Code) - rare


def test_subcodes_are_the_table_of_the_specification() -> None:
    table = re.findall(r"^\| `([a-z ]+)` \| `([a-z-]+)` \| (.*) \|$", SPEC, re.MULTILINE)
    assert table == [(one.code, one, one.meaning) for one in Subcode]
    assert all(parses("subcode", one.encode()) for one in Subcode)


def test_subcodes_that_the_page_compares_exist() -> None:
    scripts = (PROTOCOL.parent / "yoddd" / "web" / "js").rglob("*.js")
    compared = {
        word
        for script in scripts
        for word in re.findall(r"\bsubcode [!=]== '([a-z-]+)'", script.read_text())
    }
    assert compared
    assert compared <= set(Subcode)


def test_commands_of_specification_vectors_and_help_are_the_same() -> None:
    names = set(commands())
    synopses = Peer(**EVERYTHING).ask("help").removeprefix("= ").split("\n")
    canonical = {line.split()[0] for line in synopses}
    assert canonical <= set(listed())
    aliases = set(
        re.findall(r"^\S.*\(or ([a-z_-]+)(?:, ([a-z_-]+))?\)$", "\n".join(synopses), re.MULTILINE)
    )
    assert canonical | {name for pair in aliases for name in pair if name} == set(listed())
    tables = re.findall(r"^\| command \|.*\n((?:\|.*\n)+)", SPEC, re.MULTILINE)
    assert set(re.findall(r"^\| `([a-z_-]+)", "".join(tables), re.MULTILINE)) == names
    said = [parse_line(exchange.line) for exchange in every_exchange()]
    assert names <= {request.command for request in said if isinstance(request, Request)}
    assert set(re.findall(r"^c-([a-z-]+) ", GRAMMAR, re.MULTILINE)) == {
        name.replace("_", "-") for name in names
    }


def test_core_and_features_of_the_specification_are_all_commands() -> None:
    (core,) = re.findall(r"^S8\.5\. The \*core\* is (.*?)\. Every", SPEC, re.MULTILINE)
    found = {"core": set(re.findall(r"`([a-z_]+)`", core))}
    (table,) = re.findall(r"^\| feature \|.*\n((?:\|.*\n)+)", SPEC, re.MULTILINE)
    parts = {
        "A1": re.findall(r"^## A1.*?^A1\.1", SPEC, re.DOTALL | re.MULTILINE)[0],
        "D3": re.findall(r"^D3\.1.*?^D3\.2", SPEC, re.DOTALL | re.MULTILINE)[0],
        "G1": re.findall(r"^## G1.*?^## G2", SPEC, re.DOTALL | re.MULTILINE)[0],
    }
    for word, names in re.findall(r"^\| `([a-z]+)` \| (.*) \|$", table, re.MULTILINE):
        part = names.split()[-1]
        rows = re.findall(r"^\| `([a-z_-]+)", parts.get(part, ""), re.MULTILINE)
        found[word] = set(rows or re.findall(r"`([a-z_-]+)`", names)) - {"observe"} | (
            {"observe"} & {word}
        )
    assert len(found["core"]) <= 25
    assert found.keys() - {"core"} == FEATURES.keys()
    assert all(found[word] == {*names.split()} for word, names in FEATURES.items())
    assert sorted(name for names in found.values() for name in names) == sorted(commands())


def test_commands_of_ours_have_their_prefix_and_are_listed_without_it_too() -> None:
    names = listed()
    ours = [name.removeprefix(OURS) for name in names if name.startswith(OURS)]
    assert {name for name in commands() if "-" not in name} == COMMON | set(ours)
    for name in ours:
        assert names.index(name) == names.index(OURS + name) + 1


def test_common_names_are_those_of_the_specification() -> None:
    (text,) = re.findall(
        r"^S2\.7\. .*? common to several programs: (.*?), and names that ", SPEC, re.MULTILINE
    )
    assert set(re.findall(r"`([a-z_]+)`", text)) == COMMON


@pytest.mark.parametrize("name", sorted(commands()))
def test_specification_synopsis_is_that_of_help(name: str) -> None:
    synopsis = Peer(**EVERYTHING).ask(f"help {name}").removeprefix("= ").split("\n")[0]
    assert f"| `{synopsis.replace('|', chr(92) + '|')}` |" in SPEC


@pytest.mark.parametrize("game", ["yodd hex5", "xodd square4", "odd hex3 min_group=2", "yoin hex4"])
def test_rules_reply_follows_its_schema(game: str) -> None:
    schema, peer = validator("rules"), Peer()
    peer.setup(f"game {game}")
    rules = json.loads(peer.ask("rules").removeprefix("= "))
    schema.validate(rules)
    assert not schema.is_valid({**rules, "game": "Chess"})


@pytest.mark.parametrize("game", GAMES)
def test_describe_reply_follows_its_schema(game: str) -> None:
    schema = validator("description")
    found = json.loads(Peer().ask(f"describe {game}").removeprefix("= "))
    schema.validate(found)
    assert not schema.is_valid({**found, "score": {**found["score"], "wins": "draw"}})


def test_description_schema_has_the_words_of_every_fact() -> None:
    schema = json.loads((PROTOCOL / "schemas" / "description.schema.json").read_text())
    keys = schema["properties"]
    for name, words in WORDS.items():
        part, _, key = name.rpartition(".")
        found = (keys[part]["properties"] if part else keys)[key]
        found = found.get("items", found)
        numbers = range(found.get("minimum", 0), found.get("maximum", -1) + 1)
        given = found.get("enum") or list(numbers) or [False, True]
        assert given == [list(one) if isinstance(one, tuple) else one for one in words], name


def test_documentation_phase_table_is_that_of_the_session() -> None:
    rows = [
        f"| {phase.value} | {event.value} | {after.value} |"
        for (phase, event), after in TRANSITIONS.items()
    ]
    page = (DOCS / "lab" / "life-of-a-request.md").read_text()
    assert "\n".join(["|---|---|---|", *rows, ""]) in page


@pytest.mark.parametrize("page", ["reference/protocol.md", "how-to/write-a-front-end.md"])
def test_documentation_conversation_is_what_a_session_says(page: str) -> None:
    (block,) = re.findall(r"```\n(C: .*?)```", (DOCS / page).read_text(), re.DOTALL)
    peer = Peer()
    for line in ("game yodd hex4", "play b 1d4"):
        assert peer.ask(line).rstrip() == "="
    for part in block.split("C: ")[1:]:
        line, *reply = part.splitlines()
        said = peer.ask(line).split("\n")
        assert [f"S: {text}".rstrip() for text in [*said, ""]] == reply
