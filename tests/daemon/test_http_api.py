"""The HTTP interface of a whole daemon against its OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from tests.daemon.memory import Browser, MemoryDaemon
from tests.daemon.stores import add_rated_game
from tests.support.runs import write_archive
from yoddd.daemon.pages.openapi import load_document
from yoddd.daemon.pages.parameters import GAMES_PARAMETERS, LADDER_PARAMETERS, MAX_LIMIT
from yoddd.rules import GAMES

DOCUMENT = load_document()


@pytest.mark.gate
def test_document_is_valid_openapi() -> None:
    validate(DOCUMENT)


@pytest.mark.gate
@pytest.mark.parametrize(
    ("path", "parameters"), [("/api/ladder", LADDER_PARAMETERS), ("/api/games", GAMES_PARAMETERS)]
)
def test_document_has_the_parameters_that_are_read(path: str, parameters: dict[str, Any]) -> None:
    listed = DOCUMENT["paths"][path]["get"]["parameters"]
    assert [item["$ref"] for item in listed] == [
        f"#/components/parameters/{name}" for name in parameters
    ]


@pytest.mark.gate
def test_document_keeps_the_names_of_generated_clients() -> None:
    methods = [method for path in DOCUMENT["paths"].values() for method in path.values()]
    assert " ".join(sorted(method["operationId"] for method in methods)) == (
        "addPuzzles endFeed getDocument getFacts getFeed getGame getHealth getLadder getMetrics "
        "getPuzzles getReadiness getRun getRunGame getRunPlaying getSession getUser listGames "
        "listRunPlaying listRuns logIn logOut readFeed renewFeed"
    )
    assert " ".join(sorted(DOCUMENT["components"]["schemas"])) == (
        "Error Feed GameSummary Games Ladders Puzzles Record Run RunGame Runs Session Standing User"
    )


def is_board(name: str) -> bool:
    try:
        GAMES_PARAMETERS["board"].parse(name)
    except ValueError:
        return False
    return True


@pytest.mark.gate
def test_document_has_the_values_that_are_accepted() -> None:
    schemas = {name: one["schema"] for name, one in DOCUMENT["components"]["parameters"].items()}
    assert all(re.match(schemas["game"]["pattern"], name) for name in GAMES)
    assert schemas["limit"]["maximum"] == MAX_LIMIT
    named = [f"{shape}{size}" for shape in ("hex", "square") for size in range(40)]
    assert [name for name in named if re.match(schemas["board"]["pattern"], name)] == [
        name for name in named if is_board(name)
    ]
    for name in ("before", "limit"):
        GAMES_PARAMETERS[name].parse(str(schemas[name]["maximum"]))
        with pytest.raises(ValueError, match="expected"):
            GAMES_PARAMETERS[name].parse(str(schemas[name]["maximum"] + 1))


# -- the daemon -----------------------------------------------------------------------------


@pytest.fixture
def server(daemons: Callable[..., MemoryDaemon], tmp_path: Path) -> MemoryDaemon:
    """A daemon with a finished rated game and two runs, one of which cannot be read."""
    write_archive(tmp_path / "runs" / "cup")
    write_archive(tmp_path / "runs" / "broken")
    (tmp_path / "runs" / "broken" / "games.jsonl").write_text("nonsense\n")
    daemon = daemons({"store": "games.db", "runs": str(tmp_path / "runs")})
    add_rated_game(daemon.journal.store)
    return daemon


def schema_of(path: str, status: int) -> dict[str, Any]:
    """The schema of a reply, with the components that it refers to."""
    reply = DOCUMENT["paths"][path]["get"]["responses"][str(status)]
    if "$ref" in reply:
        reply = DOCUMENT["components"]["responses"][reply["$ref"].rpartition("/")[2]]
    schema: dict[str, Any] = reply["content"]["application/json"]["schema"]
    return {**schema, "components": DOCUMENT["components"]}


REQUESTS = [
    ("/api/openapi.json", "/api/openapi.json", 200),
    ("/api/facts.json", "/api/facts.json", 200),
    ("/api/facts.json", "/api/facts.json?x=", 400),
    ("/api/ladder", "/api/ladder?game=yodd&board=hex-2", 200),
    ("/api/ladder", "/api/ladder?limit=5", 400),
    ("/api/games", "/api/games?player=ANN&limit=1", 200),
    ("/api/games", "/api/games?game=5-odd", 400),
    ("/api/games", "/api/games/below", 404),
    ("/api/game/{id}", "/api/game/r1", 200),
    ("/api/game/{id}", "/api/game/r1?limit=1", 400),
    ("/api/game/{id}", "/api/game/r99", 404),
    ("/api/user/{name}", "/api/user/ann", 200),
    ("/api/user/{name}", "/api/user/eve", 404),
    ("/api/session", "/api/session", 200),
    ("/api/puzzles", "/api/puzzles", 200),
    ("/api/feed", "/api/feed", 200),
    ("/feed/{secret}", "/feed/guessed", 404),
    ("/api/runs", "/api/runs", 200),
    ("/api/runs", "/api/runs?x=", 400),
    ("/api/runs/{name}", "/api/runs/cup", 200),
    ("/api/runs/{name}", "/api/runs/none", 404),
    ("/api/runs/{name}", "/api/runs/broken", 500),
    ("/api/runs/{name}/playing", "/api/runs/cup/playing", 200),
    ("/api/runs/{name}/playing/{id}", "/api/runs/cup/playing/g1", 404),
    ("/api/runs/{name}/games/{id}", "/api/runs/cup/games/g1", 200),
    ("/api/runs/{name}/games/{id}", "/api/runs/cup/games/none", 404),
]


@pytest.mark.gate
def test_replies_are_as_the_document_says(server: MemoryDaemon) -> None:
    for path, request_path, status in REQUESTS:
        reply = Browser(server.web).get(request_path)
        assert (reply.status, reply.headers["content-type"]) == (status, "application/json"), (
            request_path
        )
        Draft202012Validator(schema_of(path, status)).validate(reply.values)
        if "broken" in request_path:  # without its folder
            assert reply.values["error"].startswith("broken/games.jsonl: ")


@pytest.mark.gate
def test_what_a_server_without_store_and_runs_lacks_is_not_found_in_json(
    daemons: Callable[..., MemoryDaemon],
) -> None:
    web = daemons({}).web
    for path in (path for path in DOCUMENT["paths"] if path.startswith(("/api/", "/feed/"))):
        reply = Browser(web).get(re.sub(r"{\w+}", "one", path))
        assert reply.headers["content-type"] == "application/json", path
        if reply.status != 200:
            assert (reply.status, *reply.values) == (404, "error"), path


@pytest.mark.gate
def test_every_path_of_the_api_is_requested() -> None:
    paths = {path for path in DOCUMENT["paths"] if path.startswith("/api/")}
    # tests/web has a game in play, which needs a tournament that runs.
    without = {"/api/runs/{name}/playing/{id}"}
    assert {path for path, _, status in REQUESTS if status == 200} == paths - without


@pytest.mark.gate
@pytest.mark.parametrize(("method", "status"), [("POST", 405), ("PUT", 405), ("GET", 413)])
@pytest.mark.parametrize("header", ["content_length", "transfer_encoding"])
def test_body_is_refused_in_json(
    server: MemoryDaemon, method: str, status: int, header: str
) -> None:
    browser = Browser(server.web)
    browser.send(
        "/api/ladder", method=method, **{header: "2" if header == "content_length" else "chunked"}
    )
    browser.channel.dataReceived(b"5\r\n")
    reply = browser.reply()
    assert (reply.status, reply.headers["content-type"]) == (status, "application/json")
    assert reply.values == {"error": "no request here has a body"}


@pytest.mark.gate
def test_request_to_another_host_is_misdirected(server: MemoryDaemon) -> None:
    browser = Browser(server.web)
    text = "this server is not called rebound.example: use its address, or name it in `origins`"
    reply = browser.get("/api/runs", host="rebound.example:80")
    assert (reply.status, reply.values) == (421, {"error": text})
    assert browser.get("/", host="rebound.example:80").body.decode() == f"{text}\n"
