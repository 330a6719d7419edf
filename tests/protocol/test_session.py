"""The session: order, queue, tasks, streams, ends and limits."""

from typing import NoReturn

import pytest

from tests.protocol.peer import Peer, begin_match
from tests.support.engines import fixed
from yoddd.protocol import Code, PeerError, Phase
from yoddd.protocol.arguments import NAME_RULE as NAME
from yoddd.protocol.effects import (
    Attach,
    Close,
    Effect,
    Send,
    StartStream,
    StartTask,
    StopStream,
    StopTask,
)
from yoddd.rules import PASS


def task_of(peer: Peer) -> StartTask:
    (task,) = [effect for effect in peer.log if isinstance(effect, StartTask)]
    return task


def phase(peer: Peer) -> Phase:
    return peer.session.phase


def wants(peer: Peer) -> set[str]:
    session = peer.session
    flags = {"input": session.wants_input, "resume": session.wants_resume, "line": session.in_line}
    return {name for name, flag in flags.items() if flag}


def streaming(**settings: object) -> Peer:
    peer = Peer(match=begin_match, **settings)
    assert peer.feed(b"7 match a b\n") == b"=7 \n"
    return peer


# -- plain requests -----------------------------------------------------------------------------


def test_session_replies_are_in_order_in_one_effect() -> None:
    effects = Peer().session.receive(b"1 name\n\n# nothing\n2 protocol_version\r\n3 nonsense\n")
    assert effects == [Send(b"=1 yoddd\n\n=2 2\n\n?3 unknown command: nonsense\n\n")]


def test_session_quit_replies_closes_and_drops_the_rest() -> None:
    peer = Peer()
    assert peer.feed(b"1 quit\nname\n") == b"=1 \n\n"
    assert peer.log == [Close("quit")]
    assert phase(peer) is Phase.CLOSED
    assert not peer.session.wants_input
    assert not peer.session.wants_resume
    assert peer.session.receive(b"name\n") == []
    assert peer.session.resume() == []
    assert peer.session.finish() == []
    assert peer.session.lost() == []


def test_session_served_counts_requests_and_errors_counts_the_unsound() -> None:
    peer = Peer()
    peer.feed(b"name\n\n# comment\nnonsense\nname 2\nundo\n")
    assert (peer.session.served, peer.session.errors) == (4, 2)


# -- tasks --------------------------------------------------------------------------------------


def test_session_busy_queues_requests() -> None:
    peer = Peer()
    assert peer.feed(b"name\n9 genmove b\nhistory\n\nversion\n") == b"= yoddd\n\n"
    assert phase(peer) is Phase.BUSY
    assert not peer.session.wants_resume
    assert peer.feed(b"name\n") == b""
    reply = peer.finish_task(task_of(peer))
    assert reply == b"=9 1a1\n\n= 1a1\n\n= 1.0\n\n= yoddd\n\n"
    assert phase(peer) is Phase.READY


def test_session_interrupts_stop_the_task_once() -> None:
    peer = Peer()
    peer.feed(b"genmove b\nname\n# interrupt\n# interrupt\n")
    token = task_of(peer).token
    assert peer.log[1:] == [StopTask(token)]
    assert peer.finish_task(task_of(peer), stop=True) == b"= 1a1\n\n= yoddd\n\n"


def test_session_late_or_foreign_result_is_ignored() -> None:
    peer = Peer()
    peer.feed(b"genmove b\n")
    task = task_of(peer)
    assert peer.session.task_done(task.token + 1, None) == []
    assert peer.session.task_failed(task.token + 1, "busy") == []
    peer.finish_task(task)
    assert peer.session.task_done(task.token, None) == []
    assert peer.session.task_failed(task.token, "busy") == []


def test_session_failed_task_is_an_error_reply_of_one_line() -> None:
    peer = Peer()
    peer.feed(b"4 genmove b\nname\n")
    effects = peer.session.task_failed(task_of(peer).token, "busy: 9 wait\nalready")
    assert effects == [Send(b"?4 busy: 9 wait already\n\n")]
    assert wants(peer) == {"input", "resume"}
    assert peer.take(peer.session.resume()) == b"= yoddd\n\n"


@pytest.mark.parametrize(
    ("line", "reply"), [(b"genmove b\n", b"? busy\n\n"), (b"match a b\n", b"= \n\n")]
)
def test_session_work_that_ends_at_once_does_not_nest(line: bytes, reply: bytes) -> None:
    peer = Peer(match=begin_match, batch_cost=8)

    def carry_out(effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, StartTask):
                carry_out(peer.session.task_failed(effect.token, "busy"))
            elif isinstance(effect, StartStream):
                carry_out(peer.session.stream_end(effect.token))
            elif isinstance(effect, Send):
                peer.sent += effect.data

    carry_out(peer.session.receive(line * 3000))
    while peer.session.wants_resume:
        carry_out(peer.session.resume())
    assert peer.sent == reply * 3000


def test_session_failed_task_at_end_of_input_closes() -> None:
    peer = Peer()
    peer.feed(b"genmove b\n")
    peer.session.finish()
    assert peer.take(peer.session.task_failed(task_of(peer).token, "busy")) == b"? busy\n\n"
    assert peer.log[-1] == Close("end of input")


def test_session_illegal_turn_of_engine_is_not_played() -> None:
    peer = Peer(engines={"first": lambda: fixed(PASS)})
    assert peer.ask("genmove b") == "? engine failed: first chose pass: 0 groups, even"
    assert peer.ask("history") == "= "


def test_session_full_queue_leaves_lines_uncut() -> None:
    peer = Peer(queue=3)
    peer.feed(b"genmove b\n" + b"name\n" * 10 + b"# interrupt\n")
    assert not peer.session.wants_input
    assert peer.log[1:] == []
    assert peer.finish_task(task_of(peer)).count(b"yoddd") == 10
    assert peer.session.wants_input


def test_session_blank_lines_do_not_fill_the_queue() -> None:
    peer = Peer(queue=3)
    peer.feed(b"genmove b\n" + b"\n" * 100 + b"name\n" + b"\n" * 100 + b"# interrupt\n")
    assert peer.session.wants_input
    assert len(peer.log) == 2


# -- batches ------------------------------------------------------------------------------------


def test_session_call_serves_one_batch() -> None:
    peer = Peer(batch_cost=10)
    assert peer.feed(b"name\n" * 25).count(b"yoddd") == 10
    assert wants(peer) == {"resume"}
    assert peer.take(peer.session.resume()).count(b"yoddd") == 10
    assert peer.take(peer.session.resume()).count(b"yoddd") == 5
    assert wants(peer) == {"input"}


def test_session_large_replies_end_a_batch_early() -> None:
    peer = Peer(batch_output=5000)
    sent = peer.feed(b"help\n" * 10)
    assert 5000 <= len(sent) < 15_000
    assert peer.session.wants_resume


# -- streams ------------------------------------------------------------------------------------


def test_session_stream_begins_grows_and_ends() -> None:
    peer = streaming()
    (start,) = peer.log
    assert start == StartStream(1, "match", ("a", "b"))
    assert phase(peer) is Phase.STREAMING
    assert peer.session.stream_line(1, "game 1\n\nmore \n") == [Send(b"game 1\nmore\n")]
    assert peer.session.stream_line(2, "foreign") == []
    assert peer.session.stream_end(2) == []
    assert peer.session.stream_end(1) == [Send(b"\n")]
    assert phase(peer) is Phase.READY
    assert peer.session.stream_line(1, "late") == []


def test_session_stream_failing_late_has_an_error_line() -> None:
    peer = streaming()
    assert peer.session.stream_end(1, "engine a is gone") == [Send(b"error engine a is gone\n\n")]


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        (b"\n", b"\n"),
        (b"# comment\n", b"\n"),
        (b"# interrupt\n", b"\n"),
        (b"stop\n", b"\n= \n\n"),
        (b"8 name\n", b"\n=8 yoddd\n\n"),
        (b"quit\n", b"\n= \n\n"),
    ],
)
def test_session_any_line_ends_a_stream_and_is_served(line: bytes, reply: bytes) -> None:
    peer = streaming()
    assert peer.feed(line) == reply
    assert StopStream(1) in peer.log
    assert peer.session.stream_line(1, "late") == []


def test_session_queued_blank_line_ends_the_stream_before_it() -> None:
    peer = Peer(match=begin_match)
    peer.feed(b"genmove b\nmatch a b\n\n")
    assert peer.finish_task(task_of(peer)) == b"= 1a1\n\n= \n\n"
    assert peer.log[1:] == [StartStream(2, "match", ("a", "b")), StopStream(2)]


def test_session_refused_match_begins_no_stream() -> None:
    def refuse(args: tuple[str, ...], _origin: object) -> NoReturn:
        raise PeerError(Code.SYNTAX, f"no engine {args[0]!r}")

    assert Peer(match=refuse).ask("match a b") == "? syntax error: no engine 'a'"


# -- lines over the limit -----------------------------------------------------------------------


@pytest.mark.parametrize("end", [b"", b"\n", b"\nname\n"])
def test_session_overlong_line_is_refused_in_order_and_closes(end: bytes) -> None:
    peer = Peer()
    sent = peer.feed(b"name\n" + b"x" * 16_385 + end)
    assert sent == b"= yoddd\n\n? syntax error: line over 16384 bytes\n\n"
    assert peer.log == [Close("syntax error: line over 16384 bytes")]


def test_session_overlong_line_waits_for_the_task() -> None:
    peer = Peer(line=20)
    peer.feed(b"genmove b\n" + b"x" * 21)
    assert peer.finish_task(task_of(peer)).endswith(b"line over 20 bytes\n\n")
    assert phase(peer) is Phase.CLOSED


# -- the end ------------------------------------------------------------------------------------


def test_session_end_of_input_answers_pending_requests() -> None:
    peer = Peer()
    peer.feed(b"genmove b\nname\nvers")
    assert peer.take(peer.session.finish()) == b""
    assert not peer.session.wants_input
    assert peer.finish_task(task_of(peer)) == b"= 1a1\n\n= yoddd\n\n"
    assert peer.log[-1] == Close("end of input")


def test_session_end_of_input_waits_for_the_last_batch() -> None:
    peer = Peer(batch_cost=1)
    peer.feed(b"name\nname\nname\n")
    assert peer.take(peer.session.finish()) == b"= yoddd\n\n"
    assert peer.log == []
    assert peer.take(peer.session.resume()) == b"= yoddd\n\n"
    assert peer.log == [Close("end of input")]


def test_session_end_of_input_ends_a_stream() -> None:
    peer = streaming()
    assert peer.take(peer.session.finish()) == b"\n"
    assert peer.log[1:] == [StopStream(1), Close("end of input")]


def test_session_lost_stops_task_or_stream() -> None:
    peer = Peer()
    peer.feed(b"genmove b\nname\n")
    token = task_of(peer).token
    assert peer.session.lost() == [StopTask(token)]
    assert peer.session.task_done(token, None) == []
    assert streaming().session.lost() == [StopStream(1)]
    assert Peer().session.lost() == []


# -- engines ------------------------------------------------------------------------------------


def test_attach_as_first_request_hands_over() -> None:
    peer = Peer(attach=True)
    sent = peer.feed(b"\n# hello\nattach Bot-1 token=S3cret games=yodd,XODD\n= rest\n\n")
    assert sent == b""
    assert peer.log == [Attach("Bot-1", {"token": "S3cret", "games": "yodd,XODD"}, b"= rest\n\n")]
    assert phase(peer) is Phase.CLOSED
    assert not peer.session.wants_input


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("attach -x", f"name '-x': {NAME}"),
        ("attach a reply=maybe", "reply 'maybe': expected on or off"),
        ("attach a token=", "'token=': expected name=value"),
        ("attach a token=1 token=2", "token is given twice"),
    ],
)
def test_attach_refused_closes(line: str, reason: str) -> None:
    peer = Peer(attach=True)
    assert peer.ask(line) == f"? syntax error: {reason}"
    assert peer.log == [Close(f"syntax error: {reason}")]


def test_lines_behind_a_task_are_read_ahead_in_batches() -> None:
    peer = Peer()
    peer.session.receive(b"genmove\n")
    assert peer.session.receive(b"\n" * 1000 + b"# interrupt\n") == []
    assert not peer.session.wants_input
    batches = 0
    effects: list[Effect] = []
    while peer.session.wants_resume:
        effects += peer.session.resume()
        batches += 1
    assert batches == 3  # of 256 lines
    assert [type(effect) for effect in effects] == [StopTask]
    assert peer.session.wants_input
