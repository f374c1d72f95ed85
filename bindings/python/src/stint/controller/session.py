"""One engine with its lists and watches: polls it after every input, sends what it asks for, and reports each outcome.

Invariant: every request that the engine hands out is settled exactly once, unless the engine is gone; if its answer is
lost, with status 0. After `run` has ended, no task of the session is left.
"""

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from stint.abi import ErrorCode
from stint.controller.limits import Limits
from stint.controller.reader import SourceReader
from stint.controller.refusals import message_of, refusal
from stint.controller.sources import WatchedSource
from stint.controller.transport import Answer, Transport
from stint.engine import Decision, Engine, EngineRequest
from stint.errors import EngineTrapError

_WALL_TIME_INTERVAL_S: Final = 60.0
_REFUSALS: Final = frozenset((401, 403))
"""Refusals that an administrator has to fix. The engine retries after any refusal, and its decisions report it."""


class FenceClosedError(Exception):
    """This process may not write any more."""


class Session:
    """The work of one engine, from `run` to whatever ends it."""

    def __init__(
        self,
        engine: Engine,
        transport: Transport,
        sources: Sequence[WatchedSource],
        *,
        limits: Limits,
        random: Callable[[], float],
        fence: Callable[[], bool],
        on_decisions: Callable[[list[Decision]], None],
        on_problem: Callable[[str], None],
    ) -> None:
        self._engine = engine
        self._transport = transport
        self._limits = limits
        self._fence = fence
        self._on_decisions = on_decisions
        self._on_problem = on_problem
        self._changed = asyncio.Event()
        self._sends: set[asyncio.Task[None]] = set()
        self._readers = [
            SourceReader(
                source,
                engine,
                transport,
                limits=limits,
                now_ms=now_ms,
                random=random,
                on_change=self._changed.set,
                on_problem=on_problem,
            )
            for source in sources
        ]
        self.gave_up = False
        """Requests were given up, and may yet arrive."""
        self._is_over = False
        """The engine must not be called any more."""
        self._ended: asyncio.Future[None]

    async def run(self) -> None:
        """Works until it is cancelled, and otherwise raises what ended it: EngineTrapError, FenceClosedError, or what
        a callback has raised.
        """
        self._ended = asyncio.get_running_loop().create_future()
        parts = [self._follow_wall_time(), self._pump(), self._ask_fence(), *(one.follow() for one in self._readers)]
        tasks = [self._start(part) for part in parts]
        grace_s: float | None = None
        try:
            await self._ended
        except asyncio.CancelledError:
            grace_s = self._limits.grace_period_s
            raise
        except EngineTrapError:
            self._is_over = True
            raise
        finally:
            await self._finish(tasks, grace_s)

    async def _finish(self, tasks: list[asyncio.Task[None]], grace_s: float | None) -> None:
        """Takes no more work. Requests under way may end, in their own time or within the grace period; what is left
        then counts as unknown.
        """
        try:
            await _end(tasks)
            if self._sends:
                await asyncio.wait(self._sends, timeout=grace_s)
            if self._sends:
                self.gave_up = True
                count = len(self._sends)
                self._on_problem(f"requests are still under way after {grace_s} s, and are given up: {count}")
        finally:
            for task in self._sends:
                task.cancel()
            await _end(list(self._sends))
            if self._ended.done() and not self._ended.cancelled():
                self._ended.exception()

    def _start(self, part: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Runs a part of the work. An error in it ends the session."""
        task = asyncio.create_task(part)
        task.add_done_callback(self._note_end)
        return task

    def _note_end(self, task: asyncio.Task[None]) -> None:
        if task.cancelled() or (error := task.exception()) is None:
            return
        if isinstance(error, EngineTrapError):
            self._is_over = True
        if not self._ended.done():
            self._ended.set_exception(error)

    def _note_sent(self, task: asyncio.Task[None]) -> None:
        self._sends.discard(task)
        # Not before: a poll needs the room that this request took.
        self._changed.set()

    async def _pump(self) -> None:
        while True:
            self._changed.clear()
            room = self._limits.max_in_flight - len(self._sends)
            result = self._engine.poll(now_ms(), room)
            if result.decisions:
                self._on_decisions(result.decisions)
            for request in result.requests:
                task = self._start(self._send(request))
                self._sends.add(task)
                task.add_done_callback(self._note_sent)
            for reader in self._readers:
                reader.list_if_asked()
            wait_s = (result.next_wake_up_ms - now_ms()) / 1000
            try:
                async with asyncio.timeout(None if wait_s == math.inf else max(0.0, wait_s)):
                    await self._changed.wait()
            except TimeoutError:
                pass

    async def _send(self, request: EngineRequest) -> None:
        answer = Answer(0)
        try:
            if request.method != "GET" and not self._fence():
                raise FenceClosedError
            body = request.body if request.content_type else None
            answer = await self._transport.send(
                request.method, request.path, request.accept, request.content_type, body
            )
        finally:
            self._settle(request, answer)

    def _settle(self, request: EngineRequest, answer: Answer) -> None:
        if self._is_over:
            return
        retry_after_ms = round(answer.retry_after_s * 1000) if answer.retry_after_s >= 0 else -1
        code = self._engine.settle(request.id, answer.status, retry_after_ms, answer.body, now_ms())
        who = self._transport.description
        if answer.status in _REFUSALS or answer.problem:
            message = answer.problem or message_of(answer.body)
            self._on_problem(refusal(request.method, request.path, answer.status, message, who))
        elif code is ErrorCode.UNREADABLE_OBJECT:
            self._on_problem(
                f"the answer to {request.method} {request.path} holds no object that can be read: its outcome counts "
                "as unknown, and explain says what its Job waits for"
            )

    async def _follow_wall_time(self) -> None:
        while True:
            self._engine.set_clock_offset(round(time.time() * 1000) - now_ms())
            await asyncio.sleep(_WALL_TIME_INTERVAL_S)

    async def _ask_fence(self) -> None:
        while self._fence():
            await asyncio.sleep(self._limits.fence_interval_s)
        raise FenceClosedError


def now_ms() -> int:
    """The clock of the engine, which never steps back."""
    return time.monotonic_ns() // 1_000_000


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
