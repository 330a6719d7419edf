"""Engines for programs that use asyncio: `AsyncEngine` is `yoddd.SimpleEngine` with coroutines."""

from yoddd.client.async_engine import AsyncAnalysis, AsyncEngine

__all__ = ["AsyncAnalysis", "AsyncEngine"]
