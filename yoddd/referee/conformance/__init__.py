"""The conformance kit: examines an engine over a byte stream and says what it does wrong.

It does no I/O: an examination is a generator of actions (start the engine, say these bytes, listen)
that is sent an event for each; the daemon floor carries them out.
"""

from yoddd.referee.conformance.checks import CHECKS, Check
from yoddd.referee.conformance.examination import examine
from yoddd.referee.conformance.report import Finding, Report, Verdict, describe
from yoddd.referee.conformance.script import (
    Action,
    CloseInput,
    Done,
    Event,
    Gone,
    Heard,
    Listen,
    Say,
    Script,
    Silent,
    Start,
    Stop,
)
from yoddd.referee.conformance.terms import Terms

__all__ = [
    "CHECKS",
    "Action",
    "Check",
    "CloseInput",
    "Done",
    "Event",
    "Finding",
    "Gone",
    "Heard",
    "Listen",
    "Report",
    "Say",
    "Script",
    "Silent",
    "Start",
    "Stop",
    "Terms",
    "Verdict",
    "describe",
    "examine",
]
