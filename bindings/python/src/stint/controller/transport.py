"""Sends requests to an API server over HTTP/1.1, on connections that are kept.

Invariant: a request gets exactly one answer within its time-out: that of the server, or status 0 if it is not known
whether the server took it. Nothing is sent twice, no redirection is followed, no cookie kept. No credential gets into a
message. Leaves out how many requests there are at once: the session decides that.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import httpx

from stint.controller.exec_credentials import Command, CommandError, Credential
from stint.controller.kubeconfig import Access, KubeconfigError
from stint.controller.limits import Limits
from stint.controller.refusals import one_line

_CONNECT_TIMEOUT_S: Final = 10.0
_KEEP_ALIVE_S: Final = 60.0
_RELOAD_INTERVAL_S: Final = 10.0
"""If the server refuses new credentials too, they are not read again before this has passed."""
_OK: Final = 200
_UNAUTHORIZED: Final = 401


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request."""

    status: int
    """0: the outcome is unknown, and `problem` says why."""
    body: bytes = b""
    retry_after_s: float = -1.0
    """-1: the server named none."""
    problem: str = ""


class NoStreamError(Exception):
    """A watch that did not begin, or broke: its answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.problem)
        self.answer = answer


class Transport:
    """The connections to one API server, with the credentials of the moment."""

    def __init__(self, access: Access, reload: Callable[[], Access], limits: Limits, user_agent: str) -> None:
        """`reload` reads the credentials once more, after the server has refused them."""
        self._access = access
        self._reload = reload
        self._limits = limits
        self._user_agent = user_agent
        self._connections = _Connections(access)
        self._reloaded_s = float("-inf")
        self._credential: Credential | None = None
        """What the command of the access has made."""
        self._renewal: asyncio.Task[None] | None = None

    @property
    def description(self) -> str:
        """Names the credentials, without showing them."""
        return self._access.description

    async def send(
        self, method: str, path: str, accept: str, content_type: str = "", body: bytes | None = None
    ) -> Answer:
        """One request and its answer. Raises nothing but CancelledError."""
        headers = {"accept": accept, **({"content-type": content_type} if content_type else {})}
        timeout_s = self._limits.request_timeout_s
        try:
            async with asyncio.timeout(timeout_s), self._open(method, path, headers, body, None) as response:
                return await self._answer_of(response, self._limits.max_answer_bytes)
        except TimeoutError:
            return Answer(0, problem=f"no answer within {timeout_s:g} s")
        except _UNANSWERED as error:
            return Answer(0, problem=_problem(error))

    async def stream(self, path: str) -> AsyncGenerator[bytes, None]:
        """A watch: its chunks as they come, not aligned to lines. Ends when the server ends it in good order. Raises
        NoStreamError.
        """
        limits = self._limits
        headers = {"accept": "application/json"}
        try:
            async with asyncio.timeout(limits.request_timeout_s) as deadline:
                async with self._open("GET", path, headers, None, limits.idle_timeout_s) as response:
                    if response.status_code != _OK:
                        raise NoStreamError(await self._answer_of(response, limits.max_refusal_bytes))
                    deadline.reschedule(None)
                    async for chunk in response.aiter_raw():
                        yield chunk
        except TimeoutError:
            problem = f"no answer within {limits.request_timeout_s:g} s"
            raise NoStreamError(Answer(0, problem=problem)) from None
        except httpx.ReadTimeout:
            problem = f"nothing was heard for {limits.idle_timeout_s:g} s"
            raise NoStreamError(Answer(0, problem=problem)) from None
        except _UNANSWERED as error:
            raise NoStreamError(Answer(0, problem=_problem(error))) from None

    async def close(self) -> None:
        """Ends every connection, and a command that runs."""
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.gather(self._renewal, return_exceptions=True)
        await self._connections.retire(at_once=True)

    @asynccontextmanager
    async def _open(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None, read_timeout_s: float | None
    ) -> AsyncIterator[httpx.Response]:
        await self._renew()
        access = self._access
        request = httpx.Request(
            method,
            f"{access.origin}{access.base_path}{path}",
            headers={**headers, "user-agent": self._user_agent, **access.authorization()},
            content=body,
            extensions={
                "timeout": {"connect": _CONNECT_TIMEOUT_S, "read": read_timeout_s},
                **({"sni_hostname": access.server_name} if access.server_name else {}),
            },
        )
        async with self._connections.used() as http:
            response = await http.handle_async_request(request)
            try:
                yield response
            finally:
                await response.aclose()

    async def _renew(self) -> None:
        """Runs the command that makes the credentials, unless there is none or what it made is still fresh. All
        requests wait for one run, and one that waits no longer does not end it. Raises CommandError or KubeconfigError.
        """
        if self._access.command is None or (self._credential and self._credential.is_fresh(time.time())):
            return
        if self._renewal is None:
            self._renewal = asyncio.create_task(self._run(self._access, self._access.command))
            # Also when no caller waits for it any more.
            self._renewal.add_done_callback(lambda task: task.cancelled() or task.exception())
        await asyncio.shield(self._renewal)

    async def _run(self, access: Access, command: Command) -> None:
        try:
            credential = await command.run(self._limits.command_timeout_s)
            renewed = access.with_credential(credential)
            self._credential = credential
            # A certificate belongs to a connection, a token to a request.
            if renewed.tls is not self._access.tls:
                await self._use(renewed)
            self._access = renewed
        finally:
            self._renewal = None

    async def _use(self, access: Access) -> None:
        self._access = access
        retired, self._connections = self._connections, _Connections(access)
        await retired.retire()

    async def _answer_of(self, response: httpx.Response, max_bytes: int) -> Answer:
        chunks = []
        length = 0
        async for chunk in response.aiter_raw():
            chunks.append(chunk)
            length += len(chunk)
            if length > max_bytes:
                raise _TooLongError(f"status {response.status_code} with more than {max_bytes} bytes")
        if response.status_code == _UNAUTHORIZED:
            await self._refused()
        retry_after_s = _retry_after_s(response.headers.get("retry-after", ""), self._limits.max_retry_after_s)
        return Answer(response.status_code, b"".join(chunks), retry_after_s)

    async def _refused(self) -> None:
        """The server rejects the credentials: they are read again, because another program may have renewed them."""
        now_s = asyncio.get_running_loop().time()
        if now_s - self._reloaded_s < _RELOAD_INTERVAL_S:
            return
        self._reloaded_s = now_s
        try:
            access = self._reload()
        except KubeconfigError:
            # Another program is writing the file. The old content is used until the file can be read.
            return
        # The file may name another cluster by now. Its credentials must not be sent to this one.
        if access.way != self._access.way:
            return
        self._credential = None
        await self._use(access)


class _Connections:
    """The connections of one set of credentials. They close when they are retired and no request uses them."""

    def __init__(self, access: Access) -> None:
        # The session limits how many requests there are, and each source has one watch.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=_KEEP_ALIVE_S)
        self._http = httpx.AsyncHTTPTransport(verify=access.tls, limits=limits, proxy=access.proxy, trust_env=False)
        self._users = 0
        self._is_retired = False

    @asynccontextmanager
    async def used(self) -> AsyncIterator[httpx.AsyncHTTPTransport]:
        self._users += 1
        try:
            yield self._http
        finally:
            self._users -= 1
            if self._is_retired and self._users == 0:
                await self._http.aclose()

    async def retire(self, *, at_once: bool = False) -> None:
        self._is_retired = True
        if at_once or self._users == 0:
            await self._http.aclose()


class _TooLongError(Exception):
    pass


_UNANSWERED: Final = (httpx.HTTPError, OSError, CommandError, KubeconfigError, _TooLongError)


def _problem(error: Exception) -> str:
    """One line about an error. httpx's errors of headers quote them, so these are not shown."""
    if isinstance(error, httpx.LocalProtocolError):
        return "the request cannot be sent"
    return one_line(str(error)) or type(error).__name__


def _retry_after_s(header: str, max_s: float) -> float:
    """What the answer asks to wait, in seconds; a date is not read. -1: nothing."""
    return min(float(header), max_s) if header.isascii() and header.isdigit() and len(header) <= 6 else -1.0
