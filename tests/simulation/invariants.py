"""The invariants: what must hold after every event, whatever clients and faults do.

The `Judge` sees each request when it arrives at a daemon and each line when a daemon writes it. It
has a model of each game of its own, and looks into the file of the store.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs

from tests.simulation.dialogue import ANSWER, Dialogue, Request
from tests.simulation.outside import DAY, PERIOD
from tests.support.wire import follows_line, follows_reply
from yoddd.notation.reasons import FORFEITS
from yoddd.protocol.origin import fold
from yoddd.referee.tournament.ladder import Result, rank
from yoddd.store.values import TICKET, digest

ACCOUNTS: Final = ("ann", "bob", "cid", "dan", "eve", "bot", "box")

UNGUARDED: Final = frozenset(
    {"login", "list_commands", "name", "protocol_version", "version", "quit"}
)
"""What may be asked before a log-in, where one is required."""

HARMLESS: Final = UNGUARDED | {
    *("games", "who", "attach", "leaderboard", "matches", ""),
    *("game", "set_param", "genmove", "stop"),
}
"""What is allowed to all and changes no game; all else has a method of the judge."""

PAUSED: Final = "no game begins while the administrator pauses"

SECOND: Final = 0.0011
"""Seconds by which a time may differ: they are told with three digits."""

LENIENCE: Final = 3.0
"""Seconds after the end of a time by which its end is told."""


CLAIMED: Final = "claimed by"
ABSENCES: Final = (
    CLAIMED,
    "not there to go on",
    "neither side was there",
    "while no one was there",
)
"""Words of the details of games that end because humans are away."""


@attrs.define(eq=False)
class Key:
    """A key that the daemon has told.

    Attributes:
        seat: ``b`` or ``w``.
        void: when it became void; infinite before.
        alive: when its holder has last asked or observed.
    """

    game: Model
    seat: str
    void: float = float("inf")
    alive: float = 0.0


@attrs.define(eq=False)
class Model:
    """A game as the judge has it.

    Attributes:
        id: its name for clients.
        words: the settings of its ``seek``.
        offerer: the account that has offered it, and who has accepted it.
        turns: the turns that count, with seat and seconds, as spectators were told.
        told: when the last of them was told, or the beginning.
        served: for how long daemons had run then, and how often one had started.
        went_on: when a turn, a rewind or the record was told last.
        acked: the turns that were acknowledged, by number.
        record: as it was told first.
        asked: who has asked to take turns back, and how many would be left.
        rewinding: how many turns are left if the last agreement is carried out; None without one.
        absence: for how long one was away at most when the other claimed the game.
        streams: the replies of ``observe`` that go on.
        times: when each turn was told, while its clocks have run without an interruption.
    """

    id: str
    words: dict[str, str] = attrs.Factory(dict)
    offerer: str | None = None
    secret: str | None = None
    names: list[str] = attrs.Factory(list)
    users: dict[str, str | None] = attrs.Factory(dict)
    is_begun: bool = False
    accepted: bool = False
    has_rematch: bool = False
    withdrawn: bool = False
    turns: list[tuple[str, str, float]] = attrs.Factory(list)
    told: float = 0.0
    served: tuple[float, int] = (0.0, 0)
    went_on: float = 0.0
    acked: dict[int, str] = attrs.Factory(dict)
    record: dict[str, Any] | None = None
    streams: list[Request] = attrs.Factory(list)
    times: dict[int, float] = attrs.Factory(dict)
    clock: str = "none"
    rewinding: int | None = None
    asked: tuple[str, str] | None = None
    ended_by: set[str] = attrs.Factory(set)
    absence: float = 0.0

    @property
    def by_day(self) -> bool:
        return self.clock.startswith("days=")

    @property
    def number(self) -> int:
        return int(self.id[1:])


class Judge:
    """Watches all that daemons receive and write.

    Attributes:
        violation: the first invariant that did not hold.
        invariant: which one that is, whatever the game and the turn.
        is_guarded: whether the daemon requires a log-in.
        claim: seconds after which the game of one who is away can be claimed.
        notices: how many the administrator has sent.
        keeps_time: whether the store always takes the time of games by the day.
        paused: since when no game begins, because the administrator has said so.
        decided: when each end was decided, by the id and the end of its record.
        grants: the accounts by their tokens, and by the tickets of their browsers.
        deeds: the faults that engines have committed so far, by name and reason.
        games: by id; without a store by the daemon and the id.
    """

    def __init__(
        self,
        seconds: Callable[[], float],
        note: Callable[[str], None],
        later: Callable[..., object],
        calm: Callable[[], float],
    ) -> None:
        self.violation: str | None = None
        self.invariant = ""
        self.claim = 300.0
        self.notices = 0
        self.keeps_time = False
        # The daemons that run, since when one does, how long before, and how often one started.
        self._up: set[str] = set()
        self._up_since, self._served, self._starts = 0.0, 0.0, 0
        self.paused = float("inf")
        self.decided: dict[tuple[str, str], float] = {}
        self.is_guarded = False
        self.games: dict[str, Model] = {}
        self.grants = {f"token-of-{name}": name for name in ACCOUNTS}
        self.keys: dict[str, Key] = {}
        self.ended = 0
        self.epoch = 0
        self.acknowledged = 0
        self._seconds, self._note, self._later, self._calm = seconds, note, later, calm
        self._store: sqlite3.Connection | None = None
        # Whether the present reply is one of a daemon whose store another has taken over.
        self._is_past = False
        self._touched: dict[str, Model] = {}
        # Until when each token and ticket was valid, and the accounts that were revoked.
        self._ended_grants: dict[str, float] = {}
        self._revoked: set[str] = set()
        # The log-ins, each with the account and the token.
        self._here: dict[Dialogue, tuple[str, str]] = {}
        self.deeds: set[tuple[str, str]] = set()

    # -- what it may look at ----------------------------------------------------------------

    def open(self, path: str) -> None:
        """Read the file of the store."""
        self._store = sqlite3.connect(path, isolation_level=None)

    def close(self) -> None:
        if self._store is not None:
            self._store.close()

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        assert self._store is not None
        return self._store.execute(query, values).fetchall()

    @property
    def has_store(self) -> bool:
        return self._store is not None

    def check(self, holds: object, text: str) -> None:
        """Note that an invariant does not hold; the first time counts."""
        if not holds and self.violation is None and not self._is_past:
            self.violation = text
            self.invariant = _place(text)
            self._note(f"VIOLATED {text}")

    def serves(self, house: str, *, is_up: bool) -> None:
        """Note that a daemon starts or ends."""
        if self._up:
            self._served += self._seconds() - self._up_since
        self._up_since, self._starts = self._seconds(), self._starts + is_up
        self._up = self._up | {house} if is_up else self._up - {house}

    @property
    def served(self) -> tuple[float, int]:
        """For how long daemons have run, and how often one has started."""
        now = self._seconds() - self._up_since if self._up else 0.0
        return self._served + now, self._starts

    def game(self, name: str) -> Model:
        """The model of a game; without a store each daemon counts its games from 1."""
        key = name if self._store is not None else f"{self.epoch}/{name}"
        if key not in self.games:
            self.games[key] = Model(name)
        return self.games[key]

    def stored(self, game: Model) -> list[str]:
        """The turns of a game in the store."""
        query = "SELECT token FROM turns WHERE game = ? ORDER BY number"
        return [token for (token,) in self.rows(query, game.number)]

    def users(self, game: Model) -> dict[str, str | None]:
        """The accounts that play a game, by seat: an acceptance may have lost its answer."""
        query = """SELECT black.folded, white.folded FROM games
            LEFT JOIN accounts black ON black.id = black_id
            LEFT JOIN accounts white ON white.id = white_id WHERE number = ?"""
        found = self.rows(query, game.number) if self.has_store else []
        return dict(zip("bw", found[0], strict=True)) if found else game.users

    @property
    def void_keys(self) -> list[str]:
        """Keys that play no more."""
        return [key for key, one in self.keys.items() if one.void < self._seconds()]

    # -- dialogues --------------------------------------------------------------------------

    def arrived(self, request: Request) -> None:
        """A client that agrees to take turns back allows them to be gone, answered or not."""
        words = request.words
        self._note_life(words)
        if words[0] == "claim" and words[1:] and words[1] in self.keys:
            self._note_absence(self.keys[words[1]])
        if words[0] == "takeback" and "".join(words[2:]).isdigit() and words[1] in self.keys:
            game, acked = self.keys[words[1]].game, self.keys[words[1]].game.acked
            game.rewinding, request.agrees_to = int(words[2]), game.asked
            for number in [one for one in acked if one > int(words[2])]:
                del acked[number]

    def _note_life(self, words: list[str]) -> None:
        for word in words[1:3]:
            if word in self.keys:
                self.keys[word].alive = self._seconds()

    def reply(
        self, dialogue: Dialogue, request: Request, text: str, *, is_past: bool = False
    ) -> None:
        """Take a reply.

        That of a daemon whose store another has taken over ``is_past``: it tells what the store
        had before, as do its lines, which are not taken. Its keys and turns are learned, as the
        store has them, and nothing is judged by the games of the other daemon.
        """
        self._note(f"{request.line} -> {text}")
        self.check(follows_reply(request.line, text), f"{request.line}: no rule for {text}")
        self._is_past = is_past
        command = request.line.partition(" ")[0].removeprefix("yoddd-")
        judged = getattr(self, f"_{command}", None)
        if text.startswith("=") and command == "games":
            for listed in filter(None, text.partition(" ")[2].splitlines()):
                self._listed(listed)
        if text.startswith("="):
            self.check(judged or command in HARMLESS, f"{request.line}: {text}")
            self.check(dialogue.user or not self.is_guarded or command in UNGUARDED, text)
            if judged is not None:
                judged(dialogue, request, text.partition(" ")[2].split())
        elif command == "login" and "wrong name or token" in text:
            self._refused_login(request)
        self.check("internal error" not in text, f"{request.line}: {text}")
        self._is_past = False

    def line(self, dialogue: Dialogue, request: Request, text: str) -> None:
        del dialogue
        self._note(f"{request.line}: {text}")
        self.check(follows_line(request.line, text), f"{request.line}: no rule for {text}")
        if request.words[0] != "observe":
            return
        game = self.game(request.words[1])
        if request not in game.streams:
            game.streams.append(request)
            request.began = self._seconds()
        word, *rest = text.split(" ", 3)
        if word in ("turn", "rewind", "record"):
            game.went_on = self._seconds()
        if told := getattr(self, f"_told_{word}", None):
            self._touched[game.id] = game
            told(game, request, rest)

    def end(self, dialogue: Dialogue, request: Request) -> None:
        del dialogue
        self._note(f"{request.line}: ends")
        self._note_life(request.words)
        if request.words[0] != "observe":
            return
        game = self.game(request.words[1])
        if request in game.streams:
            game.streams.remove(request)
        if request.lines and game.record is None:  # it waits for the store
            game.times.clear()

    def lost(self, dialogue: Dialogue) -> None:
        """The connection of a dialogue has ended."""
        self._here.pop(dialogue, None)
        for request in dialogue.waiting:
            if request.is_stream and request.words[1:]:
                self.end(dialogue, request)

    # -- rights: every reply of success -----------------------------------------------------

    def _login(self, dialogue: Dialogue, request: Request, _reply: list[str]) -> None:
        """The token is valid; the newest log-in by one that is no browser's is the only one."""
        name, token = fold(request.words[1]), request.words[2]
        is_valid = self.grants.get(token) == name and request.arrived <= self.ended_at(token)
        self.check(is_valid, f"logged in by {request.line}")
        dialogue.user = name
        if not token.startswith(TICKET):
            for other, (user, shown) in self._here.items():
                if user == name and other is not dialogue and not shown.startswith(TICKET):
                    self._expect_gone(other, f"{name} has logged in elsewhere")
        self._here[dialogue] = name, token

    def _refused_login(self, request: Request) -> None:
        """A token that was never revoked is not called wrong."""
        _, name, token, *_ = [*request.words, "", ""]
        is_valid = self.grants.get(token) == fold(name) and self.ended_at(token) == float("inf")
        self.check(token.startswith(TICKET) or not is_valid, f"refused: {request.line}")

    def _expect_gone(self, dialogue: Dialogue, why: str) -> None:
        """The connection of a log-in that has ended is closed soon."""

        def look() -> None:
            if dialogue in self._here:
                calm = self._calm()
                self.check(calm < ANSWER, f"{why}: still here")
                self._later(max(1.0, ANSWER - calm), look)

        self._later(ANSWER, look)

    def ended_at(self, token: str) -> float:
        """When a token or ticket has become void; infinite before."""
        return self._ended_grants.get(token, float("inf"))

    def end_grant(self, token: str) -> None:
        """A token or ticket is not valid from now on."""
        self._ended_grants.setdefault(token, self._seconds())
        for dialogue, (name, shown) in self._here.items():
            if shown == token:
                self._expect_gone(dialogue, f"the log-in of {name} has ended")

    def revoke(self, name: str) -> None:
        """Revoke the tokens of an account, as another process does."""
        account = "(SELECT id FROM accounts WHERE folded = ?)"
        self.rows(f"UPDATE tokens SET revoked = '2026' WHERE account_id = {account}", name)  # noqa: S608 — our words
        self.rows(f"DELETE FROM sessions WHERE account_id = {account}", name)  # noqa: S608
        self._revoked.add(name)
        for token in [one for one, user in self.grants.items() if user == name]:
            self.end_grant(token)

    def _seek(self, dialogue: Dialogue, request: Request, reply: list[str]) -> None:
        game_id, key, *secret = reply
        words = dict(word.split("=", 1) for word in request.words[2:])
        game = self.game(game_id)
        self._check_name(dialogue, request, request.words[1])
        self.check(not game.words, f"{game_id} is offered twice")
        self.check(request.arrived <= self.paused, f"{request.line}: {PAUSED}")
        rated = words.get("rated") == "yes"
        self.check(not rated or dialogue.user, f"{request.line}: rated without an account")
        game.words, game.offerer, game.secret = words, dialogue.user, "".join(secret)
        game.clock = words.get("clock", "none")
        seat = words.get("seat", "any")
        self._issue(key, game, seat, dialogue.user)
        if self.has_store:
            stored = self.rows("SELECT state FROM games WHERE number = ?", game.number)
            self.check(stored, f"{game_id} is told and not in the store")

    def _check_name(self, dialogue: Dialogue, request: Request, name: str) -> None:
        is_account = self.has_store and fold(name) in self.grants.values()
        own = dialogue.user is None or dialogue.user == fold(name)
        self.check(own and (dialogue.user or not is_account), f"{request.line} by {dialogue.user}")

    def _issue(self, key: str, game: Model, seat: str, user: str | None) -> None:
        self.check(key not in self.keys, f"the key {key} is given twice")
        self.keys[key] = Key(game, seat, alive=self._seconds())
        game.users[seat] = user
        if self.has_store:
            columns = {"b": ["black_key"], "w": ["white_key"]}.get(seat, ["black_key", "white_key"])
            query = f"SELECT {', '.join(columns)} FROM games WHERE number = ?"  # noqa: S608 — our names
            found = [one for row in self.rows(query, game.number) for one in row]
            if game.record is None and found:
                self.check(digest(key) in found, f"{game.id}: a key is told and not in the store")

    def _accept(self, dialogue: Dialogue, request: Request, reply: list[str]) -> None:
        game = self.game(request.words[1])
        self._check_name(dialogue, request, request.words[2])
        self.check(not game.accepted and not game.withdrawn, f"{game.id} is accepted twice")
        self.check(request.arrived <= self.paused, f"{request.line}: {PAUSED}")
        game.accepted = True
        words, user = game.words, dialogue.user
        if words.get("rated") == "yes":
            self.check(
                user and user != game.offerer, f"{game.id}: rated, of {game.offerer}, {user}"
            )
        self.check(words.get("accept") != "users" or user, f"{game.id} is for users")
        self.check(words.get("against") in (None, user), f"{game.id}: {request.line} by {user}")
        if game.secret:
            self.check(request.words[3:4] == [game.secret], f"{game.id}: without the secret")
        seat = {"b": "w", "w": "b"}.get(words.get("seat", "any"), "any")
        self._issue(reply[0], game, seat, dialogue.user)

    def _find(self, request: Request) -> Key | None:
        """The key of a request that has succeeded."""
        key = self.keys.get(request.words[1])
        self.check(key is not None, f"{request.line}: a key that was never given")
        if key is not None:
            self.check(request.arrived <= key.void, f"{request.line}: a key that is void")
        return key

    def _withdraw(self, _dialogue: Dialogue, request: Request, _reply: list[str]) -> None:
        key = self._find(request)
        if key is not None:
            self.check(not key.game.is_begun, f"{key.game.id} is withdrawn and has begun")
            key.game.withdrawn = True

    def _resume(self, dialogue: Dialogue, request: Request, reply: list[str]) -> None:
        _, *words = request.words
        if not words:
            return
        game = self.game(words[0])
        if len(words) > 1:
            key = self.keys.get(words[1])
            self.check(key is not None and key.game is game, f"{request.line}: not of that game")
            self.check(reply == words[1:2], f"{request.line}: {reply}")
            return
        users = self.users(game)
        seats = [one for one, user in users.items() if user == dialogue.user and user]
        self.check(seats, f"{request.line} by {dialogue.user}, who does not play it")
        for one in self.keys.values():
            if one.game is game and one.seat in seats and len(seats) == 1:
                one.void = min(one.void, self._seconds())
        if len(seats) == 1:
            self._issue(reply[0], game, seats[0], dialogue.user)
        else:
            self.keys[reply[0]] = Key(game, "any")

    def _put(self, _dialogue: Dialogue, request: Request, _reply: list[str]) -> None:
        key = self._find(request)
        if key is None:
            return
        game, turn = key.game, request.words[2]
        if turn == "resign":
            self.check(game.record is not None or not game.streams, f"{game.id}: resigned, no end")
            return
        if not request.words[3:] and not game.streams:
            return  # no one is told which turn it was
        number = int(request.words[3]) if request.words[3:] else len(game.turns)
        seat = "bw"[(number - 1) % 2]
        self.check(key.seat in (seat, "any"), f"{game.id}: {key.seat} has played turn {number}")
        self.acknowledged += 1
        if number in game.times and number - 1 in game.times:
            seconds, least = game.turns[number - 1][2], request.arrived - game.times[number - 1]
            text = f"{game.id}: turn {number} took {seconds} s, it came after {least:.3f}"
            self.check(seconds >= least - SECOND, text)
        if request.words[3:]:
            self.check(game.acked.get(number) is None, f"{game.id}: turn {number} twice")
            game.acked[number] = turn
        if self.has_store:
            query = "SELECT token FROM turns WHERE game = ? AND number = ?"
            found = self.rows(query, game.number, number)
            text = f"{game.id}: turn {number} {turn} is acknowledged, the store has {found}"
            self.check(found == [(turn,)], text)

    def _takeback(self, _dialogue: Dialogue, request: Request, _reply: list[str]) -> None:
        key, answer = self._find(request), "".join(request.words[2:])
        if key is not None and answer.isdigit():
            asked = request.agrees_to not in (None, (key.seat, answer))
            self.check(asked, f"{request.line}: {key.seat} agrees to {request.agrees_to}")
            text = f"{key.game.id}: {answer} turns are left, {len(key.game.turns)} told"
            self.check(len(key.game.turns) >= int(answer), text)

    def _claim(self, _dialogue: Dialogue, request: Request, _reply: list[str]) -> None:
        key = self._find(request)
        if key is not None:
            self.check(not key.game.by_day, f"{request.line}: it is by the day")
            self._note_absence(key)
            away = key.game.absence
            self.check(away >= self.claim - SECOND, f"{request.line}: away for {away} s")

    def _note_absence(self, claimant: Key) -> None:
        """Note how long the other has been away: it may be back when the end is kept and told."""
        game = claimant.game
        others = [one for one in self.keys.values() if one.game is game]
        alive = [one.alive for one in others if one.seat != claimant.seat]
        game.absence = max(game.absence, self._seconds() - max(alive, default=0.0))

    def _rematch(self, _dialogue: Dialogue, request: Request, reply: list[str]) -> None:
        key = self.keys.get(request.words[1])
        self.check(key is not None, f"{request.line}: a key that was never given")
        if key is None or not reply:
            return
        self.check(key.game.record is not None, f"{request.line}: {key.game.id} is not over")
        self.check(not key.game.has_rematch, f"{request.line}: {key.game.id} has one")
        game, seat = self.game(reply[0]), {"b": "w", "w": "b"}.get(key.seat, "any")
        is_offer = not game.words
        key.game.has_rematch = not is_offer
        game.words = key.game.words | {"seat": seat if is_offer else "any"}
        game.clock, game.accepted = key.game.clock, not is_offer
        self._issue(reply[1], game, seat, key.game.users.get(key.seat))

    # -- what spectators are told -----------------------------------------------------------

    def _told_game(self, game: Model, request: Request, rest: list[str]) -> None:
        del request
        names = rest[1:]
        self.check(game.names in ([], names), f"{game.id}: {names} play, not {game.names}")
        game.names, game.is_begun = names, True
        if not game.words:  # of the ladder
            game.clock = names[-1].split()[-1]

    def _told_clock(self, game: Model, request: Request, rest: list[str]) -> None:
        self.check(request.is_begun, f"{game.id}: a spectator is not told that it has begun")
        number = len(request.turns)
        self.check(rest[0] in ("-", "bw"[number % 2]), f"{game.id}: clock {rest} of turn {number}")
        if request.began < self._seconds() and rest[0] != "-":
            self.check(float(rest[1]) == 0, f"{game.id}: its clock begins at {rest[1]}")
            if game.told != self._seconds():
                self._expect_flag(game, len(game.turns))
            game.times = {len(game.turns): self._seconds()}
            game.told, game.served = self._seconds(), self.served
        elif game.by_day and game.told and rest[0] != "-" and number == len(game.turns):
            self._judge_used(game, float(rest[1]))

    def _judge_used(self, game: Model, used: float) -> None:
        """The time without a daemon is not charged, and of each restart little is given back."""
        (now, starts), (then, before) = self.served, game.served
        text = f"{game.id}: its turn has taken {used} s, of {now - then:.3f} s with a daemon"
        self.check(used <= now - then + SECOND, text)
        if self.keeps_time:
            given = (starts - before) * (PERIOD + LENIENCE) + SECOND
            self.check(used >= now - then - given, f"{text}, {starts - before} restarts")

    def _told_presence(self, game: Model, request: Request, rest: list[str]) -> None:
        """Each change is told once; the seconds of an absence are those to a claim."""
        self.check(not game.by_day, f"{game.id}: presence in a game by the day")
        seat, word, *times = " ".join(rest).split()
        text = f"{game.id}: {request.line}: presence {' '.join(rest)}"
        self.check((seat in request.away) == (word == "here"), text)
        request.away ^= {seat}
        if times:
            spent, left = map(int, times)
            self.check(abs(max(0.0, self.claim - spent) - left) <= 1, text)
            mine = [one for one in self.keys.values() if one.game is game and one.seat == seat]
            self.check(not any(map(self._observes, mine)), f"{text}: it observes")

    def _told_notice(self, game: Model, request: Request, rest: list[str]) -> None:
        told = request.lines.count(request.lines[-1])
        most = self.notices if rest[-1].endswith("noon") else 1
        self.check(told <= most, f"{game.id}: {told} notices {' '.join(rest)!r}, of {most}")

    def _listed(self, line: str) -> None:
        """A line of ``games`` tells what spectators were told."""
        game_id, word, *words = line.split()
        game = self.games.get(game_id if self.has_store else f"{self.epoch}/{game_id}")
        if game is None or word != "playing" or not any(one.is_begun for one in game.streams):
            return
        seat = f"turn={'bw'[len(game.turns) % 2]}"
        self.check(words[4] == str(len(game.turns)), f"{line}: told {game.turns}")
        self.check(seat in words, f"{line}: not {seat}")

    def _told_request(self, game: Model, request: Request, rest: list[str]) -> None:
        game.asked = request.asked
        if game.asked is not None:
            left, number = int(rest[2]), len(request.turns)
            is_own = rest[0] == "bw"[left % 2]
            self.check(is_own and number - 2 <= left < number, f"{game.id}: {rest} of {number}")

    def _told_turn(self, game: Model, request: Request, rest: list[str]) -> None:
        seat, token, seconds = rest[0], rest[1], float(rest[2])
        number = len(request.turns)
        self.check(game.record is None or number <= len(game.turns), f"{game.id}: a turn after it")
        if number <= len(game.turns):
            self.check(game.turns[number - 1][:2] == (seat, token), f"{game.id}: turn {number}")
            return
        self.check(number == len(game.turns) + 1, f"{game.id}: turn {number} is told too early")
        self.check(seat == "bw"[(number - 1) % 2], f"{game.id}: turn {number} of {seat}")
        if game.told and game.turns:
            spent = self._seconds() - game.told
            text = f"{game.id}: turn {number} took {seconds} s, since the last one {spent:.3f}"
            self.check(seconds <= spent + SECOND, text)
        game.turns.append((seat, token, seconds))
        game.told = 0.0  # for all that is known: there may be no spectator yet
        if request.began < self._seconds():  # not one of those that a new spectator is told at once
            game.told = game.times[number] = self._seconds()
            game.served = self.served
            self._expect_flag(game, number)

    def _expect_flag(self, game: Model, number: int) -> None:
        """The game is over soon after the time of who is to move has run out."""
        seat = "bw"[number % 2]
        turns = [seconds for one, _, seconds in game.turns if one == seat]
        left = allowance(game.clock, len(turns))
        if not game.clock.startswith(("move=", "days=")):
            left -= sum(turns)

        begun = self._seconds()

        def look() -> None:
            goes_on = game.times.get(number) == game.told == begun
            calm = goes_on and self._calm() > left + LENIENCE
            is_over = game.record is not None or len(game.turns) != number
            self.check(is_over or not calm, f"{game.id}: {seat} has had {left} s, and more")

        if left < 100:
            self._later(left + LENIENCE, look)

    def _told_rewind(self, game: Model, request: Request, rest: list[str]) -> None:
        self.check(request.rewound > 0, f"{game.id}: a rewind to {rest} takes nothing back")
        if self.has_store:
            stored, turns = self.stored(game), request.turns
            self.check(stored == turns, f"{game.id}: {stored} after a rewind to {turns}")
        del game.turns[int(rest[0]) :]
        game.told, game.served = self._seconds(), self.served
        game.times.clear()
        game.rewinding = None

    def _told_record(self, game: Model, request: Request, rest: list[str]) -> None:
        record = json.loads(" ".join(rest))
        self.check(game.record in (None, record), f"{game.id} has ended twice: {record}")
        lines = [line for line in request.lines if line.startswith("record ")]
        self.check(len(lines) == 1, f"{game.id}: {len(lines)} records")
        if game.record is None:
            game.record = record
            self.ended += 1
            self._judge_end(game, record)

    def _judge_end(self, game: Model, record: dict[str, Any]) -> None:
        turns = [token for _, token, _ in game.turns]
        self.check(record["turns"] == turns, f"{game.id}: record {record['turns']}, told {turns}")
        text = (
            f"{game.id}: {record['reason']} ({record.get('detail')}), blame {record.get('blame')}"
        )
        is_absence = record["reason"] in ("disconnect", "stall")
        self.check(not (game.by_day and is_absence), f"by the day: {text}")
        if record["reason"] == "time":
            self._judge_time(game, record["blame"], text)
        absence = next((one for one in ABSENCES if one in record.get("detail", "")), None)
        if absence is not None:
            self._judge_absence(game, record, text, is_claimed=absence == CLAIMED)
        elif record["reason"] == "void":
            is_revoked = {fold(record["black"]), fold(record["white"])} & self._revoked
            self.check("void" in game.ended_by or is_revoked, f"a fault of ours: {text}")
        else:
            self.judge_engines(record)
        for one in self.keys.values():
            if one.game is game:
                one.void = min(one.void, self._seconds())

    def _judge_absence(
        self, game: Model, record: dict[str, Any], text: str, *, is_claimed: bool
    ) -> None:
        """A participant who observes the game is there; a claim needs a longer absence.

        One may come back after the end was decided, while a slow store keeps it.
        """
        if is_claimed:
            away = game.absence
            self.check(away >= self.claim - SECOND, f"{text}: away for {away} s")
            return
        seats = record["blame"].replace("referee", "bw")
        decided = self.decided.get((record["id"], record["ended"]))
        for one in self.keys.values():
            if one.game is game and one.seat in seats:
                self.check(not self._observes(one, decided), f"{text}: it is there")

    def _observes(self, key: Key, moment: float | None = None) -> bool:
        """Whether the holder of a key has observed the game since before a moment, or this one."""
        moment = self._seconds() if moment is None else moment
        streams = [one for one in key.game.streams if one.began < moment]
        words = [word for one in streams for word in one.words[2:] if self.keys.get(word) is key]
        if self.has_store:  # another key may be kept, and have lost its answer
            query = "SELECT black_key, white_key FROM games WHERE number = ?"
            kept = [one for row in self.rows(query, key.game.number) for one in row]
            words = [word for word in words if digest(word) in kept]
        return bool(words)

    def deed(self, name: str, reason: str) -> None:
        """An engine does something that it can lose by."""
        self.deeds.add((fold(name), reason))

    def judge_engines(self, record: dict[str, Any], *, time: bool = False) -> None:
        """A participant loses by a fault that it has committed, such as its ``time``."""
        loser = {"b": "white", "w": "black"}.get(record["winner"] or "", "")
        name, reason = fold(record.get(loser) or ""), record["reason"]
        if reason in FORFEITS and (time or reason != "time"):
            text = f"{record['id']}: {name} has lost by {reason}: {record.get('detail')}"
            self.check((name, reason) in self.deeds, f"a fault of ours: {text}")

    def _judge_time(self, game: Model, blame: str, text: str) -> None:
        self.check(blame == "bw"[len(game.turns) % 2], f"{text}: not to move")
        allowed = allowance(game.clock, sum(seat == blame for seat, _, _ in game.turns))
        before = sum(seconds for seat, _, seconds in game.turns if seat == blame)
        if game.clock.startswith(("move=", "days=")):
            before = 0.0
        since = self._seconds() - game.told
        if game.by_day and game.told:
            since = self.served[0] - game.served[0]
        rounded = SECOND * (len(game.turns) + 1)
        self.check(
            before + since >= allowed - rounded, f"{text}: {before:.3f} + {since:.3f} s only"
        )

    # -- after every event ------------------------------------------------------------------

    def after_event(self) -> None:
        """Check the games of which something was told in this event."""
        if self._touched:
            touched, self._touched = self._touched, {}
            for game in touched.values():
                self._compare(game)

    def _compare(self, game: Model) -> None:
        """All spectators of a game are told the same, and the store has it."""
        turns = [token for _, token, _ in game.turns]
        begun = [one.turns for one in game.streams if one.is_begun]
        # The daemon that took turns back may have ended before it told it.
        if game.rewinding is not None and begun.count(turns[: game.rewinding]) == len(begun) > 0:
            del game.turns[game.rewinding :], turns[game.rewinding :]
        for request in game.streams:
            told = request.turns
            if request.is_begun:
                self.check(told == turns, f"{game.id}: a spectator has {told}, others {turns}")
        if self.has_store:
            stored = self.stored(game)
            is_kept = stored[: len(turns)] == turns and len(stored) <= len(turns) + 1
            is_kept |= game.rewinding is not None and stored == turns[: game.rewinding]
            self.check(is_kept, f"{game.id}: told {turns}, the store has {stored}")

    def after_crash(self) -> None:
        """Check that all that was acknowledged is kept; no stream goes on."""
        self.epoch += 1
        self.paused = float("inf")
        for game in self.games.values():
            game.streams.clear()
            game.times.clear()
        if self.has_store:
            self.check_kept()

    def check_kept(self) -> None:
        """Every acknowledged turn is in the store."""
        for game in self.games.values():
            if game.acked:
                stored = self.stored(game)
                lost = {n: one for n, one in game.acked.items() if stored[n - 1 : n] != [one]}
                self.check(not lost, f"{game.id}: lost {lost}, the store has {stored}")

    def check_ended(self, offered: set[str], *, was_away: bool) -> None:
        """The store has the records that were told, and the games that the daemon has.

        An offer that was not acknowledged, or could not be dropped, may stay until a restart, and
        one whose acceptance has lost its answer has begun in the store alone.
        """
        query = "SELECT number, state, record, winner, reason FROM games"
        rows = {row[0]: row[1:] for row in self.rows(query)}
        missing = offered - {str(number) for number in rows}
        self.check(not missing, f"offered by the daemon alone: {missing}")
        lost = {game.id[1:] for game in self.games.values() if not game.is_begun}
        left = [
            (number, state)
            for number, (state, *_) in rows.items()
            if state != "over"
            and str(number) not in offered
            and not (was_away and (state == "open" or str(number) in lost))
        ]
        self.check(not left, f"games in the store alone: {left}")
        for game in self.games.values():
            if game.record is not None:
                state, text, winner, reason = rows.get(game.number, (None,) * 4)
                self.check(state == "over", f"{game.id} is over, in the store it is {state}")
                record = json.loads(text or "null")
                self.check(record == game.record, f"{game.id}: {game.record}, stored {record}")
                same = (winner, reason) == (game.record["winner"], game.record["reason"])
                self.check(same, f"{game.id}: {winner} {reason}")
                self.check(self.stored(game) == game.record["turns"], f"{game.id}: its turns")

    def check_ratings(self) -> None:
        """The leaderboards are those of the results, computed again."""
        query = """SELECT game, board, black_name, white_name, winner FROM games
            WHERE rated AND winner IS NOT NULL"""
        played: dict[tuple[str, str], list[Result]] = {}
        for game, board, black, white, winner in self.rows(query):
            result = Result(black, white, int(winner == "b"), int(winner == "w"))
            played.setdefault((game, board), []).append(result)
        for (game, board), results in played.items():
            query = """SELECT name, elo, games, won FROM ratings
                JOIN accounts ON accounts.id = account_id WHERE game = ? AND board = ?"""
            stored = {
                name: (round(elo, 1), *rest) for name, elo, *rest in self.rows(query, game, board)
            }
            wanted = {
                one.name: (round(one.elo, 1), one.games, one.won) for one in rank(results, {})
            }
            self.check(stored == wanted, f"ratings of {game} {board}: {stored}, not {wanted}")


def _place(text: str) -> str:
    """The place of the check in the source; of an exception, its type."""
    frame = sys._getframe(2)
    if "Traceback" in text:
        return text.strip().splitlines()[-1].partition(":")[0]
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def allowance(clock: str, turns: int) -> float:
    """Seconds that a clock gives for some turns and the next one."""
    if clock == "none":
        return 3600.0
    if clock.startswith("move="):
        return float(clock.removeprefix("move="))
    if clock.startswith("days="):
        return float(clock.removeprefix("days=")) * DAY
    main, _, increment = clock.partition("+")
    return float(main) + float(increment or 0) * turns
