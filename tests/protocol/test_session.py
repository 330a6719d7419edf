"""The machine: order, queueing, tasks, streams, ends and limits."""

import pytest

from tests.protocol.peer import Fixed, Peer
from yoddd.protocol import Code, PeerError, Phase
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


def wishes(peer: Peer) -> set[str]:
    session = peer.session
    flags = {"input": session.wants_input, "resume": session.wants_resume, "line": session.in_line}
    return {name for name, flag in flags.items() if flag}


def streaming(**settings: object) -> Peer:
    peer = Peer(match=lambda _args: None, **settings)
    assert peer.feed(b"7 match a b\n") == b"=7 \n"
    return peer


# -- plain requests -----------------------------------------------------------------------------


def test_nothing_is_said_before_the_first_request() -> None:
    peer = Peer()
    assert peer.feed(b"") == b""
    assert peer.session.wants_input
    assert phase(peer) is Phase.READY


def test_replies_come_in_order_and_in_one_piece() -> None:
    effects = Peer().session.receive(b"1 name\n\n# nothing\n2 protocol_version\r\n3 nonsense\n")
    assert effects == [Send(b"=1 yoddd\n\n=2 2\n\n?3 unknown command: nonsense\n\n")]


def test_a_request_may_come_in_pieces() -> None:
    peer = Peer()
    assert peer.feed(b"na") == b""
    assert peer.session.in_line
    assert peer.feed(b"me") == b""
    assert peer.feed(b"\n") == b"= yoddd\n\n"
    assert not peer.session.in_line


def test_an_id_alone_is_a_syntax_error() -> None:
    assert Peer().feed(b"5\n") == b"?5 syntax error: no command after the id\n\n"


def test_an_interrupt_without_a_task_is_a_comment() -> None:
    peer = Peer()
    assert peer.feed(b"# interrupt\nname\n") == b"= yoddd\n\n"
    assert peer.log == []


def test_quit_replies_and_closes_and_the_rest_is_dropped() -> None:
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


# -- tasks --------------------------------------------------------------------------------------


def test_a_task_holds_back_the_requests_behind_it() -> None:
    peer = Peer()
    assert peer.feed(b"name\n9 genmove b\nhistory\n\nversion\n") == b"= yoddd\n\n"
    assert phase(peer) is Phase.BUSY
    assert not peer.session.wants_resume
    assert peer.feed(b"name\n") == b""
    reply = peer.finish_task(task_of(peer))
    assert reply == b"=9 1a1\n\n= 1a1\n\n= 1.0\n\n= yoddd\n\n"
    assert phase(peer) is Phase.READY


def test_effects_keep_their_order() -> None:
    kinds = [type(effect) for effect in Peer().session.receive(b"name\ngenmove b\n# interrupt\n")]
    assert kinds == [Send, StartTask, StopTask]


def test_an_interrupt_is_seen_at_once_and_told_once() -> None:
    peer = Peer()
    peer.feed(b"genmove b\nname\n# interrupt\n# interrupt\n")
    token = task_of(peer).token
    assert peer.log[1:] == [StopTask(token)]
    assert peer.finish_task(task_of(peer), stop=True) == b"= 1a1\n\n= yoddd\n\n"


def test_a_late_or_foreign_result_is_ignored() -> None:
    peer = Peer()
    peer.feed(b"genmove b\n")
    task = task_of(peer)
    assert peer.session.task_done(task.token + 1, None) == []
    assert peer.session.task_failed(task.token + 1, "busy") == []
    peer.finish_task(task)
    assert peer.session.task_done(task.token, None) == []
    assert peer.session.task_failed(task.token, "busy") == []


def test_a_task_that_cannot_run_is_an_error_reply_of_one_line() -> None:
    peer = Peer()
    peer.feed(b"4 genmove b\nname\n")
    effects = peer.session.task_failed(task_of(peer).token, "busy: 9 wait\nalready")
    assert effects == [Send(b"?4 busy: 9 wait already\n\n")]
    assert wishes(peer) == {"input", "resume"}
    assert peer.take(peer.session.resume()) == b"= yoddd\n\n"


def test_refusing_tasks_from_within_their_effects_does_not_nest_without_end() -> None:
    peer = Peer()

    def carry_out(effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, StartTask):
                carry_out(peer.session.task_failed(effect.token, "busy"))
            elif isinstance(effect, Send):
                peer.sent += effect.data

    carry_out(peer.session.receive(b"genmove b\n" * 3000))
    while peer.session.wants_resume:
        carry_out(peer.session.resume())
    assert peer.sent == b"? busy\n\n" * 3000


def test_streams_that_end_within_their_start_do_not_nest_without_end() -> None:
    peer = Peer(match=lambda _args: None, batch_cost=8)

    def carry_out(effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, StartStream):
                carry_out(peer.session.stream_end(effect.token))
            elif isinstance(effect, Send):
                peer.sent += effect.data

    carry_out(peer.session.receive(b"match a b\n" * 3000))
    while peer.session.wants_resume:
        carry_out(peer.session.resume())
    assert peer.sent == b"= \n\n" * 3000


def test_a_failed_task_at_the_end_of_input_still_closes() -> None:
    peer = Peer()
    peer.feed(b"genmove b\n")
    peer.session.finish()
    assert peer.take(peer.session.task_failed(task_of(peer).token, "busy")) == b"? busy\n\n"
    assert peer.log[-1] == Close("end of input")


def test_an_engine_that_breaks_the_rules_is_blamed_and_nothing_is_played() -> None:
    peer = Peer(engines={"first": lambda: Fixed(PASS)})
    assert peer.ask("genmove b") == "? engine failed: first chose pass: 0 groups, even"
    assert peer.ask("history") == "= "


def test_the_queue_is_bounded_and_the_rest_stays_uncut() -> None:
    peer = Peer(queue_limit=3)
    peer.feed(b"genmove b\n" + b"name\n" * 10 + b"# interrupt\n")
    assert not peer.session.wants_input
    assert peer.log[1:] == []
    assert peer.finish_task(task_of(peer)).count(b"yoddd") == 10
    assert peer.session.wants_input


def test_reading_pauses_at_the_limit_exactly() -> None:
    peer = Peer(queue_limit=3)
    peer.feed(b"genmove b\nname\nname\n")
    assert peer.session.wants_input
    peer.feed(b"name\n")
    assert not peer.session.wants_input


def test_blank_lines_do_not_fill_the_queue() -> None:
    peer = Peer(queue_limit=3)
    peer.feed(b"genmove b\n" + b"\n" * 100 + b"name\n" + b"\n" * 100 + b"# interrupt\n")
    assert peer.session.wants_input
    assert len(peer.log) == 2


# -- batches ------------------------------------------------------------------------------------


def test_a_call_does_a_batch_at_most() -> None:
    peer = Peer(batch_cost=10)
    assert peer.feed(b"name\n" * 25).count(b"yoddd") == 10
    assert wishes(peer) == {"resume"}
    assert peer.take(peer.session.resume()).count(b"yoddd") == 10
    assert peer.take(peer.session.resume()).count(b"yoddd") == 5
    assert wishes(peer) == {"input"}


def test_large_replies_end_a_batch_early() -> None:
    peer = Peer(batch_output=5000)
    sent = peer.feed(b"help\n" * 10)
    assert 5000 <= len(sent) < 15_000
    assert peer.session.wants_resume


def test_a_hundred_thousand_requests_in_one_write() -> None:
    peer = Peer()
    data = b"known_command play\n" * 100_000
    replies, most = 0, 0
    sent = peer.feed(data)
    while True:
        replies += sent.count(b"= true\n\n")
        most = max(most, len(sent))
        if not peer.session.wants_resume:
            break
        peer.sent = b""
        sent = peer.take(peer.session.resume())
    assert replies == 100_000
    assert most <= 64 * 1024 + 100


# -- streams ------------------------------------------------------------------------------------


def test_a_stream_begins_at_once_grows_and_ends() -> None:
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


def test_what_fails_late_is_a_line_of_the_stream() -> None:
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
def test_any_line_ends_a_stream_and_a_command_is_then_served(line: bytes, reply: bytes) -> None:
    peer = streaming()
    assert peer.feed(line) == reply
    assert StopStream(1) in peer.log
    assert peer.session.stream_line(1, "late") == []


def test_half_a_line_ends_no_stream() -> None:
    peer = streaming()
    assert peer.feed(b"na") == b""
    assert phase(peer) is Phase.STREAMING


def test_a_stream_behind_a_task_is_ended_by_the_blank_line_behind_it() -> None:
    peer = Peer(match=lambda _args: None)
    peer.feed(b"genmove b\nmatch a b\n\n")
    assert peer.finish_task(task_of(peer)) == b"= 1a1\n\n= \n\n"
    assert peer.log[1:] == [StartStream(2, "match", ("a", "b")), StopStream(2)]


def test_a_match_can_be_refused_before_it_begins() -> None:
    def refuse(args: tuple[str, ...]) -> None:
        raise PeerError(Code.SYNTAX, f"no engine {args[0]!r}")

    assert Peer(match=refuse).ask("match a b") == "? syntax error: no engine 'a'"


# -- lines over the limit -----------------------------------------------------------------------


@pytest.mark.parametrize("end", [b"", b"\n", b"\nname\n"])
def test_an_overlong_line_is_answered_after_those_before_it_and_ends_all(end: bytes) -> None:
    peer = Peer()
    sent = peer.feed(b"name\n" + b"x" * 16_385 + end)
    assert sent == b"= yoddd\n\n? syntax error: line over 16384 bytes\n\n"
    assert peer.log == [Close("syntax error: line over 16384 bytes")]


def test_a_line_at_the_limit_is_served() -> None:
    sent = Peer().feed(b"name".ljust(16_384) + b"\n")
    assert sent == b"= yoddd\n\n"


def test_an_overlong_line_waits_for_the_task_before_it() -> None:
    peer = Peer(line_limit=20)
    peer.feed(b"genmove b\n" + b"x" * 21)
    assert peer.finish_task(task_of(peer)).endswith(b"line over 20 bytes\n\n")
    assert phase(peer) is Phase.CLOSED


def test_an_overlong_line_ends_a_stream_properly() -> None:
    peer = streaming(line_limit=20)
    assert peer.feed(b"x" * 21) == b"\n? syntax error: line over 20 bytes\n\n"
    assert peer.log[1:] == [StopStream(1), Close("syntax error: line over 20 bytes")]


# -- the end ------------------------------------------------------------------------------------


def test_at_the_end_of_input_what_is_pending_is_answered_first() -> None:
    peer = Peer()
    peer.feed(b"genmove b\nname\nvers")
    assert peer.take(peer.session.finish()) == b""
    assert not peer.session.wants_input
    assert peer.finish_task(task_of(peer)) == b"= 1a1\n\n= yoddd\n\n"
    assert peer.log[-1] == Close("end of input")


def test_the_end_of_input_waits_for_the_last_batch() -> None:
    peer = Peer(batch_cost=1)
    peer.feed(b"name\nname\nname\n")
    assert peer.take(peer.session.finish()) == b"= yoddd\n\n"
    assert peer.log == []
    assert peer.take(peer.session.resume()) == b"= yoddd\n\n"
    assert peer.log == [Close("end of input")]


def test_the_end_of_input_ends_a_stream() -> None:
    peer = streaming()
    assert peer.take(peer.session.finish()) == b"\n"
    assert peer.log[1:] == [StopStream(1), Close("end of input")]


def test_a_peer_that_is_gone_stops_whatever_runs_for_it() -> None:
    peer = Peer()
    peer.feed(b"genmove b\nname\n")
    token = task_of(peer).token
    assert peer.session.lost() == [StopTask(token)]
    assert peer.session.task_done(token, None) == []
    assert streaming().session.lost() == [StopStream(1)]
    assert Peer().session.lost() == []


# -- engines ------------------------------------------------------------------------------------


def test_an_engine_attaches_with_its_first_request() -> None:
    peer = Peer(attach=True)
    sent = peer.feed(b"\n# hello\nattach Bot-1 token=S3cret games=yodd,XODD\n= rest\n\n")
    assert sent == b""
    assert peer.log == [
        Attach("Bot-1", {"token": "S3cret", "games": "yodd,XODD"}, b"= rest\n\n"),
    ]
    assert phase(peer) is Phase.CLOSED
    assert not peer.session.wants_input


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("attach", "name '': expected up to 32 letters, digits, dots, dashes and underscores"),
        ("attach -x", "name '-x': expected up to 32 letters, digits, dots, dashes and underscores"),
        ("attach a b", "'b': expected name=value"),
        ("attach a token=", "'token=': expected name=value"),
        ("attach a colour=red", "'colour': expected one of token, games"),
        ("attach a token=1 token=2", "token is given twice"),
        (
            "attach a games=chess",
            "no game 'chess': expected some of yodd, xodd, odd, yoin, product",
        ),
    ],
)
def test_a_failed_attach_closes(line: str, reason: str) -> None:
    peer = Peer(attach=True)
    assert peer.ask(line) == f"? syntax error: {reason}"
    assert peer.log == [Close(f"syntax error: {reason}")]


def test_attach_later_on_is_refused_but_harmless() -> None:
    peer = Peer(attach=True)
    peer.setup("name")
    assert peer.ask("attach bot") == "? syntax error: attach must be the first request"
    assert peer.ask("name") == "= yoddd"


def test_what_is_not_offered_is_not_known() -> None:
    peer = Peer()
    assert peer.ask("attach bot") == "? unknown command: attach"
    assert peer.ask("match a b") == "? unknown command: match"
    assert peer.ask("known_command match") == "= false"
