"""A peer that talks to a real session and records its effects."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs

from tests.kernel.tables import Made
from tests.support.engines import Answering
from tests.support.wire import follows_reply
from yoddd.engine import Searcher
from yoddd.protocol import Session
from yoddd.protocol.config import SessionConfig, SessionDefaults, SessionLimits, SessionServices
from yoddd.protocol.effects import (
    ConnectionHandle,
    Effect,
    ResultCallback,
    Send,
    StartAnalysis,
    StartCall,
    StartTask,
)
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.protocol.lobby import LobbyReply, Put, SeatRequest, TakeBack
from yoddd.protocol.origin import Origin
from yoddd.protocol.replies import DeferredReply, StreamReply
from yoddd.rules import make_rules


class OneOffer:
    """The lobby of the vectors: Ann offers game t1, no game ever begins, and every key is KEY."""

    def games(self, ids: Sequence[str] = ()) -> Sequence[str]:
        return ["t1 open yodd hex4 ann - 0 clock=none"] if "t1" in (ids or ("t1",)) else []

    def who(self, origin: Origin, settings: Mapping[str, str]) -> Sequence[str]:
        del origin
        narrow = "two engine games=odd boards=hex3..hex5 clock=10..1800+30"
        return [narrow] if settings else ["ann human", "one engine", narrow]

    def seek(self, origin: Origin, name: str, settings: Mapping[str, str]) -> str:
        del name
        if settings.get("rated") == "yes" and origin.user is None:
            raise PeerError(Subcode.LOG_IN, "log in for a rated game")
        if settings.get("against") not in (None, "one", "two"):
            raise PeerError(Subcode.NO_RIVAL, f"no engine {settings['against']!r} is attached")
        if settings.get("as") == "engine":
            return "t2"
        return "t2 KEY SECRET" if "invite" in settings else "t2 KEY"

    def hold(self, key: str, connection: ConnectionHandle) -> None:
        assert key == "KEY"
        assert connection.host in {None, "127.0.0.1"}

    def accept(self, origin: Origin, game_id: str, name: str, secret: str | None = None) -> str:
        del origin, name, secret
        self.check_watchable(game_id)
        return "KEY"

    def withdraw(self, key: str) -> str:
        if key != "KEY":
            raise PeerError(Subcode.NO_KEY, "no game has this key")
        return ""

    def play(self, key: str, request: SeatRequest) -> LobbyReply:
        if not isinstance(request, Put):
            is_answer = isinstance(request, TakeBack) and request.value
            if is_answer or not getattr(request, "agrees", True):
                raise PeerError(Subcode.NO_REQUEST, "no request to answer")
            return self.withdraw(key)
        self.withdraw(key)
        if request.number not in (None, 1):
            raise PeerError(Subcode.NUMBER, "turn 1 is next")
        if request.turn != "1d4":
            raise PeerError(Subcode.PLAYER, "white to move")
        return DeferredReply(lambda _connection, answer: answer(""))

    def rematch(self, origin: Origin, key: str, *, agrees: bool) -> str:
        del origin
        self.withdraw(key)
        return "t2 KEY" if agrees else ""

    def resume(self, user: str | None, game_id: str | None = None, key: str | None = None) -> str:
        if user is None and key is None:
            raise PeerError(Subcode.LOG_IN, "log in first")
        if game_id not in (None, "r1"):
            raise PeerError(Subcode.NO_GAME, f"you play no game {game_id!r}")
        return "KEY" if game_id else "r1"

    def check_watchable(self, game_id: str) -> None:
        if game_id != "t1":
            raise PeerError(Subcode.NO_GAME, f"no game {game_id!r}")


def one_match() -> Sequence[str]:
    """The match of the vectors."""
    return ["m1 one two yodd hex4 3 2 5 10 clock=none"]


class OneAccount:
    """The accounts of the vectors: Ann's token is TOKEN, and she leads the only leaderboard."""

    def log_in(
        self, connection: ConnectionHandle, name: str, token: str, answer: ResultCallback
    ) -> None:
        del connection
        good = (name.lower(), token) == ("ann", "TOKEN")
        answer("ann" if good else PeerError(Subcode.TOKEN, "wrong name or token"))

    def leaderboard(self, game: str, board: str, answer: ResultCallback) -> None:
        lines = ["1 ann 35 120 8 5", "2 one -35 0 8 3 anchor"]
        answer(lines if (game, board) == ("yodd", "hex4") else [])


class LocalConnection:
    """A connection without an address."""

    host: str | None = None

    def disconnect(self, reason: str) -> None:
        raise AssertionError(reason)

    def on_disconnect(
        self, call: Callable[[], None], is_needed: Callable[[], bool] = lambda: False
    ) -> None:
        del call, is_needed


class OneTable(Made):
    """The table of the vectors: Yodd on hex2."""

    def __init__(self) -> None:
        super().__init__(make_rules("yodd", "hex2"))


def begin_match(args: tuple[str, ...], origin: Origin) -> StreamReply:
    """Begin the match of the vectors, whatever is asked for."""
    return StreamReply("match", args, origin)


FIRST: Mapping[str, Callable[[], Searcher]] = {"first": Answering}
EVERYTHING: Final[Mapping[str, Any]] = {
    "cpu_time": lambda: 1.5,
    "attach": True,
    "match": begin_match,
    "list_matches": one_match,
    "lobby": OneOffer(),
    "accounts": OneAccount(),
    "tables": OneTable(),
}
"""The services of the server of the vectors, for `session_config`."""

_PARTS: Final[Mapping[str, type]] = {
    "limits": SessionLimits,
    "defaults": SessionDefaults,
    "services": SessionServices,
}


def session_config(**settings: Any) -> SessionConfig:
    """A configuration from the fields of its parts, which have different names."""
    settings = {"engines": FIRST, "engine": "first", "version": "1.0", **settings}
    for part, kind in _PARTS.items():
        names = settings.keys() & {field.name for field in attrs.fields(kind)}
        settings[part] = kind(**{name: settings.pop(name) for name in names})
    return SessionConfig(**settings)


class Peer:
    """One connection; ``log`` holds every effect but what was sent."""

    def __init__(self, **settings: Any) -> None:
        self.session = Session(session_config(**settings))
        self.log: list[Effect] = []
        self.sent = b""

    def feed(self, data: bytes) -> bytes:
        """Send ``data`` and return what is sent back at once."""
        return self.take(self.session.receive(data))

    def take(self, effects: list[Effect]) -> bytes:
        """Log effects and return what they sent."""
        sent = b"".join(effect.data for effect in effects if isinstance(effect, Send))
        self.log += [effect for effect in effects if not isinstance(effect, Send)]
        self.sent += sent
        return sent

    def ask(self, line: str) -> str:
        """Return the reply to a line, without its empty line; run tasks and resume batches."""
        mark = len(self.log)
        sent = self.feed(line.encode() + b"\n")
        while True:
            for effect in self.log[mark:]:
                mark += 1
                if isinstance(effect, StartTask | StartCall | StartAnalysis):
                    sent += self.finish_task(effect)
            if not self.session.wants_resume:
                text = sent.decode().removesuffix("\n\n")
                is_whole = text[:2] in ("= ", "? ") and sent.find(b"\n\n") == len(sent) - 2
                assert not is_whole or follows_reply(line, text), (line, text)
                return text
            sent += self.take(self.session.resume())

    def begin(self, line: str) -> StartTask:
        """Send a line that is answered by a task, and return that."""
        assert self.feed(line.encode() + b"\n") == b""
        task = self.log[-1]
        assert isinstance(task, StartTask)
        return task

    def finish_task(
        self, task: StartTask | StartCall | StartAnalysis, *, stop: bool = False
    ) -> bytes:
        """Run a task and report its lines and its result."""
        said: list[str] = []
        result: object = None
        if isinstance(task, StartCall):
            results: list[object] = []
            task.start(LocalConnection(), results.append)
            (result,) = results
        elif isinstance(task, StartTask):
            result = task.work(lambda: stop)
        else:
            result = task.work(lambda: stop, said.append)
        effects = [e for text in said for e in self.session.stream_line(task.token, text)]
        return self.take([*effects, *self.session.task_done(task.token, result)])

    def setup(self, *lines: str) -> None:
        """Send lines that must be accepted."""
        for line in lines:
            assert self.ask(line).startswith("="), line
