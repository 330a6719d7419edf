"""The conformance kit: examines an engine over a byte stream and reports its faults.

It does no I/O: an examination is a generator of actions (start the engine, send bytes, receive)
that is sent an event for each; `yoddd.daemon` carries them out.
"""

from yoddd.referee.conformance.checks import (
    CARRIAGE_RETURNS,
    UNANSWERED_QUIT,
    Check,
    examine,
    list_checks,
)
from yoddd.referee.conformance.perft import (
    Walk,
    WalkReport,
    describe_perft,
    examine_perft,
)
from yoddd.referee.conformance.report import (
    ConformanceReport,
    Evidence,
    Finding,
    Verdict,
    describe,
    describe_finding,
    describe_sums,
    title,
)
from yoddd.referee.conformance.script import (
    Action,
    CloseInput,
    Done,
    Ended,
    Event,
    Receive,
    Received,
    Script,
    Send,
    Start,
    Stop,
    TimedOut,
)
from yoddd.referee.conformance.terms import Knowledge, Terms, small_game

__all__ = [
    "CARRIAGE_RETURNS",
    "UNANSWERED_QUIT",
    "Action",
    "Check",
    "CloseInput",
    "ConformanceReport",
    "Done",
    "Ended",
    "Event",
    "Evidence",
    "Finding",
    "Knowledge",
    "Receive",
    "Received",
    "Script",
    "Send",
    "Start",
    "Stop",
    "Terms",
    "TimedOut",
    "Verdict",
    "Walk",
    "WalkReport",
    "describe",
    "describe_finding",
    "describe_perft",
    "describe_sums",
    "examine",
    "examine_perft",
    "list_checks",
    "small_game",
    "title",
]
