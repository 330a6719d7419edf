"""The invariants: what must hold after every event, whatever clients and faults do.

The `Judge` sees each request when it arrives at a daemon and each line when a daemon writes it. It
has a model of each game of its own, and looks into the file of the store.
"""

from __future__ import annotations

from typing import Final

from tests.simulation.archive import Archive, judge_standings
from tests.simulation.dialogue import ANSWER, Dialogue, Request
from tests.simulation.models import SECOND, Key, Model
from tests.simulation.wishes import Wishes
from tests.support.wire import follows_line, follows_reply
from yoddd.protocol.origin import fold
from yoddd.store.values import TICKET, digest

UNGUARDED: Final = frozenset(
    {"login", "list_commands", "name", "protocol_version", "version", "quit"}
)
"""What may be asked before a log-in, where one is required."""

HARMLESS: Final = UNGUARDED | {
    *("games", "who", "attach", "leaderboard", "matches", ""),
    *("game", "set_param", "genmove", "stop"),
}
"""What is allowed to all and changes no game; all else has a method of the judge."""

CLOSES: Final = 6.0
"""Seconds after which a connection that is being closed is closed."""

PAUSED: Final = "no game begins while the administrator pauses"


class Judge(Wishes):
    """Watches all that daemons receive and write."""

    # -- dialogues --------------------------------------------------------------------------

    def arrived(self, request: Request) -> None:
        """A client that agrees to take turns back allows them to be gone, answered or not."""
        words = request.words
        self._note_life(words)
        self._note_end(request)
        self._note_wish(request)
        if words[0] == "login":
            self._entering[request] = fold("".join(words[1:2]))
        if words[0] == "leaderboard":
            request.archive = Archive.read(self)
        if words[0] == "withdraw" and words[1:] and words[1] in self.keys:
            self.keys[words[1]].game.may_go = True
        if words[0] == "claim" and words[1:] and words[1] in self.keys:
            self._note_absence(self.keys[words[1]])
        if words[0] == "pause" and "".join(words[2:]).isdigit() and words[1] in self.keys:
            game = self.keys[words[1]].game
            game.wishes.add((self.keys[words[1]].seat, words[2]))
            if not game.may_rest:
                game.may_rest, game.pausing = True, self.served[0]
        if words[0] == "takeback" and "".join(words[2:]).isdigit() and words[1] in self.keys:
            game, acked = self.keys[words[1]].game, self.keys[words[1]].game.acked
            request.agrees_to = game.asked
            game.rewinding.add(int(words[2]))
            for number in [one for one in acked if one > int(words[2])]:
                del acked[number]

    def _note_life(self, words: list[str]) -> None:
        """A request by a key is a sign of life, but not that to withdraw what has begun."""
        for word in words[1:3] if words[0] != "withdraw" else ():
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
        self._answer_wish(request, is_granted=text.startswith("="))
        self._entering.pop(request, None)
        command = request.line.partition(" ")[0].removeprefix("yoddd-")
        judged = getattr(self, f"_{command}", None)
        if text.startswith("="):
            self.check(judged or command in HARMLESS, f"{request.line}: {text}")
            self.check(dialogue.user or not self.is_guarded or command in UNGUARDED, text)
            self._judge_list(dialogue, request, command, text.partition(" ")[2].splitlines())
            if judged is not None:
                judged(dialogue, request, text.partition(" ")[2].split())
        else:
            self._judge_refusal(request, command, text)
        self.check("internal error" not in text, f"{request.line}: {text}")
        self._is_past = False

    def _judge_list(
        self, dialogue: Dialogue, request: Request, command: str, lines: list[str]
    ) -> None:
        """A reply that is a list tells what is there."""
        lines = [line for line in lines if line]
        if command == "games":
            for line in lines:
                self._listed(line)
        elif command == "leaderboard":
            self._ranked(request, lines)
        elif command == "who":
            for line in lines:
                self._listed_engine(line)
            if not request.words[1:]:
                self._judge_users(dialogue, lines)
                self._judge_attached(dialogue, lines)

    def _judge_refusal(self, request: Request, command: str, text: str) -> None:
        if command == "login" and "wrong name or token" in text:
            self._refused_login(request)
        elif command == "seek":
            self._refused_seek(request, text)
        elif command == "accept" and f"no game {request.words[1]!r}" in text:
            due = self.is_due(self.game(request.words[1]))
            self.check(not due, f"{request.line}: {text}, and it was offered for longer")
        elif "the game is over" in text and request.words[1] in self.keys:
            game = self.keys[request.words[1]].game
            is_over = any(name == game.id for name, _ in self.decided) or not game.is_begun
            self.check(is_over, f"{request.line}: {text}, and it has not ended")

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
        if word == "game":
            self._judge_order(game, request)
        if told := getattr(self, f"_told_{word}", None):
            self._touched[game.id] = game
            told(game, request, rest)

    def _judge_order(self, game: Model, request: Request) -> None:
        """Of the games that wait for one engine, the one that was offered first begins first.

        A store that is away lets the others pass, and one by the day waits for no engine.
        """
        is_new = not game.is_begun and request.began < self._seconds()
        if not (is_new and game.is_queued and (self.keeps_time or not self.has_store)):
            return
        engine = game.words["against"]
        if self.range_of(game.words) is not None:  # another game may be out of it
            return
        waiting = [
            one
            for one in self.games.values()
            if one.is_queued and (one.epoch, one.words["against"]) == (game.epoch, engine)
            if any(not stream.is_begun for stream in one.streams)
        ]
        first = min(waiting, key=lambda one: one.order, default=game)
        self.check(first.order >= game.order, f"{game.id} begins, {first.id} has waited longer")

    def end(self, dialogue: Dialogue, request: Request) -> None:
        del dialogue
        self._note(f"{request.line}: ends")
        self._note_life(request.words)
        if request.words[0] != "observe":
            return
        game = self.game(request.words[1])
        if request in game.streams:
            game.streams.remove(request)
            self._expect_absence(game, request)
        if request.lines and game.record is None:  # it waits for the store
            game.times.clear()

    def lost(self, dialogue: Dialogue) -> None:
        """The connection of a dialogue has ended."""
        name, _ = self._here.pop(dialogue, ("", ""))
        self._leaving.discard(dialogue)
        self._left[name] = self._seconds()
        for request in dialogue.waiting:
            self._left[self._entering.pop(request, "")] = self._seconds()
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
        self._leaving.add(dialogue)

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
        for game in self.games.values():
            game.may_go |= game.offerer == name
        for token in [one for one, user in self.grants.items() if user == name]:
            self.end_grant(token)

    def _seek(self, dialogue: Dialogue, request: Request, reply: list[str]) -> None:
        game_id, *keys = reply
        words = _settings(request)
        game, is_human = self.game(game_id), words.get("as") != "engine"
        if is_human:
            self._check_name(dialogue, request, request.words[1])
        self.check(not game.words, f"{game_id} is offered twice")
        self.check(request.arrived <= self.paused, f"{request.line}: {PAUSED}")
        rated = words.get("rated") == "yes"
        self.check(not rated or dialogue.user, f"{request.line}: rated without an account")
        plays = self.range_of(words)
        is_wrong = plays is not None and (not plays.has(words) or plays.closed < request.arrived)
        self.check(not is_wrong, f"{request.line}: out of range")
        game.words, game.offerer, game.secret = words, dialogue.user, "".join(keys[1:])
        game.epoch = self.epoch
        self._offers += 1
        game.order = self._offers
        game.clock = words.get("clock", "none")
        seat = words.get("seat", "any")
        self.check(len(keys) == is_human + ("invite" in words), f"{request.line}: {len(keys)} keys")
        if is_human:
            self._issue(keys[0], game, seat, dialogue.user)
        if self.has_store:
            stored = self.rows("SELECT expires FROM games WHERE number = ?", game.number)
            self.check(stored, f"{game_id} is told and not in the store")
            game.expires = stored[0][0] or 0.0 if stored else 0.0

    def _refused_seek(self, request: Request, text: str) -> None:
        """An engine is refused for its range only where that has not the game."""
        words = _settings(request)
        plays = self.range_of(words)
        if plays is not None and "plays only" in text:
            self.check(not plays.has(words), f"{request.line}: {text}")
        elif plays is not None and "begins no game" in text:
            was_closed = plays.closed < float("inf") or plays.opened >= request.arrived
            self.check(was_closed, f"{request.line}: {text}")

    def _listed_engine(self, line: str) -> None:
        """A line of ``who`` tells the range of an engine."""
        name, *words = line.split()
        plays = self.ranges.get(fold(name))
        if plays is not None and words[0] == "engine":
            told = [one for one in words[1:] if one.partition("=")[0] in ("boards", "clock")]
            copies = [int(one.removeprefix("copies=")) for one in words if "copies=" in one]
            fits = told == plays.words.split() and max(copies, default=1) <= plays.copies
            self.check(fits, f"who: {line}: {plays.copies} copies, {plays.words}")

    def _judge_users(self, dialogue: Dialogue, lines: list[str]) -> None:
        """The users are those who have logged in to this daemon, each once."""
        told = [fold(line.split()[0]) for line in lines if line.split()[1] == "human"]
        mine = [one for one in self._here if one.daemon is dialogue.daemon]
        recent = [one for one, when in self._left.items() if when > self._seconds() - CLOSES]
        here = {self._here[one][0] for one in mine}
        wrong = {*told} - here - {*self._entering.values(), *recent}
        once = len(told) == len({*told})
        self.check(once and not wrong, f"who: {told}, logged in {sorted(here)}")
        stay = {self._here[one][0] for one in mine if one.is_open and one not in self._leaving}
        self.check(stay <= {*told}, f"who: {told}, logged in {sorted(stay)}")

    def _judge_attached(self, dialogue: Dialogue, lines: list[str]) -> None:
        """The engines are those that are attached to this daemon, each once."""
        told = [fold(line.split()[0]) for line in lines if line.split()[1] == "engine"]
        found = [
            (fold(one.name), one.asked, one.wire.disconnecting)
            for one in self._engines
            if one.wire.is_open and one.wire.reactor is dialogue.daemon and one.asked is not None
        ]
        wrong = {*told} - {name for name, _, _ in found}
        once = len(told) == len({*told})
        self.check(once and not wrong, f"who: the engines {told}, connected {found}")
        now, calm = self._seconds(), self._calm()
        stay = {
            name for name, when, leaves in found if not leaves and min(now - when, calm) > ANSWER
        }
        self.check(stay <= {*told}, f"who: the engines {told}, attached {sorted(stay)}")

    def _ranked(self, request: Request, lines: list[str]) -> None:
        """A leaderboard is the one that the store has, or has had since the request came."""
        before, after = request.archive, Archive.read(self)
        if before is not None and after is not None:
            game, board = request.words[1:3]
            judge_standings(self, request.line, lines, (game, board), before, after)

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
            asked = request.agrees_to not in (None, (key.seat, "takeback", answer))
            self.check(asked, f"{request.line}: {key.seat} agrees to {request.agrees_to}")
            text = f"{key.game.id}: {answer} turns are left, {len(key.game.turns)} told"
            self.check(len(key.game.turns) >= int(answer), text)

    def _pause(self, _dialogue: Dialogue, request: Request, _reply: list[str]) -> None:
        key = self._find(request)
        if key is not None:
            self.check(key.game.by_day, f"{request.line}: it is not by the day")
            self.check(request.words[2] != "15", f"{request.line}: it is too long")

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
        others = {text: one for text, one in self.keys.items() if one.game is game}
        if self.has_store:  # the key that has replaced one may have lost its answer
            kept = self.stored_keys(game)
            others = {text: one for text, one in others.items() if digest(text) in kept}
        alive = [one.alive for one in others.values() if one.seat != claimant.seat]
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
        self._judge_news(game)
        # The daemon that took turns back may have ended before it told it.
        for left in sorted(game.rewinding, reverse=True):
            if begun.count(turns[:left]) == len(begun) > 0:
                del game.turns[left:], turns[left:]
        for request in game.streams:
            told = request.turns
            if request.is_begun:
                self.check(told == turns, f"{game.id}: a spectator has {told}, others {turns}")
        if self.has_store:
            stored = self.stored(game)
            is_kept = stored[: len(turns)] == turns and len(stored) <= len(turns) + 1
            is_kept |= any(stored == turns[:left] for left in game.rewinding)
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


def _settings(request: Request) -> dict[str, str]:
    """The settings of a ``seek``."""
    return dict(word.split("=", 1) for word in request.words[2:] if "=" in word)
