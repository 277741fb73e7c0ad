"""Waiting for one of several things, and leaving nothing behind."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """What was waited for is not wanted any more."""


async def first(*waits: Coroutine[Any, Any, Any]) -> None:
    """Wait for one of several things; the others are not waited for any more."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await drop(*tasks)


async def unless(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T:
    """Return what the work gives; `Stopped` if the event is set before."""
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait((task, stopped), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Stopped
        return task.result()
    finally:
        await drop(task, stopped)


async def drop(*tasks: asyncio.Future[Any]) -> None:
    """End tasks, and wait until they have: two may not read from one pipe."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
