"""Matches that clients request: the reply, the list of them, and stopping one."""

from __future__ import annotations

from typing import cast

import attrs
import pytest
from twisted.internet.task import Clock

from tests.daemon.fake_time import AnsweringEngine, settle
from tests.support.games import match_line
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import World
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.match_command import parse_order
from yoddd.daemon.play.match_requests import MatchRequests, MatchStream
from yoddd.protocol.errors import PeerError
from yoddd.protocol.origin import TRUSTED
from yoddd.protocol.replies import StreamReply, TaskReply
from yoddd.referee.hosted.state import Phase


def order_of(**more: object) -> tuple[str, ...]:
    keys = {"board": "hex2", "games": 2, "wait": 5, **more}
    return tuple(match_line("ann", "bob", **keys).split()[1:])


@attrs.define
class Setup:
    """The matches of a daemon whose engines answer in fake time."""

    clock: Clock = attrs.Factory(Clock)
    games: GameServices = attrs.Factory(
        lambda self: GameServices(World(cast("Reactor", self.clock))), takes_self=True
    )
    requests: MatchRequests = attrs.Factory(lambda self: MatchRequests(self.games), takes_self=True)
    lines: list[str] = attrs.Factory(list)
    ends: list[str | None] = attrs.Factory(list)

    def attach(self, name: str, *turns: str) -> AnsweringEngine:
        return AnsweringEngine(self.clock, self.games.engines, name, turns)

    def open(self, **more: object) -> MatchStream:
        order = parse_order(order_of(**more))
        return self.requests.open(order, self.lines.append, self.ends.append, TRUSTED)


@pytest.fixture
def world() -> Setup:
    return Setup()


def test_match_stream_sends_the_news_of_each_game_and_ends(world: Setup) -> None:
    world.attach("ann", "1a1")
    world.attach("bob")
    world.open()
    (line,) = world.requests.describe()
    assert line.split(" ", 1)[1] == "ann bob yodd hex2 0 0 0 2 clock=none"
    settle(world.clock)
    assert [line.split()[0] for line in world.lines] == ["game", "turn", "record", "game", "record"]
    assert world.ends == [None]
    assert world.requests.describe() == []
    assert [one.game.phase for one in world.games] == [Phase.OVER] * 2


def test_match_stream_that_is_stopped_or_aborted_ends_with_a_void_game(world: Setup) -> None:
    world.attach("ann")
    world.attach("bob")
    stream = world.open()
    (runner,) = world.games
    runner.abort("aborted by the administrator")
    assert '"reason":"void"' in world.lines[1].replace(" ", "")
    stream.stop()
    assert [line.split()[0] for line in world.lines][:2] == ["game", "record"]
    assert world.ends == [None]
    world.open(wait=0).stop()
    assert world.requests.describe() == []


def test_match_stream_that_fails_ends_with_the_error(world: Setup) -> None:
    def refuse(_line: str) -> None:
        raise RuntimeError("the connection is full")

    world.attach("ann")
    world.attach("bob")
    world.requests.open(parse_order(order_of()), refuse, world.ends.append, TRUSTED)
    assert world.ends == ["the match broke off: the connection is full"]


def test_match_requests_refuse_a_match_while_no_game_may_start(world: Setup) -> None:
    reply = world.requests.request(order_of(), TRUSTED)
    assert reply == StreamReply("match", parse_order(order_of()), TRUSTED)
    with pytest.raises(PeerError, match="games"):
        world.requests.request(order_of(pairs=1), TRUSTED)
    world.games.start_gate.close("the server is stopping")
    with pytest.raises(PeerError, match="the server is stopping"):
        world.requests.request(order_of(), TRUSTED)


def test_match_requests_play_the_openings_in_a_task_that_can_be_stopped(world: Setup) -> None:
    reply = world.requests.request(order_of(opening=["1A1", "1B1"]), TRUSTED)
    assert isinstance(reply, TaskReply)
    with pytest.raises(PeerError, match="interrupted"):
        reply.work(lambda: True)
    begun = reply.finish(reply.work(lambda: False))
    assert isinstance(begun, StreamReply)
    assert [one.turns for one in begun.args.config.opening] == [("1a1",), ("1b1",)]
    reply = world.requests.request(order_of(opening=["1a1", "1a1 1a1"]), TRUSTED)
    assert isinstance(reply, TaskReply)
    with pytest.raises(PeerError, match="opening 2: "):
        reply.work(lambda: False)
