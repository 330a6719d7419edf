"""The checks of an examination, one for each requirement of protocol/engine.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs

from yoddd.protocol.controller import Handshake
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.referee.conformance import games, listed, questions
from yoddd.referee.conformance.listed import NONSENSE
from yoddd.referee.conformance.questions import explained
from yoddd.referee.conformance.script import (
    Advised,
    CloseInput,
    Ended,
    Failed,
    Interview,
    Malformed,
    RawReply,
    Received,
    Script,
    Skipped,
    Slow,
)
from yoddd.referee.conformance.terms import Knowledge
from yoddd.rules import Position

_PAUSE: Final = 0.05
"""Seconds between the pieces of a request, so that they arrive apart; nothing is judged by it."""

_SHORT: Final = 4
"""Turns of the game that `boardsize` sets up."""

CARRIAGE_RETURNS: Final = "ends lines with CR LF, expected LF: open standard output in binary mode"
"""Advises an engine whose output has carriage returns."""

UNANSWERED_QUIT: Final = "`quit` is not answered: reply `=1` and an empty line, flush, then exit"
"""Tells that an engine exits without a reply to ``quit``."""

_JUNK: Final = b"\xff\xfe\x80junk\x01\x02 \xc3(\n"


@attrs.frozen
class Check:
    """One requirement.

    Attributes:
        name: short, for reports.
        section: of the specification, protocol/engine.md for most.
        wants: the requirement as a sentence.
        run: the script; returns a note, raises `Failed`, `Advised`, `Slow` or `Skipped`.
        vital: whether the examination ends if it fails.
        plays: whether it plays a game to its end.
    """

    name: str
    section: str
    wants: str
    run: Callable[[Interview, Knowledge], Script[str]]
    vital: bool = False
    plays: bool = False


def _silence(interview: Interview, _knowledge: Knowledge) -> Script[str]:
    # However slowly it starts, a greeting comes before its first reply.
    try:
        replies = yield from interview.raw(b"1 protocol_version\n", 1)
    except Malformed as failure:
        raise Failed(f"unrequested output before the first reply: {failure}") from None
    _expect(replies, ["1"], "`1 protocol_version`")
    return ""


def _introduction(interview: Interview, knowledge: Knowledge) -> Script[str]:
    handshake = Handshake()
    while handshake.command is not None:
        reply, _ = yield from interview.ask(handshake.command)
        if not reply.ok or not reply.text:
            raise Failed(f"`{reply.command}`: no answer")
        knowledge.engine = handshake.answer(reply)
    engine = knowledge.engine
    if engine is not None and engine.problem is not None:
        raise Failed(engine.problem)
    knowledge.declared = interview.declared
    yield from games.find_games(interview, knowledge)
    return f"{len(engine.commands) if engine else 0} commands"


def _expect(replies: list[RawReply], ids: list[str], what: str) -> None:
    found = [reply.id for reply in replies]
    if found != ids:
        raise Failed(f"{what}: ids {found}, expected {ids}")
    for reply in replies:
        if not reply.ok:
            raise Failed(f"{what}: refused: {reply.text}")


def _ids(interview: Interview, _knowledge: Knowledge) -> Script[str]:
    for number in ("1", "007", "2147483647", ""):
        line = f"{number} protocol_version\n".lstrip()
        replies = yield from interview.raw(line.encode(), 1)
        _expect(replies, [number], f"`{line.strip()}`")
    if interview.returns:
        raise Advised(CARRIAGE_RETURNS)
    return ""


def _lines(interview: Interview, _knowledge: Knowledge) -> Script[str]:
    for what, data in (
        ("CR before LF", b"1 name\r\n"),
        ("HT for a space", b"1\tname\n"),
        ("spaces around", b"   1   name  \n"),
        ("blank lines before", b"\n  \n\r\n1 name\n"),
        ("a comment after it", b"1 name # what is your name\n"),
        ("a line of comment before", b"# nothing to answer\n1 name\n"),
        ("upper case", b"1 PROTOCOL_VERSION\n"),
    ):
        replies = yield from interview.raw(data, 1)
        _expect(replies, ["1"], what)
    # An answer to a comment or to a blank line would come before this one.
    replies = yield from interview.raw(b"2 name\n", 1)
    _expect(replies, ["2"], "a request after them")
    return ""


def _pieces(interview: Interview, _knowledge: Knowledge) -> Script[str]:
    yield from interview.demand("name")  # so that it reads while the pieces are sent
    for piece in (b"1 pro", b"tocol_ver"):
        yield from interview.send(piece)
        yield from interview.quiet(_PAUSE)
    replies = yield from interview.raw(b"sion\n", 1)
    _expect(replies, ["1"], "a request in three pieces")
    count = 50
    data = b"".join(b"%d name\n" % number for number in range(count))
    replies = yield from interview.raw(data, count)
    _expect(replies, [str(number) for number in range(count)], f"{count} requests in one write")
    return ""


def _refuse(interview: Interview, command: str, code: str) -> Script[None]:
    reply, _ = yield from interview.ask(command)
    if reply.ok:
        raise Advised(f"`{command}` is accepted, expected `? {code}`")
    if not reply.text.startswith(code):
        raise Advised(f"`{command}`: `{reply.text}`, expected `{code}`")


def _unknown(interview: Interview, _knowledge: Knowledge) -> Script[str]:
    reply, _ = yield from interview.ask(NONSENSE)
    if reply.ok or not reply.text.startswith("unknown command"):
        raise Failed(f"`{NONSENSE}`: `{reply.text}`, expected `? unknown command`")
    return ""


def _errors(interview: Interview, _knowledge: Knowledge) -> Script[str]:
    advice: list[str] = []
    for command, code in (
        ("play", "syntax error"),
        ("play b", "syntax error"),
        ("play b zz99", "syntax error"),
        ("boardsize", "syntax error"),
        ("boardsize none", "syntax error"),
        ("boardsize 1000", "unacceptable size"),
        ("genmove green", "syntax error"),
    ):
        try:
            yield from _refuse(interview, command, code)
        except Advised as one:
            advice.append(str(one))
    yield from interview.demand("name")
    if advice:
        raise Advised("; ".join(advice))
    return ""


def _junk(interview: Interview, _knowledge: Knowledge) -> Script[str]:
    (reply,) = yield from interview.raw(_JUNK, 1)
    if reply.ok:
        raise Failed("a line of junk is accepted")
    yield from interview.demand("name")
    return ""


def _long_line(interview: Interview, _knowledge: Knowledge) -> Script[str]:
    words = f"9 {NONSENSE} ".encode()
    (reply,) = yield from interview.raw(words + b"x" * (LINE_LIMIT - len(words)) + b"\n", 1)
    if reply.ok or reply.id != "9":
        raise Failed(f"a line of {LINE_LIMIT} bytes: not refused under its id")
    try:
        yield from interview.demand("name")
    except Failed as failure:
        raise Failed(f"after a line of {LINE_LIMIT} bytes: {failure}") from None
    return ""


def _overlong_line(interview: Interview, knowledge: Knowledge) -> Script[str]:
    (reply,) = yield from interview.raw(NONSENSE.encode() + b" x" * LINE_LIMIT + b"\n", 1)
    if reply.ok:
        raise Failed(f"a line of {2 * LINE_LIMIT} bytes is accepted")
    yield from interview.send(b"1 name\n")
    event = yield from interview.receive(knowledge.terms.patience)
    if isinstance(event, Received) and event.data.startswith(b"=1"):
        return "refused, and continues"
    if isinstance(event, Ended):
        return "refused, and exits"
    raise Failed("refused, but neither continues nor exits")


def _boardsize(interview: Interview, knowledge: Knowledge) -> Script[str]:
    rules = games.rules_of(knowledge)
    yield from games.set_up_game(interview, knowledge, rules)
    yield from interview.demand(f"boardsize {rules.geometry.size}")
    yield from interview.demand("clear_board")
    position = Position(rules)
    while not position.is_over and len(position.history) < _SHORT:
        position.play((yield from games.engine_turn(interview, position, knowledge.terms.move)))
    return f"{len(position.history)} turns on {rules.geometry.name}"


def _time(interview: Interview, knowledge: Knowledge) -> Script[str]:
    settings = next(
        (
            command
            for command in ("kata-time_settings byoyomi 0 1 1", "time_settings 0 1 1")
            if knowledge.lists(command.split()[0])
        ),
        None,
    )
    if settings is None:
        raise Skipped("lists neither time_settings nor kata-time_settings")
    yield from games.set_up_game(interview, knowledge, games.rules_of(knowledge))
    requests = [settings, *(["time_left b 1 1"] if knowledge.lists("time_left") else [])]
    return (yield from listed.timed_turns(interview, knowledge, requests, "move=1"))


def _check_end(how: str, seconds: float, limit: float) -> str:
    """A process ends with status 0; a connection just ends."""
    if not how:
        raise Failed(f"has not ended within {seconds:.0f} s")
    if how.startswith(("killed by", "exit status")) and not how.startswith("exit status 0"):
        raise Failed(how)
    if seconds > limit:
        raise Slow(f"ended after {seconds:.2f} s of {limit:g} s")
    return ""


def _quit(interview: Interview, knowledge: Knowledge) -> Script[str]:
    yield from interview.send(b"1 quit\n2 name\n")
    limit = knowledge.terms.leave
    said, how, seconds = yield from interview.end(limit)
    if how and not said.strip():
        raise Failed(UNANSWERED_QUIT)
    if said.replace(b"\r", b"") not in (b"=1 \n\n", b"=1\n\n"):
        ending = "" if how else ", and it has not ended"
        found = f"{said[:60]!r}{ending}"
        raise Failed(f"`quit` with a request after it is answered with {found}")
    return _check_end(how, seconds, limit)


def _end_of_input(interview: Interview, knowledge: Knowledge) -> Script[str]:
    yield from interview.send(b"1 name\n2 na")
    yield CloseInput()
    limit = knowledge.terms.leave
    said, how, seconds = yield from interview.end(limit)
    if how and not said.startswith(b"=1"):
        raise Failed(f"the request before the end is answered with {said[:60]!r}")
    if how and said.replace(b"\r", b"").count(b"\n\n") > 1:
        raise Advised("a last line without its LF is no request, but was answered")
    return _check_end(how, seconds, limit)


CHECKS: Final = (
    Check("silence", "E1.2", "says nothing before it is asked", _silence),
    Check("introduction", "E5.1", "names itself and every mandatory command", _introduction, True),
    Check("ids", "E2.3", "repeats a request's id digit by digit, and adds none", _ids),
    Check("lines", "E2.1", "reads lines as GTP does: CR, HT, spaces, comments, case", _lines),
    Check("pieces", "E2.2", "reads split and joined requests, and answers in order", _pieces),
    Check("unknown", "E2.4", "answers what it does not know with `? unknown command`", _unknown),
    Check("errors", "E2.4", "refuses bad arguments with the contract's words", _errors),
    Check("junk", "E2.1", "answers bytes that are not text with an error, and continues", _junk),
    Check("long line", "E2.2", "takes a line of 16384 bytes", _long_line),
    Check("overlong line", "E2.2", "refuses a longer line once", _overlong_line),
    *(
        Check(
            f"{name} as {colour.title}",
            "E4",
            f"plays {name.title()} to its end",
            explained(run),
            plays=True,
        )
        for name in games.NAMES
        for colour, run in games.runs(name)
    ),
    Check("boardsize", "E5.1", "plays on the board that boardsize sets up", _boardsize),
    Check("position", "E5.2", "sets the position that it is given", listed.check_position),
    Check("turns", "E4", "takes legal turns for legal, and others not", questions.check_turns),
    Check("final_score", "E5.2", "says who has won, and by how much", questions.check_final_score),
    Check("legal", "E5.2", "counts the legal turns", explained(listed.check_legal)),
    Check("undo", "E5.2", "takes back a turn", listed.check_undo),
    Check("analyze", "A1", "reports legal candidates, and stops", listed.check_analyze),
    Check("set_param", "E5.2", "sets its parameters, and refuses others", listed.check_set_param),
    Check("time left", "E6.2", "plays within the time that is left", listed.check_time_left),
    Check("time", "E6.1", "plays within its time", _time),
    Check("quit", "E1.3", "answers quit, then ends, and answers nothing after it", _quit),
    Check("end of input", "E1.3", "ends when its input ends, having answered", _end_of_input),
)
"""Every check, the most basic requirements first."""
