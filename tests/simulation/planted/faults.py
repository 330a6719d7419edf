"""Faults to plant in the daemon: each a few words of a function that are replaced by others."""

from __future__ import annotations
import __future__

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs

FOUND: Final = Path(__file__).parent / "found.txt"
"""The plan that has found each fault, which is tried first."""


@attrs.frozen
class Planted:
    """A fault.

    Attributes:
        name: a few words.
        module: below ``yoddd``.
        function: the path of the function in its module.
        old: words of its source.
        new: what they become.
    """

    name: str
    module: str
    function: str
    old: str
    new: str

    @contextmanager
    def plant(self) -> Iterator[None]:
        """Let the daemon have the fault for a while.

        Raises:
            LookupError: the source has not these words, exactly once.
        """
        owner: Any = importlib.import_module(f"yoddd.{self.module}")
        for part in self.function.split("."):
            owner = inspect.getattr_static(owner, part)
        function: Any = owner.fget if isinstance(owner, property) else owner
        function = inspect.unwrap(function)
        source = textwrap.dedent(inspect.getsource(function))
        if source.count(self.old) != 1:
            raise LookupError(f"{self.name}: {self.function} has {source.count(self.old)} of it")
        tree = ast.parse(source.replace(self.old, self.new))
        tree.body[0].decorator_list = []  # type: ignore[attr-defined]  # a function
        made: dict[str, Any] = {}
        flags = __future__.annotations.compiler_flag
        code = compile(tree, inspect.getfile(function), "exec", flags)
        exec(code, function.__globals__, made)  # noqa: S102 — our own text
        kept = function.__code__
        # Its code, not the function itself, of which tables of commands have references.
        function.__code__ = made[function.__name__].__code__
        try:
            yield
        finally:
            function.__code__ = kept


def found() -> dict[str, str]:
    """The plans that have found the faults, by their names."""
    lines = FOUND.read_text(encoding="utf-8").splitlines() if FOUND.exists() else []
    pairs = [line.partition(" | ") for line in lines]
    return {name: plan for name, _, plan in pairs}


PLANTED: Final = (
    Planted(
        "let a turn wait for ever",
        "daemon.lobby.lobby",
        "DaemonLobby._play",
        "runner.game.phase is not Phase.PLAYING",
        "False",
    ),
    Planted(
        "answer no resignation",
        "referee.hosted.game",
        "HostedGame._put",
        "self._ended.append(event.token)",
        "pass",
    ),
    Planted(
        "answer no agreed takeback",
        "referee.hosted.game",
        "HostedGame._carry_out",
        "self._agreed.append(token)",
        "pass",
    ),
    Planted(
        "stand by without a second look",
        "daemon.base.store.lock_watch",
        "LockWatch._acquired",
        "while await self._looks_again()",
        "if await self._looks_again()",
    ),
    Planted(
        "acknowledge before the commit",
        "daemon.lobby.ledger",
        "keep",
        "return journal.commit(row)",
        "journal.commit(row).addErrback(lambda _: None); return journal.read(str)",
    ),
    Planted(
        "call a write done that failed",
        "daemon.base.store.group_commit",
        "GroupCommit._written",
        "done.errback(outcome)",
        "done.callback(None)",
    ),
    Planted(
        "lose the items that come during a write",
        "daemon.base.store.group_commit",
        "GroupCommit._written",
        "if self._is_busy:",
        "if self._is_busy and len(self._waiting) < 2:",
    ),
    Planted(
        "leave ratings when the store is away",
        "daemon.lobby.ledger",
        "Ledger._rate_stale",
        "until_back(reactor, rate)",
        "rate()",
    ),
    Planted(
        "restore a game one turn short",
        "store.games",
        "turns_of",
        "for row in rows)",
        "for row in rows if row.number != 3)",
    ),
    Planted(
        "restore no game",
        "store.games",
        "games_in_play",
        "rows = connection.execute(query).all()",
        "rows = connection.execute(query).all()[:1]",
    ),
    Planted(
        "charge the other clock",
        "referee.game.game",
        "Game._played",
        "state = self._states[seat]",
        "state = self._states[seat.other]",
    ),
    Planted(
        "forget the time of a turn",
        "referee.game.game",
        "Game._played",
        "seconds = round(state.clock.stop(now, self._states[seat.other].clock), 6)",
        "seconds = round(state.clock.stop(now, self._states[seat.other].clock), 6) / 2",
    ),
    Planted(
        "forget the spectators after the first",
        "daemon.play.game_runner",
        "GameRunner.tell",
        "for spectator in tuple(self._spectators):",
        "for spectator in self._spectators[: 1 if len(self.game.turns) == 3 else None]:",
    ),
    Planted(
        "deliver a turn twice",
        "referee.hosted.game",
        "HostedGame._kept",
        "[Tell(what)] if done is None else",
        "[Tell(what), Tell(what)] if done is None else",
    ),
    Planted(
        "tell a new spectator all but the last line",
        "daemon.play.game_runner",
        "GameRunner.watch",
        "for line in past_lines(game):",
        "for line in list(past_lines(game))[:-1] or past_lines(game):",
    ),
    Planted(
        "keep the turns that are taken back",
        "referee.hosted.game",
        "HostedGame._kept",
        "del self.turns[length:]",
        "pass",
    ),
    Planted(
        "let a stale put through",
        "referee.hosted.game",
        "HostedGame._put",
        "if put.number not in (None, position.number):",
        "if put.number not in (None, position.number, position.number - 2):",
    ),
    Planted(
        "let anybody play for the side to move",
        "daemon.lobby.lobby",
        "DaemonLobby._play",
        "runner, seat = self.directory.find(key)",
        "runner, _ = self.directory.find(key); seat = Seat(len(runner.game.turns) % 2)",
    ),
    Planted(
        "keep a key after a new one",
        "daemon.lobby.directory",
        "Directory.read",
        "self._void(runner)",
        "pass",
    ),
    Planted(
        "accept twice",
        "referee.hosted.state",
        "GameState.is_open",
        "self.phase is Phase.OFFERED",
        "self.phase is not Phase.OVER",
    ),
    Planted(
        "answer a resignation before the end",
        "referee.hosted.game",
        "HostedGame._put",
        "self._ended.append(event.token)",
        "found = [Answer(event.token), *found]",
    ),
    Planted(
        "let the flag hang",
        "daemon.play.game_runner",
        "GameRunner._set_alarm",
        "max(0.0, when - self.now), self._wake_soon",
        "max(0.0, when - self.now) + 5.0, self._wake_soon",
    ),
    Planted(
        "let the flag fall early",
        "referee.game.clock",
        "Clock.start",
        "self._started + self.allowed + grace",
        "self._started + 0.9 * self.allowed + grace",
    ),
    Planted(
        "give no increment",
        "referee.game.clock",
        "Clock.charge",
        "+ self.control.increment",
        "+ 0.0",
    ),
    Planted(
        "leak the timer of an offer",
        "daemon.lobby.presence",
        "Presence._cancel_alarms",
        "alarm.cancel()",
        "alarm.delay(3000)",
    ),
    Planted(
        "leak a connection",
        "daemon.base.admission.admission",
        "Admission.release",
        "self._open.pop(connection, None)",
        "self._open.get(connection)",
    ),
    Planted(
        "leave a key behind",
        "daemon.lobby.directory",
        "Directory.remove",
        "self._void(runner)",
        "if runner.game.lingers: self._void(runner)",
    ),
    Planted(
        "end a game without its record in the store",
        "daemon.lobby.ledger",
        "keep",
        "do(games.end_game,",
        "do(games.end_game if record.reason != 'resign' else (lambda *_: None),",
    ),
    Planted(
        "store a rewind one turn short",
        "store.games",
        "drop_turns",
        "TURNS.c.number > length",
        "TURNS.c.number > length + 1",
    ),
    Planted(
        "announce no rewind",
        "referee.hosted.game",
        "HostedGame._kept",
        "[Tell(what), *self._answer_agreed(), ",
        "[*self._answer_agreed(), ",
    ),
    Planted(
        "take back without the store",
        "daemon.lobby.ledger",
        "keep",
        "do(games.drop_turns,",
        "do(lambda *_: None,",
    ),
    Planted(
        "agree to take back what one has asked oneself",
        "referee.hosted.game",
        "HostedGame._agree",
        "asked.seat is not seat",
        "True",
    ),
    Planted(
        "keep the offer's key in the memory only",
        "daemon.lobby.offers",
        "Offer.kept",
        "keys=(black.key, white.key),",
        "",
    ),
    Planted(
        "tell a new key before it is kept",
        "referee.hosted.game",
        "HostedGame._set_key",
        "return [NewKey(",
        "return [Answer(token)]; return [NewKey(",
    ),
    Planted(
        "resume for anybody",
        "referee.hosted.state",
        "GameState.is_user",
        "fold(holder.name) == fold(name)",
        "True",
    ),
    Planted(
        "let a stranger have the name of an account",
        "daemon.lobby.users",
        "Users.check_name",
        "if alike is not None:",
        "if alike is None and name is None:",
    ),
    Planted(
        "log in by any token",
        "daemon.lobby.users",
        "Users.check_token",
        "if account is None:",
        "account = account or await self.account(name)\n    if account is None:",
    ),
    Planted(
        "play a rated game without an account",
        "referee.hosted.events",
        "Terms.check",
        "if self.is_rated and user is None:",
        "if self.is_rated and user == 1:",
    ),
    Planted(
        "offer a rated game without an account",
        "daemon.lobby.lobby",
        "DaemonLobby.seek",
        "if offer.terms.is_rated and origin.user is None:",
        "if offer.terms.is_rated and origin.user == 1:",
    ),
    Planted(
        "begin a game that the store has not",
        "daemon.lobby.ledger",
        "_begin",
        "do(games.begin_game,",
        "do(lambda *_: None,",
    ),
    Planted(
        "forget to count a rated game",
        "daemon.lobby.ledger",
        "keep",
        "record.winner is not None",
        "record.winner == 'b'",
    ),
    Planted(
        "restore with the clocks full",
        "store.games",
        "turns_of",
        "row.token, row.seconds)",
        "row.token, 100.0)",
    ),
    Planted(
        "lose a game whose store is away",
        "referee.hosted.game",
        "HostedGame._refused",
        "if is_store:",
        "if False:",
    ),
    Planted(
        "give up a result when the store is away",
        "daemon.lobby.ledger",
        "_persist",
        "return Deferred.fromCoroutine(until_back(journal.world.reactor, write))",
        "return write()",
    ),
    Planted(
        "take a failed read for damage",
        "daemon.base.store.journal",
        "Journal._check",
        "if not code:",
        "if True:",
    ),
    Planted(
        "hold a lost connection",
        "daemon.connections.connection",
        "PeerConnection.lost",
        "self._services.connections.remove(self)",
        "pass",
    ),
    Planted(
        "leak the timer of a line",
        "daemon.connections.connection",
        "PeerConnection._cancel_timers",
        "_cancel(timer)",
        "timer and timer.active() and timer.delay(5000)",
    ),
    Planted(
        "forget who has left",
        "daemon.play.game_runner",
        "GameRunner.forget",
        "self._spectators.remove(spectator)",
        "pass",
    ),
    Planted(
        "never open the gate after a lack of memory",
        "daemon.lifecycle",
        "MemoryGuard.look",
        "gate.open()",
        "pass",
    ),
    Planted(
        "answer a request twice",
        "referee.hosted.game",
        "HostedGame._finish",
        "ended, self._ended = self._ended, []",
        "ended = [*self._ended, *self._ended]",
    ),
    Planted(
        "drop the alarm of a game",
        "daemon.play.game_runner",
        "GameRunner._kept",
        "self._wake()",
        "self._cancel_alarm()",
    ),
    Planted(
        "refuse a result whose answer was lost",
        "store.games",
        "end_game",
        "== text:",
        "== 1:",
    ),
    Planted(
        "refuse a beginning whose answer was lost",
        "store.games",
        "begin_game",
        "_UNPLAYED",
        "GAMES.c.state == State.OPEN",
    ),
    Planted(
        "keep the name of an engine too briefly",
        "daemon.connections.engine_registry",
        "EngineRegistry.remove",
        "now + self._settings.limits.name_kept",
        "now + self._settings.limits.name_kept - 1",
    ),
    Planted(
        "give a line a second more",
        "daemon.connections.connection",
        "PeerConnection._watch_line",
        "self._limits.slow_line, self._check_line",
        "self._limits.slow_line + 1, self._check_line",
    ),
    Planted(
        "admit one connection too many",
        "daemon.base.admission.admission",
        "Admission._enter",
        "self._count[network] >= limits.per_address",
        "self._count[network] > limits.per_address",
    ),
    Planted(
        "forget the resume window of an engine",
        "referee.game.game",
        "Game.lost",
        "if not self.setup.limits.resume and not self.setup.by_day:",
        "if True:",
    ),
    Planted(
        "blame the engine for the other's turn",
        "referee.game.game",
        "Game._answer",
        "forfeit(seat, Reason.ILLEGAL, legal)",
        "forfeit(seat.other, Reason.ILLEGAL, legal)",
    ),
    Planted(
        "keep a session whose token is revoked",
        "daemon.lobby.users",
        "Users.check_token",
        "accounts.log_in, name, token",
        "accounts.find_account, name",
    ),
    Planted(
        "write whatever the generation",
        "store.store",
        "Store.transact",
        "check_generation(connection, self._generation)",
        "pass",
    ),
    Planted(
        "serve on after the lock is lost",
        "daemon.base.store.lock_watch",
        "LockWatch._serve",
        "await self._thread.run(self._lock.check)",
        "pass",
    ),
    Planted(
        "stand by without end",
        "daemon.base.store.lock_watch",
        "LockWatch._acquired",
        "    return True\n        except",
        "    pass\n        except",
    ),
    Planted(
        "serve without the lock",
        "daemon.base.store.lock_watch",
        "LockWatch._acquired",
        "if await self._thread.run(self._lock.acquire):\n        return True\n    waits()",
        "await self._thread.run(self._lock.acquire)\n    return True\n    waits()",
    ),
    Planted(
        "look at a lost lock in a new session",
        "store.advisory_lock",
        "AdvisoryLock._call",
        "    raise",
        "    return self._call(do)",
    ),
    Planted(
        "ask for the lock in a lost session",
        "store.advisory_lock",
        "AdvisoryLock._call",
        "self.close()",
        "pass",
    ),
    Planted(
        "serve without a look at who has the lock",
        "store.advisory_lock",
        "AdvisoryLock.acquire",
        "bool(",
        "bool(1 +",
    ),
    Planted(
        "play on a board out of an engine's range",
        "referee.game.engine_range",
        "EngineRange.includes",
        "self.has_board(rules.geometry)",
        "True",
    ),
    Planted(
        "refuse the longest clock of an engine's range",
        "referee.game.engine_range",
        "EngineRange.has_clock",
        "control.length <= self.most",
        "control.length < self.most",
    ),
    Planted(
        "begin games at an engine that has closed",
        "daemon.connections.engine_registry",
        "_takes",
        "claim.allows",
        "claim.permits",
    ),
    Planted(
        "refuse games at an engine that is open again",
        "daemon.connections.attachment",
        "Attachment.after",
        "former=former.former | {former.owner} - {self.owner}",
        "plays=former.plays",
    ),
    Planted(
        "ask an engine for what the one before it needed",
        "daemon.play.game_runner",
        "GameRunner.unask",
        "if not (isinstance(one, Ask) and one.seat is seat)",
        "",
    ),
    Planted(
        "keep an engine of a run after its game",
        "daemon.play.participants",
        "AttachedParticipant.release",
        "self._registry.free(link)",
        "pass",
    ),
    Planted(
        "keep an engine in the ladder",
        "daemon.lobby.ladder",
        "Ladder._over",
        "self._playing -= Counter((black, white))",
        "pass",
    ),
    Planted(
        "forget a game of the ladder",
        "daemon.lobby.ladder",
        "Ladder._over",
        "self._begun[black, white] -= 1",
        "pass",
    ),
    Planted(
        "hold no one who offers a rematch",
        "protocol.commands.lobby",
        "_rematch",
        "return _held(lobby, reply, 1) if agrees else reply",
        "return reply",
    ),
    Planted(
        "accept an invite without its secret",
        "daemon.lobby.offers",
        "Terms.check",
        "if self.invite not in (None, secret):",
        "if self.invite == 1:",
    ),
    Planted(
        "let an invite stay too long",
        "referee.hosted.game",
        "HostedGame._open",
        "self._until = now + patience",
        "self._until = now + patience + 1.0",
    ),
    Planted(
        "claim a second early",
        "referee.hosted.game",
        "HostedGame._claim",
        "if now - since < limit:",
        "if now - since < limit - 1:",
    ),
    Planted(
        "claim a second late",
        "referee.hosted.game",
        "HostedGame._claim",
        "if now - since < limit:",
        "if now - since < limit + 1:",
    ),
    Planted(
        "ask for a log-in a second late",
        "daemon.connections.connection",
        "PeerConnection.__init__",
        "self._limits.login, self._check_login",
        "self._limits.login + 1, self._check_login",
    ),
    Planted(
        "let a silent WebSocket live a second more",
        "daemon.net.websocket.transport",
        "WebSocketConnection._check",
        "else limits.silence) - now",
        "else limits.silence) + 1 - now",
    ),
    Planted(
        "ask a WebSocket in a game as seldom as others",
        "daemon.net.websocket.transport",
        "WebSocketConnection._check",
        "limits.game_silence if in_game else limits.silence",
        "limits.silence",
    ),
    Planted(
        "serve a fifth more requests",
        "protocol.rate_limit",
        "TokenBucket._at",
        "* self.rate",
        "* 1.2 * self.rate",
    ),
    Planted(
        "cut a closing connection off a second late",
        "daemon.connections.connection",
        "PeerConnection._wind_up",
        "self._limits.close, self._cut_off",
        "self._limits.close + 1, self._cut_off",
    ),
    Planted(
        "begin two rematches",
        "daemon.lobby.lobby",
        "DaemonLobby._agree",
        "if game.rematch is not None:",
        "if False:",
    ),
    Planted(
        "tell the API a wrong winner",
        "daemon.pages.api",
        "_summary",
        "getattr(place, name)",
        'getattr(place, name) and ("b" if name == "winner" else getattr(place, name))',
    ),
    Planted(
        "announce a rewind twice",
        "referee.hosted.game",
        "HostedGame._kept",
        "[Tell(what), *self._answer_agreed(), ",
        "[Tell(what), Tell(what), *self._answer_agreed(), ",
    ),
    Planted(
        "tell a wrong rest of an absence",
        "referee.hosted.view",
        "line_of",
        "limit - gone",
        "limit",
    ),
    Planted(
        "tell a new spectator that all are away or here",
        "referee.hosted.state",
        "GameState.absences",
        "if since is not None",
        "",
    ),
    Planted(
        "list the wrong side to move",
        "referee.hosted.view",
        "describe",
        "game.on_turn.key}",
        "game.on_turn.other.key}",
    ),
    Planted(
        "ask for one turn too many",
        "referee.hosted.game",
        "HostedGame._length",
        "len(seats) - 1",
        "len(seats) - 2",
    ),
    Planted(
        "charge the time of a pause",
        "referee.game.clock",
        "Clock.start",
        "self._started = self._resumes",
        "self._started = now",
    ),
    Planted(
        "forget a pause in a restart",
        "daemon.lobby.offers",
        "read_game",
        "paused=row.paused",
        "paused=0.0",
    ),
    Planted(
        "show the clock of the other side",
        "referee.hosted.view",
        "line_of",
        "{found[0].key}",
        "{found[0].other.key}",
    ),
    Planted(
        "leak a game",
        "daemon.lobby.lobby",
        "DaemonLobby._remove",
        "self.directory.remove(runner)",
        "self.directory.remove(runner); vars(self).setdefault('leak', []).append(runner)",
    ),
    Planted(
        "send a notice twice",
        "daemon.play.game_runner",
        "GameRunner.notice",
        'self.tell(f"notice {text}")',
        'self.tell(f"notice {text}"); self.tell(f"notice {text}")',
    ),
    Planted(
        "search on after the time",
        "daemon.connections.worker",
        "Worker._start_job",
        "None if seconds is None else reactor.callLater(seconds, job.stop)",
        "None",
    ),
    Planted(
        "lose the thread of a search",
        "daemon.connections.search_pool",
        "SearchPool._finished",
        "self._free += 1",
        "pass",
    ),
    Planted(
        "let a search give way to none",
        "daemon.connections.search_pool",
        "SearchPool._make_way",
        "now >= self._gives_way_at(job)",
        "False",
    ),
    Planted(
        "give one thread to two searches",
        "daemon.connections.search_pool",
        "SearchPool._next",
        "self._give_later(job)",
        "job.result.callback(job.outcome)",
    ),
    Planted(
        "leave an earlier log-in logged in",
        "daemon.lobby.users",
        "Users._log_in",
        'other.disconnect("logged in elsewhere")',
        "pass",
    ),
    Planted(
        "leave the pages of a log-in that has ended",
        "daemon.lobby.users",
        "Users.end_revoked",
        'connection.disconnect("the token is revoked, or the account disabled")',
        "pass",
    ),
    Planted(
        "make an account too many",
        "daemon.pages.browser_sessions",
        "SessionResource._times",
        ">= self",
        "> self",
    ),
    Planted(
        "begin games in a pause",
        "daemon.base.admission.start_gate",
        "StartGate.check",
        "if self.reason is not None:",
        'if "server" in str(self.reason):',
    ),
    Planted(
        "kick no one",
        "daemon.administration",
        "Administration._kick",
        'connection.disconnect("kicked by the administrator")',
        "pass",
    ),
    Planted(
        "abort a game that is over",
        "daemon.administration",
        "Administration._abort",
        'if runner.game.phase.word != "playing":',
        "if False:",
    ),
    Planted(
        "archive a game twice",
        "daemon.runs.archive",
        "GameArchive.append",
        'dump_record(record) + "\\n"',
        '(dump_record(record) + "\\n") * 2',
    ),
    Planted(
        "count a game that is not archived",
        "daemon.play.executor",
        "SlotExecutor._take",
        "if self._commit is not None and kept:",
        "if self._commit is None:",
    ),
    Planted(
        "give a void game up at once",
        "referee.tournament.tournament",
        "Tournament._note_void",
        "if attempts < self.plan.attempts:",
        "if attempts > self.plan.attempts:",
    ),
    Planted(
        "blame an engine that could not be started",
        "daemon.play.processes",
        "Child.was_started",
        "return not self._report",
        "return True",
    ),
    Planted(
        "let engines run on after a run",
        "daemon.play.slot",
        "Slot.close",
        "participant.close()",
        "pass",
    ),
    Planted(
        "write behind a torn line",
        "daemon.runs.run_folder",
        "RunFolder.__init__",
        "self.torn = cut_torn_line(path / GAMES)",
        "self.torn = 0",
    ),
)
