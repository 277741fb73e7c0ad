"""Running asynchronous work in a test."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Answer = TypeVar("Answer")


def run(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Run `work` to its end in a thread of its own.

    Playwright's synchronous interface, once begun in a process, keeps an event loop running in the main
    thread, where `asyncio.run` is then refused.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
