"""`yoddd.aio.AsyncEngine` against real processes.

`yoddd.SimpleEngine` waits for one: what both do is tested there, in tests/client.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tests.support.programs import PATIENCE, YODDD
from yoddd import Board, Limit
from yoddd.aio import AsyncEngine
from yoddd.client import EngineGone, EngineTimeout

pytestmark = [pytest.mark.process, pytest.mark.whole]

OURS = [*YODDD, "gtp"]
OTHER = [sys.executable, str(Path(__file__).parents[1] / "programs" / "engine.py")]

T = TypeVar("T")


def run(use: Callable[[AsyncEngine], Awaitable[T]], *command: str) -> T:
    """Use an engine, ours unless a command is given."""

    async def main() -> T:
        async with await AsyncEngine.popen(command or OURS, timeout=PATIENCE) as engine:
            return await use(engine)

    return asyncio.run(main())


def test_async_analysis_stopped_by_another_task_ends_the_iteration() -> None:
    async def use(engine: AsyncEngine) -> None:
        board = Board("yodd", "hex4")
        seen = asyncio.Event()

        async def watch() -> int:
            count = 0
            async with await engine.analysis(board) as reports:
                async for _ in reports:
                    count += 1
                    seen.set()
            return count

        watching = asyncio.create_task(watch())
        await seen.wait()
        assert await engine.ask("name") == "yoddd"
        assert await watching >= 1

    run(use)


@pytest.mark.gate
def test_async_requests_of_several_tasks_are_served_one_by_one() -> None:
    async def use(engine: AsyncEngine) -> None:
        boards = [Board("odd", "hex2"), Board("yodd", "hex3"), Board("yoin", "hex2")]
        turns = await asyncio.gather(*(engine.play(one, Limit(playouts=20)) for one in boards))
        for board, turn in zip(boards, turns, strict=True):
            assert turn in board.legal_turns

    run(use)


def test_async_play_cancelled_interrupts_the_search_and_the_engine_goes_on() -> None:
    async def use(engine: AsyncEngine) -> None:
        board = Board("yodd", "hex4")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await engine.play(board, Limit(playouts=10_000_000))
        assert await engine.ask("name") == "yoddd"
        assert await engine.play(board, Limit(playouts=20)) in board.legal_turns

    run(use)


@pytest.mark.gate
def test_async_play_with_silent_engine_times_out_and_close_kills_it() -> None:
    async def main() -> int:
        engine = await AsyncEngine.popen([*OTHER, "--fault", "stall"], timeout=PATIENCE)
        with pytest.raises(EngineTimeout, match=r"no answer within 0\.3 s"):
            await engine.play(Board("yodd", "hex3"), timeout=0.3)
        with pytest.raises(EngineGone, match="cannot be used any more: no answer"):
            await engine.ask("name")
        return await engine.close()

    assert asyncio.run(main()) == -9


def test_async_close_returns_the_exit_status_each_time() -> None:
    async def main() -> list[int]:
        engine = await AsyncEngine.popen(OURS, timeout=PATIENCE)
        return [await engine.close(PATIENCE), await engine.close()]

    assert asyncio.run(main()) == [0, 0]
