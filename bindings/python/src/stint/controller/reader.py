"""Keeps one source of the engine current: lists it in pages, watches it from there, and lists it again whenever the
engine asks for that. It carries bytes, and decides nothing.

Invariant: what is fed into the engine is whole pages and whole lines, in the order in which they came.
"""

import asyncio
from asyncio import sleep
from collections.abc import Callable
from contextlib import aclosing
from typing import Final
from urllib.parse import quote

from stint.abi import ErrorCode, IngestKind
from stint.controller.backoff import Backoff
from stint.controller.limits import Limits
from stint.controller.refusals import message_of, refusal
from stint.controller.sources import WatchedSource
from stint.controller.transport import Answer, NoStreamError, Transport
from stint.engine import Engine
from stint.errors import NO_CODE, EngineError

_OK: Final = 200
_GONE: Final = 410


class _SetbackError(Exception):
    """Something that is tried again after a wait."""

    def __init__(self, problem: str, *, at_least_s: float = 0.0) -> None:
        super().__init__(problem)
        self.at_least_s = at_least_s


class SourceReader:
    """Follows one source until it is cancelled."""

    def __init__(
        self,
        source: WatchedSource,
        engine: Engine,
        transport: Transport,
        *,
        limits: Limits,
        now_ms: Callable[[], int],
        random: Callable[[], float],
        on_change: Callable[[], None],
        on_problem: Callable[[str], None],
    ) -> None:
        self._source = source
        self._engine = engine
        self._transport = transport
        self._limits = limits
        self._now_ms = now_ms
        self._on_change = on_change
        self._on_problem = on_problem
        self._backoff = Backoff(limits.retry_initial_s, limits.retry_max_s, random)
        self._must_list = True
        self._pages_expire = False
        """The list before took so long that its next page was gone: this one comes whole."""
        self._watch: asyncio.Timeout | None = None
        """The watch that is open; it is ended by moving its end to now."""

    async def follow(self) -> None:
        """Lists and watches, over and over. Raises what ends the engine."""
        while True:
            try:
                if self._must_list or self._engine.watch_version(self._source.id) < 0:
                    await self._list()
                await self._watch_from(self._engine.watch_version(self._source.id))
            except _SetbackError as setback:
                self._on_problem(str(setback))
                await sleep(self._backoff.next_s(setback.at_least_s))

    def list_if_asked(self) -> None:
        """The engine may ask for a list while the watch works: for pods, when the status of a Job mentions some that
        the watch has not shown.
        """
        if self._watch is not None and self._engine.watch_version(self._source.id) < 0:
            self._watch.reschedule(asyncio.get_running_loop().time())

    async def _list(self) -> None:
        self._must_list = True
        self._ingest(IngestKind.LIST_BEGIN)
        token = ""
        while True:
            limit = "" if self._pages_expire else f"limit={self._limits.page_size}"
            path = self._path(f"{limit}&continue={quote(token, safe='')}" if token else limit)
            answer = await self._transport.send("GET", path, "application/json")
            if answer.status != _OK:
                self._pages_expire = answer.status == _GONE and token != ""
                self._ingest(IngestKind.STREAM_LOST)
                raise self._refused(path, answer)
            self._ingest(IngestKind.PAGE, answer.body)
            token = self._engine.list_continue(self._source.id)
            if not token:
                break
        self._ingest(IngestKind.LIST_END)
        self._pages_expire = False
        self._must_list = False

    async def _watch_from(self, version: int) -> None:
        """Watches until the watch ends in good order, or the engine wants a list."""
        if version < 0:
            raise self._asked_for_list()
        path = self._path(f"watch=true&allowWatchBookmarks=true&resourceVersion={version}")
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        try:
            async with asyncio.timeout(None) as self._watch:
                await self._read(path, version)
        except TimeoutError:
            raise self._asked_for_list() from None
        except NoStreamError as error:
            # 410 as the answer to a watch, and not as an event in it: the engine has not seen it.
            self._must_list = error.answer.status == _GONE
            self._ingest(IngestKind.STREAM_LOST)
            raise self._refused(path, error.answer) from None
        finally:
            self._watch = None
            lasted = loop.time() - began_s >= self._limits.min_watch_s
            if lasted:
                self._backoff.reset()
        if not lasted and self._engine.watch_version(self._source.id) <= version:
            raise _SetbackError(f"the watch of {self._source.path} ended at once")

    async def _read(self, path: str, version: int) -> None:
        rest: list[bytes] = []
        length = 0
        async with aclosing(self._transport.stream(path)) as chunks:
            async for chunk in chunks:
                lines, newline, tail = chunk.rpartition(b"\n")
                if newline:
                    self._ingest(IngestKind.WATCH_LINES, b"".join((*rest, lines, newline)))
                    rest, length = [], 0
                    reached = self._engine.watch_version(self._source.id)
                    if reached < 0:
                        raise self._asked_for_list()
                    if reached > version:
                        self._backoff.reset()
                if tail:
                    rest.append(tail)
                    length += len(tail)
                if length > self._limits.max_line_bytes:
                    self._ingest(IngestKind.STREAM_LOST)
                    limit = self._limits.max_line_bytes
                    raise _SetbackError(f"a watch line of {self._source.path} is longer than {limit} bytes")

    def _asked_for_list(self) -> _SetbackError:
        return _SetbackError(f"{self._source.path} has to be listed again")

    def _ingest(self, kind: IngestKind, data: bytes = b"") -> None:
        try:
            code = self._engine.ingest(self._source.id, kind, data, self._now_ms())
        except EngineError as error:
            if error.code == NO_CODE:
                raise
            raise _SetbackError(f"{self._source.path}: {error}") from None
        if code is ErrorCode.UNREADABLE_OBJECT:
            path = self._source.path
            self._on_problem(f"an object of {path} cannot be read; its Job is blocked, and explain says why")
        self._on_change()

    def _path(self, query: str) -> str:
        separator = "&" if "?" in self._source.path else "?"
        return f"{self._source.path}{separator}{query}" if query else self._source.path

    def _refused(self, path: str, answer: Answer) -> _SetbackError:
        message = answer.problem if answer.status == 0 else message_of(answer.body)
        sentence = refusal("GET", path, answer.status, message, self._transport.description)
        return _SetbackError(sentence, at_least_s=answer.retry_after_s)
