"""The judge of the archive: what it tells of games, ratings and accounts is what the store has.

A reply is made of the store at some moment between the request and the reply. The judge reads the
file at both: what it has at both has to be told, and nothing else than what it has at the second.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import parse_qsl

import attrs

from tests.simulation.models import Games
from yoddd.protocol.origin import fold

USUAL: Final = 50
"""Games of a page without a limit."""

UNSURE: Final = 150.0
"""Elo to each side of a rating above which it is provisional."""

GAMES: Final = """SELECT number, rated, game, board, clock, coalesce(black.name, black_name),
    coalesce(white.name, white_name), winner, reason, started, ended, black_id, white_id, engines
    FROM games LEFT JOIN accounts black ON black.id = black_id
    LEFT JOIN accounts white ON white.id = white_id WHERE state = 'over'"""

KEYS: Final = (
    *("rated", "game", "board", "clock", "black", "white"),
    *("winner", "reason", "started", "ended"),
)
"""The names of what the list of games tells of one besides its id, in the order of `GAMES`."""

Values = dict[str, Any]


@attrs.frozen
class Archive:
    """Finished games, ratings and accounts as the store has them at one moment.

    Attributes:
        accounts: by folded name, the number, the name, the time of its making and the anchor.
        games: by number, what the list of games tells of each.
        seats: by number, the accounts of Black and White, and the seats of engines.
        ratings: of each account on each board.
        points: the courses of the ratings.
    """

    accounts: dict[str, tuple[int, str, str, float | None]]
    games: dict[int, Values]
    seats: dict[int, tuple[int | None, int | None, str]]
    ratings: list[Values]
    points: list[Values]

    @classmethod
    def read(cls, judge: Games) -> Archive | None:
        """Read it; None without a store."""
        if not judge.has_store:
            return None
        rows = judge.rows("SELECT folded, id, name, created, anchor FROM accounts")
        accounts = {folded: (*values,) for folded, *values in rows}
        games, seats = {}, {}
        for number, rated, *values in judge.rows(GAMES):
            told = dict(zip(KEYS, (bool(rated), *values[:-3]), strict=True))
            games[number] = {"id": f"{'r' if rated else 't'}{number}", **told}
            seats[number] = (*values[-3:],)
        names = ["account_id", "game", "board", "elo", "error", "games", "won"]
        ratings = judge.rows(f"SELECT {', '.join(names)} FROM ratings")  # noqa: S608 — our names
        found = [dict(zip(names, row, strict=True)) for row in ratings]
        names[-1] = "computed"
        rows = judge.rows(f"SELECT {', '.join(names)} FROM rating_points")  # noqa: S608
        points = [dict(zip(names, row, strict=True)) for row in rows]
        return cls(accounts, games, seats, found, points)

    def boards(self, given: Values) -> list[tuple[str, str]]:
        """The games and boards with a rated result, in their order, that fit what is given."""
        won = [one for one in self.games.values() if one["rated"] and one["winner"]]
        boards = sorted({(one["game"], one["board"]) for one in won})
        game, board = given.get("game"), given.get("board")
        return [one for one in boards if game in (None, one[0]) and board in (None, one[1])]

    def standings(self, game: str, board: str) -> list[Values]:
        """The leaderboard of a board, the best first."""
        names = {number: name for number, name, *_ in self.accounts.values()}
        here = [one for one in self.ratings if (one["game"], one["board"]) == (game, board)]
        found = [
            {
                "name": names[one["account_id"]],
                **{key: one[key] for key in ("elo", "error", "games", "won")},
                "anchor": False,  # no account of a simulation has one
                "provisional": one["error"] > UNSURE,
            }
            for one in here
        ]
        return sorted(found, key=lambda one: (-one["elo"], one["name"]))

    def lines(self, game: str, board: str) -> list[str]:
        """The lines of ``leaderboard``."""
        return [
            f"{place} {one['name']} {one['elo']:.0f} {one['error']:.0f} {one['games']} {one['won']}"
            + " provisional" * one["provisional"]
            for place, one in enumerate(self.standings(game, board), 1)
        ]

    def fitting(self, given: Values) -> dict[int, Values]:
        """The games of a list for what is given, by number."""
        found = self.games
        if "player" in given:
            mine = self.accounts.get(fold(given["player"]), (None,))[0]
            found = {one: it for one, it in found.items() if mine and mine in self.seats[one][:2]}
        else:
            found = {one: it for one, it in found.items() if it["rated"]}
        last = int(given.get("before", 2**53))
        return {
            one: it
            for one, it in found.items()
            if one < last and all(it[key] == given.get(key, it[key]) for key in ("game", "board"))
        }

    def profile(self, name: str) -> Values | None:
        """The profile of an account; None if there is none of this name."""
        account = self.accounts.get(fold(name))
        if account is None:
            return None
        number, spelled, created, anchor = account
        mine = [one for one, seats in self.seats.items() if number in seats[:2]]
        rated = sorted(one for one in mine if self.games[one]["rated"])
        kind = None
        if rated:
            seat = "bw"[self.seats[rated[-1]].index(number)]
            kind = "engine" if seat in self.seats[rated[-1]][2] else "human"
        won = [self.games[one]["winner"] for one in rated]
        seats = ["bw"[self.seats[one].index(number)] for one in rated]
        wins = sum(one == two for one, two in zip(won, seats, strict=True))
        ratings, course = (_of(number, rows) for rows in (self.ratings, self.points))
        games = sum(one is not None for one in won)
        counts = {"games": games, "won": wins, "lost": games - wins}
        named = {"name": spelled, "created": created, "anchor": anchor, "kind": kind}
        return {**named, **counts, "ratings": ratings, "course": course}


def _of(account: int, rows: list[Values]) -> list[Values]:
    """The rows of an account, without its number."""
    mine = [one for one in rows if one["account_id"] == account]
    return [{key: it for key, it in one.items() if key != "account_id"} for one in mine]


def judge_page(judge: Games, path: str, found: Values, before: Archive, after: Archive) -> None:
    """Judge a reply of the API: the store was read between the two moments."""
    address, _, query = path.partition("?")
    given = dict(parse_qsl(query))
    if address == "/api/ladder":
        _judge_ladders(judge, path, found["ladders"], given, before, after)
    elif address == "/api/games":
        _judge_games(judge, path, found, given, before, after)
    elif address.startswith("/api/user/"):
        _judge_profile(judge, path, found, before, after)


def _judge_ladders(
    judge: Games, path: str, found: list[Values], given: Values, before: Archive, after: Archive
) -> None:
    boards = [(one["game"], one["board"]) for one in found]
    least, most = before.boards(given), after.boards(given)
    fits = boards == sorted(boards) and {*least} <= {*boards} <= {*most}
    judge.check(fits, f"{path}: {boards}, not {most}")
    for one in found:
        here = one["game"], one["board"]
        judge_standings(judge, f"{path} {here}", one["standings"], here, before, after)


def judge_standings(
    judge: Games,
    text: str,
    found: list[Any],
    here: tuple[str, str],
    before: Archive,
    after: Archive,
) -> None:
    """Judge a leaderboard, as values or as lines: they change when it is computed again."""
    is_text = any(isinstance(one, str) for one in found)
    old, new = (one.lines(*here) if is_text else one.standings(*here) for one in (before, after))
    if old == new:
        judge.check(found == new, f"{text}: {found}, the store has {new}")
    else:
        judge.check(len(old) <= len(found) <= len(new), f"{text}: {found}, {old}, then {new}")


def _judge_games(
    judge: Games, path: str, found: Values, given: Values, before: Archive, after: Archive
) -> None:
    """All games are listed, the latest first, as many as a page has, and the next page follows."""
    limit, told = int(given.get("limit", USUAL)), found["games"]
    numbers = [int(one["id"][1:]) for one in told]
    least, most = before.fitting(given), after.fitting(given)
    judge.check(numbers == sorted({*numbers}, reverse=True), f"{path}: in the order {numbers}")
    for number, one in zip(numbers, told, strict=True):
        judge.check(one == most.get(number), f"{path}: {one}, the store has {most.get(number)}")
    is_full = len(numbers) == limit
    missing = [one for one in least if one not in numbers and not (is_full and one < numbers[-1])]
    judge.check(not missing and len(numbers) <= limit, f"{path}: {numbers} without {missing}")
    wanted = numbers[-1] if is_full else None
    judge.check(found["before"] == wanted, f"{path}: before {found['before']}, not {wanted}")


def _judge_profile(judge: Games, path: str, found: Values, before: Archive, after: Archive) -> None:
    name = path.rpartition("/")[2]
    old, new = before.profile(name), after.profile(name)
    if old is None or new is None:
        judge.check(False, f"{path}: {found}, the store has no such account")
        return
    keys = [(-one["games"], one["game"]) for one in found["ratings"]]
    times = [one["computed"] for one in found["course"]]
    judge.check(keys == sorted(keys) and times == sorted(times), f"{path}: in what order: {found}")
    if _unordered(old) == _unordered(new):
        judge.check(_unordered(found) == _unordered(new), f"{path}: {found}, the store has {new}")
    else:
        fits = old["games"] <= found["games"] <= new["games"]
        judge.check(fits, f"{path}: {found['games']} games, {old['games']}, then {new['games']}")


def _unordered(profile: Values) -> Values:
    """A profile whose lists are in an order that the times of a calendar do not decide."""
    lists = {
        key: sorted(sorted(one.items()) for one in profile[key]) for key in ("ratings", "course")
    }
    return {**profile, **lists}
