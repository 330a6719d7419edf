"""The OpenAPI document of the HTTP interface, which is served as ``/api/openapi.json``.

It is generated from the types of the replies, the parameters that are read, and a table of the
operations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs

import yoddd
from yoddd.daemon.pages import reply_types as types
from yoddd.daemon.pages.parameters import (
    GAME_PARAMETERS,
    GAMES_PARAMETERS,
    LADDER_PARAMETERS,
    PUZZLES_PARAMETERS,
    SESSION_PARAMETERS,
    Parameter,
    Parameters,
    text,
)
from yoddd.daemon.pages.reply_types import Schemas
from yoddd.notation.records import GameRecord
from yoddd.referee.game.facts import facts
from yoddd.store.values import AccountRating, Scores

_Values = dict[str, Any]

_QUERIES: Final[Mapping[str, Parameters]] = {
    "getLadder": LADDER_PARAMETERS,
    "listGames": GAMES_PARAMETERS,
    "getGame": GAME_PARAMETERS,
    "logIn": SESSION_PARAMETERS,
    "addPuzzles": PUZZLES_PARAMETERS,
}

_NAMED: Final = (
    *(types.Error, types.Ladders, types.GameSummary, types.Games, types.Runs, types.RunGame),
    *(types.Run, types.User, types.Session, types.Puzzles, types.Feed),
    AccountRating,
)
"""The types whose schemas have their name in the document; those of the others stand in place."""

_KEYS: Final = text(
    "Keys of finished unrated games that the user has played without an account, separated by "
    "spaces; their seats become those of the account."
)
_FILES: Final = ("application/jsonl", "application/x-go-sgf")

_TAGS: Final = """
facts: What does not depend on this daemon.
ladder: Ratings and rated games; they need a store.
accounts: The log-in of a browser.
tournaments: The runs that the daemon shows.
monitoring:
"""

_RESPONSES: Final = """
304 NotModified: The client has the reply with this ETag.
400 BadRequest: A parameter is unknown, or its value is not accepted.
401 Unauthorized: The daemon requires a log-in, and the request has neither the cookie of a \
session nor a name with its token.
404 NotFound: There is no such thing.
405 NoAccounts: The daemon has no accounts.
500 Broken: The archive cannot be read.
503 Away: The store is away.
"""
"""The replies that many operations have."""

_OPERATIONS: Final = """
get /api/openapi.json getDocument monitoring
This document.
200 object: The document.
304 400 401

get /api/facts.json getFacts facts
What a front-end has to know about games, boards, options, reasons, errors, names and clocks; \
after protocol/schemas/facts.schema.json.
200 Facts: The facts, which stay the same while the daemon runs.
304 400 401

get /api/ladder getLadder ladder
The leaderboards, the best account first.
200 Ladders: All leaderboards with a rated game, or those asked for; null without a store.
304 400 401 503

get /api/games listGames ladder
The finished rated games, the latest first.
200 Games|files: A page of games.
304 400 401 404 503

get /api/game/{id} getGame ladder
The record of a finished rated game.
id: The id, such as r17.
200 Record|files: The record.
304 400 401 404 503

get /api/user/{name} getUser ladder
The profile of an account.
name: Of the account; case makes no difference.
200 User: The profile.
304 400 401 404 503

get /api/session getSession accounts
Who is logged in with this browser.
200 Session: The session.
503

post /api/session logIn accounts
Log a browser in to an account: it receives a cookie.
With `register`, an account of that name is made first, if the operator allows it; then no \
credentials are needed.
200 Session: The session.
400 Error: The name of the new account is malformed, or a parameter unknown.
401 Error: There are no credentials, or the name or the token is wrong.
403 Error: The page is of another site, or visitors may not make accounts.
409 Error: The name of the new account is taken.
429 Error: Too many failed log-ins, or too many new accounts, from this address.
405 503

delete /api/session logOut accounts
Log a browser out.
200 Session: The session.
403 Error: The page is of another site.
405 503

get /api/puzzles getPuzzles accounts
The puzzles that the user of this browser has solved.
200 Puzzles: What is stored.
401 404 503

post /api/puzzles addPuzzles accounts
Add to the puzzles that the user of this browser has solved.
Of the figures the better ones are kept, and the latest rating.
200 Puzzles: What is stored now.
400 Error: A parameter is missing, malformed, or unknown.
401 Error: No account is logged in with this browser.
403 Error: The page is of another site.
405 503

get /api/feed getFeed accounts
Whether the user of this browser has a private feed.
200 Feed: Whether there is one, without its address.
401 404 503

post /api/feed renewFeed accounts
Make the address of the user's private feed; an earlier address ends.
200 Feed: The address.
401 Error: No account is logged in with this browser.
403 Error: The page is of another site.
405 503

delete /api/feed endFeed accounts
End the user's private feed.
200 Feed: There is none any more.
401 Error: No account is logged in with this browser.
403 Error: The page is of another site.
405 503

get /feed/{secret} readFeed accounts
The private feed of an account as Atom: turns that wait for it, offers to it, and results.
secret: That of the address.
200 application/atom+xml: The feed.
304
404 Error: No feed has this address.
503

get /api/runs listRuns tournaments
The tournaments, the latest first.
200 Runs: The tournaments; null if none are shown.
304 400 401

get /api/runs/{name} getRun tournaments
The report of a tournament, and its latest games.
name: The name of its folder.
200 Run: The report.
304 400 401 404 500

get /api/runs/{name}/games/{id} getRunGame tournaments
The record of one game of a tournament.
name: The name of its folder.
id: The id of the game.
200 Record: The record.
304 400 401 404 500

get /api/runs/{name}/playing listRunPlaying tournaments
The games of a tournament that are in play.
name: The name of its folder.
200 Playing: The games; none if the tournament is not running.
304 400 401 404 500

get /api/runs/{name}/playing/{id} getRunPlaying tournaments
One game of a tournament that is in play, with its turns so far.
name: The name of its folder.
id: The id of the game.
200 RecordSoFar: The keys of the record that are known already.
304 400 401 404 500

get /healthz getHealth monitoring
Whether the daemon runs.
200 text/plain: It does.

get /readyz getReadiness monitoring
Whether the daemon accepts work.
200 text/plain: It does.
503 text/plain: It starts, it stops, or its store is away.

get /metrics getMetrics monitoring
The metrics for Prometheus.
200 text/plain: The metrics.
403: The address is not in `metrics.allow`.
404: The daemon has no prometheus-client.
"""
"""The operations, one a paragraph.

Its first line has the method, the address, the id for generated clients, and the tag; the second
one is the summary, and a description may follow. Then come the parameters in the address, the
replies with their types, and the numbers of those in `_RESPONSES`.
"""

_PATH: Final = re.compile(r"(\w+): (.+)")
_REPLY: Final = re.compile(r"(\d{3})(?: (\S+))?: (.+)")
_NUMBERS: Final = re.compile(r"[\d ]+")
_SHARED: Final = [match.groups() for match in _REPLY.finditer(_RESPONSES)]

_NAMES: Final[Mapping[type, str]] = {
    **{kind: kind.__name__ for kind in _NAMED},
    AccountRating: "Standing",
}
"""The names, of which those of generated clients are made: they never change."""

_SCHEMAS: Final = Schemas({**_NAMES, GameRecord: "Record"})
_STRING: Final = {"type": "string"}
_RECORD: Final = [one.name for one in attrs.fields(GameRecord) if one.default is attrs.NOTHING]
_IN_PLAY: Final = (*_RECORD[:8], "position", "opening")
"""The keys of a record that are known while the game is in play."""


def load_document() -> _Values:
    """Return the document."""
    tags = [line.partition(":") for line in _TAGS.strip().splitlines()]
    document: _Values = {
        "openapi": "3.1.0",
        "info": {
            "title": "yoddd",
            "version": yoddd.__version__,
            "description": "Ladders, rated games and tournaments of a yoddd daemon. Every reply "
            "below /api is JSON; an error is an object with a text in `error`. Methods other than "
            "GET, HEAD and OPTIONS are answered with 405.",
        },
        "servers": [{"url": "/"}],
        "tags": [_said({"name": name}, about.strip()) for name, _, about in tags],
        "paths": {},
        "components": _components(),
    }
    for paragraph in _OPERATIONS.strip().split("\n\n"):
        head, *lines = paragraph.splitlines()
        method, address, name, tag = head.split()
        here = document["paths"].setdefault(address, {})
        here[method] = {"operationId": name, "tags": [tag], **_operation(name, lines)}
    document["paths"]["/api/session"]["post"] |= {"security": [{"token": []}, {}]}
    return document


def _components() -> _Values:
    responses = {
        name: _response(status, None if status == "304" else "Error", about)
        for status, name, about in _SHARED
    }
    responses["Away"]["headers"] = _header("Retry-After", "Seconds.", "integer")
    schemas = {name: _SCHEMAS.of_class(kind) for kind, name in _NAMES.items()}
    schemas["Error"]["additionalProperties"] = False
    about = "One finished game; protocol/schemas/game-record.schema.json has every key."
    schemas["Record"] = _said(_SCHEMAS.of_class(GameRecord, _RECORD), about)
    figures = schemas["Puzzles"]["properties"]["puzzles"]
    figures |= _SCHEMAS.of_class(Scores) | {"type": ["object", "null"], "required": ["solved"]}
    about = "The puzzles by id: whether each was solved at the first try."
    figures["properties"]["solved"] = _said(_SCHEMAS.of(dict[str, bool]), about)
    about = "The name of the account and one of its tokens."
    return {
        "parameters": {
            name: _parameter("query", name, one) for name, one in GAMES_PARAMETERS.items()
        },
        "responses": responses,
        "schemas": schemas,
        "securitySchemes": {"token": _said({"type": "http", "scheme": "basic"}, about)},
    }


def _operation(operation: str, lines: Sequence[str]) -> _Values:
    """The operation that the lines after the first one of a paragraph describe."""
    path, replies, texts = [], dict[str, _Values](), list[str]()
    for line in lines:
        if reply := _REPLY.fullmatch(line):
            replies[reply[1]] = _response(*reply.groups())
        elif _NUMBERS.fullmatch(line):
            for status, shared, _ in _SHARED:
                if status in line.split():
                    replies[status] = {"$ref": f"#/components/responses/{shared}"}
        elif parameter := _PATH.fullmatch(line):
            name, about = parameter.groups()
            path.append(_parameter("path", name, Parameter(about, _STRING, is_required=True)))
        else:
            texts.append(line)
    if "304" in replies:
        replies["200"]["headers"] = _header("ETag", "Pass it as If-None-Match.")
    parameters = [
        *path,
        *(
            {"$ref": f"#/components/parameters/{name}"}
            if GAMES_PARAMETERS.get(name) is one  # those of the archive are components
            else _parameter("query", name, one)
            for name, one in _QUERIES.get(operation, {}).items()
        ),
    ]
    if operation == "logIn":
        parameters.append(_parameter("header", "yoddd-keys", _KEYS))
    summary, *about = texts
    found = {"summary": summary, "parameters": parameters, "responses": replies}
    return _said({name: value for name, value in found.items() if value}, *about)


def _said(values: Mapping[str, Any], about: str = "") -> _Values:
    """Values with a description, unless it is empty."""
    return {**values, "description": about} if about else {**values}


def _parameter(place: str, name: str, one: Parameter) -> _Values:
    required = {"required": True} if one.is_required else {}
    return _said({"name": name, "in": place, **required, "schema": one.schema}, one.about)


def _header(name: str, about: str, kind: str = "string") -> _Values:
    return {name: {"description": about, "schema": {"type": kind}}}


def _response(status: str, kind: str | None, about: str) -> _Values:
    found: _Values = {"description": about}
    if status == "401":
        found["headers"] = _header("WWW-Authenticate", "The scheme of the credentials.")
    if kind is not None:
        name, _, files = kind.partition("|")
        media = [name] if "/" in name else ["application/json", *(_FILES if files else ())]
        found["content"] = {one: {"schema": _schema(name, one)} for one in media}
    return found


def _schema(name: str, media: str) -> Mapping[str, Any]:
    if media != "application/json":
        return _STRING
    special: Mapping[str, Callable[[], _Values]] = {
        "object": lambda: {"type": "object"},
        "Facts": lambda: {"type": "object", "required": list(facts())},
        "Record": lambda: _SCHEMAS.of(GameRecord),
        "RecordSoFar": lambda: _SCHEMAS.of_class(GameRecord, _IN_PLAY),
    }
    return special.get(name, lambda: _SCHEMAS.of(getattr(types, name)))()
