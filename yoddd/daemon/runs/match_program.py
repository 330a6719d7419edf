"""A match that a daemon plays, as a program."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from twisted.internet.defer import Deferred, DeferredList, FirstError

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.play.match_command import format_order
from yoddd.daemon.play.match_runner import Waits, Watch
from yoddd.daemon.play.participants import ATTACHED, describe_engine
from yoddd.daemon.runs.connect import Carrier
from yoddd.daemon.runs.remote_match import play_remotely
from yoddd.engine import ENGINES
from yoddd.referee import MatchPlan


@attrs.frozen
class Entrant:
    """An engine in a match.

    Attributes:
        name: what it is called in records.
        command: its command line; None if it is attached to a daemon by that name.
    """

    name: str
    command: str | None


def entrants(descriptions: Sequence[str]) -> list[Entrant]:
    """The engines that ``builtin:NAME``, ``tcp:NAME`` and command lines describe, told apart.

    Raises:
        UnknownEngine: a description that names nothing.
    """
    found: list[Entrant] = []
    for text in descriptions:
        if text.startswith(ATTACHED):
            name, command = text.removeprefix(ATTACHED), None
        else:
            name, command = describe_engine(text, list(ENGINES))
        twins = sum(other.name == name for other in found)
        if twins and command is not None:
            name = f"{name}-{twins + 1}"
        found.append(Entrant(name, command))
    return found


def match_at(
    address: tuple[str, int],
    plan: MatchPlan,
    commands: tuple[str | None, str | None],
    waits: Waits,
    watch: Watch,
) -> None:
    """Have a daemon play a match; engines of ours attach to it for the occasion.

    Raises:
        MatchError: the match does not fit in a request.
        RemoteError: the daemon cannot be reached, refuses the match or breaks it off.
        ConnectFailed: an engine of ours is refused or ends.
    """
    order = format_order(plan, waits)

    async def program(reactor: Reactor) -> int:
        playing = Deferred.fromCoroutine(play_remotely(reactor, address, order, watch))
        carriers = [
            Carrier(reactor, address, name, command, lambda _text: None)
            for name, command in zip(plan.names, commands, strict=True)
            if command is not None
        ]
        for carrier in carriers:
            carrier.start()
        ends = [playing, *(carrier.done for carrier in carriers)]
        try:
            # Whatever comes first: an engine of ours that fails ends the wait for the match.
            await DeferredList(
                ends, fireOnOneCallback=True, fireOnOneErrback=True, consumeErrors=True
            )
        except FirstError as first:
            first.subFailure.raiseException()
        finally:
            for carrier in carriers:
                carrier.finish()
        return 0

    run(program)
