"""Matches that clients request: the reply, the list of them, and stopping one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.daemon.fake_time import AnsweringEngine, settle, world_of
from tests.daemon.memory import MemoryDaemon, Talk
from tests.support.games import match_line
from yoddd.daemon.play import match_requests
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.match_requests import MatchRequests
from yoddd.protocol.errors import PeerError
from yoddd.protocol.origin import TRUSTED
from yoddd.protocol.replies import StreamReply, TaskReply
from yoddd.referee.game.engine_range import EngineRange


def line_of(**more: object) -> str:
    keys = {"board": "hex2", "games": 2, "wait": 5, **more}
    return match_line("ann", "bob", **keys)


@pytest.fixture
def talk(daemons: Callable[..., MemoryDaemon]) -> Talk:
    """A dialogue with a daemon to which Ann is attached, who plays a turn and then resigns."""
    talk = Talk(daemons({"limits.exempt": ["0.0.0.0/0"]}))
    attach(talk, "ann", "1a1")
    return talk


def attach(talk: Talk, name: str, *turns: str, copy: int = 1, **plays: str) -> None:
    engines, own = talk.daemon.games.engines, EngineRange.read(plays)
    AnsweringEngine(talk.daemon.clock, engines, name, turns, own, secret=name, copy=copy)


def test_match_sends_the_news_of_each_game_and_ends(talk: Talk) -> None:
    talk(f"eve: {line_of()}", "=", "gil: matches", "= * ann bob yodd hex2 0 0 0 2 clock=none")
    attach(talk, "bob")
    settle(talk.daemon.clock)
    talk(
        "eve:",
        "game 1 *\nturn 1 *\nrecord 1 *\ngame 2 *\nrecord 2 *",
        "gil: matches",
        "=",
        "gil: games",
        "= * over * over *",
    )


def test_match_that_is_stopped_or_aborted_ends_with_a_void_game(talk: Talk) -> None:
    talk("bob: attach bob", "", f"eve: {line_of()}", "= *game 1 *")
    (runner,) = talk.daemon.games
    runner.abort("aborted by the administrator")
    talk("eve:", 'record 1 *"reason":"void"*', "eve: stop", "*", "gil: matches", "=")


def test_match_without_its_engine_or_that_fails_ends_with_the_error(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(f"eve: {line_of()}", "=")
    talk.daemon.clock.advance(5)
    talk("eve:", "error not attached: bob (attached: ann)")
    monkeypatch.setattr(match_requests, "format_news", {}.__getitem__)
    attach(talk, "bob")
    talk(f"eve: {line_of()}", "= *error the match broke off: *")


def test_match_is_refused_while_no_game_may_start(talk: Talk) -> None:
    talk(f"eve: {line_of(pairs=1)}", "? *games*")
    talk.daemon.games.start_gate.close("the server is stopping")
    talk(f"gil: {line_of()}", "? busy: the server is stopping")


def test_match_is_refused_if_an_engine_does_not_play_it(talk: Talk) -> None:
    attach(talk, "bob", boards="hex2..hex3", clock="..60")
    for keys in ({"board": "hex4"}, {}):
        talk(f"eve: {line_of(**keys)}", "? *bob plays only boards=hex2..hex3 clock=..60*")
    talk(f"eve: {line_of(clock='60')}", "= *")
    settle(talk.daemon.clock)
    odds = [{"engine": "tcp:ann"}, {"engine": "tcp:bob", "clock": "60"}]
    talk(f"gil: {line_of(engine=odds, clock='90')}", "= *")  # the clock of the engine counts


def test_match_does_not_begin_with_an_engine_that_comes_and_does_not_play_it(talk: Talk) -> None:
    talk(f"eve: {line_of()}", "=")
    attach(talk, "bob", boards="hex3")
    settle(talk.daemon.clock)
    talk.daemon.clock.advance(5)
    talk("eve:", "error not permitted: bob plays only boards=hex3")


def test_match_plays_as_many_games_at_once_as_both_engines_have_copies(talk: Talk) -> None:
    for copy in (2, 3):
        attach(talk, "ann", "1a1", copy=copy)
    for copy in (1, 2):
        attach(talk, "bob", copy=copy)
    request = line_of(games=5, concurrency=4)
    talk("gil: who", "= ann engine copies=3\nbob engine copies=2")
    words = [line.split()[0] for line in talk.daemon.peer().ask(request).split("\n") if line]
    begun = [words[: n + 1].count("game") - words[:n].count("record") for n in range(len(words))]
    assert (words.count("record"), max(begun)) == (5, 2)


def test_match_requests_play_the_openings_in_a_task_that_can_be_stopped() -> None:
    requests = MatchRequests(GameServices(world_of()))

    def request(*openings: str) -> TaskReply:
        reply = requests.request(tuple(line_of(opening=openings).split()[1:]), TRUSTED)
        assert isinstance(reply, TaskReply)
        return reply

    reply = request("1A1", "1B1")
    with pytest.raises(PeerError, match="interrupted"):
        reply.work(lambda: True)
    begun = reply.finish(reply.work(lambda: False))
    assert isinstance(begun, StreamReply)
    assert [one.turns for one in begun.args.opening] == [("1a1",), ("1b1",)]
    reply = request("1a1", "1a1 1a1")
    with pytest.raises(PeerError, match="opening 2: "):
        reply.work(lambda: False)
