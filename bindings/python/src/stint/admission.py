"""An admission webhook: an ASGI and a WSGI application that answer AdmissionReviews by the engine's review, and by a
check of your own.

`POST …/validate` judges, `POST …/mutate` fills in what is left out, `GET …/healthz` says that it is there.

Invariant: validating answers have no patch, because an API server would take the webhook for broken. Mutating answers
refuse nothing and warn of nothing: mistakes are reported once, for the object that will be stored. After a trap the
engine is replaced, and only that one request fails. No part of an object goes into the log. Leaves out TLS and
authentication: the server that runs the application has the first, and everybody who reaches it may call.
"""

import asyncio
import json
import logging
import os
import queue
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock
from typing import Any, Final, Literal
from wsgiref.types import StartResponse, WSGIEnvironment

from stint.abi import MAX_REVIEW_BYTES, EngineConfiguration, ErrorCode
from stint.engine import Engine, EngineModule
from stint.errors import NO_CODE, EngineError, StintError

Phase = Literal["validate", "mutate"]
Check = Callable[[dict[str, Any], Engine], Iterable[str] | None]
"""A check of your own: it is given the `request` of a validating review that the engine allows, and an engine for
questions. It returns or yields warnings, and raises `Denied`.
"""

MAX_BODY_BYTES_AT_ONCE: Final = 64 * 1024 * 1024
"""Of all requests together. One beyond it is answered 503."""
MAX_ENGINES: Final = 4
"""Reviews take some tenths of a millisecond, so more would wait for memory more than for processors."""
_WAIT_S: Final = 9.0
"""How long a review waits for an engine. An API server waits for 10 s by default."""
_MAX_MESSAGE_CHARACTERS: Final = 1024
_JSON: Final = "application/json"
_KEY: Final = re.compile(r"\[(?!\d+\])[^\]]*\]")
"""In the path of a field: a key of a map, which the sender has chosen."""
_REASONS: Final = {
    400: "BadRequest",
    404: "NotFound",
    405: "MethodNotAllowed",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    500: "InternalError",
    503: "ServiceUnavailable",
}
"""Kubernetes' names for the status codes that are answered here."""

_log = logging.getLogger("stint.admission")


class Denied(StintError):  # noqa: N818
    """A check refuses the object. The message is for the client that sent it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back over HTTP."""

    status: int
    body: bytes
    content_type: str = _JSON
    retry_after_s: int | None = None

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Content-Type, Content-Length and Retry-After."""
        headers = [("content-type", self.content_type), ("content-length", str(len(self.body)))]
        return headers if self.retry_after_s is None else [*headers, ("retry-after", str(self.retry_after_s))]


class Reviewer:
    """Answers reviews on a pool of engines, from any thread.

    A pool, and not one engine under a lock: a call into an engine leaves Python's own lock to other threads, so that as
    many reviews run at once as there are engines. Engines are made when they are needed, and the one last used comes
    first, so that the others stay small.
    """

    def __init__(
        self,
        check: Check | None = None,
        *,
        engines: int | None = None,
        module: EngineModule | None = None,
        configuration: EngineConfiguration | None = None,
    ) -> None:
        """engines: reviews at once; else as many as there are processors, and at most MAX_ENGINES. configuration: that
        of the engines, such as the version of Kubernetes as which they review.
        """
        count = min(os.cpu_count() or 1, MAX_ENGINES) if engines is None else engines
        if count < 1:
            raise ValueError(f"engines is {engines}; allowed is a number of at least 1")
        self.engines: Final = count
        self._check = check
        self._module = module
        self._configuration = configuration
        self._pool: queue.LifoQueue[Engine | None] = queue.LifoQueue()
        for _ in range(count):
            self._pool.put(None)

    def start(self) -> None:
        """Compiles the engine now, rather than with the first review."""
        with self._engine():
            pass

    def close(self) -> None:
        """Gives back the memory of the engines that are not in use. A later review makes new ones."""
        for _ in range(self._pool.qsize()):
            engine = self._pool.get_nowait()
            if engine is not None:
                engine.close()
            self._pool.put(None)

    def review(self, phase: Phase, body: bytes) -> Answer:
        """Answers one AdmissionReview. Raises nothing."""
        try:
            with self._engine() as engine:
                review = json.loads(engine.review(body))
                response = review["response"]
                if phase == "mutate":
                    review["response"] = _mutation(response)
                else:
                    response.pop("patch", None)
                    response.pop("patchType", None)
                    if response["allowed"] and self._check is not None:
                        _apply(self._check, json.loads(body).get("request") or {}, engine, response)
                    self._note(response)
                return Answer(HTTPStatus.OK, json.dumps(review).encode())
        except queue.Empty:
            return refusal(HTTPStatus.SERVICE_UNAVAILABLE, f"no engine was free for {_WAIT_S:g} s", retry_after_s=1)
        except EngineError as error:
            if error.code == ErrorCode.BAD_JSON:
                return refusal(HTTPStatus.BAD_REQUEST, str(error))
            _log.error("the engine has failed on a request, and is replaced: %s", error)
            return refusal(HTTPStatus.INTERNAL_SERVER_ERROR, f"the request could not be reviewed: {error}")
        except Exception:
            _log.exception("a check has failed")
            return refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "the request could not be reviewed: a check has failed")

    @contextmanager
    def _engine(self) -> Iterator[Engine]:
        engine = self._pool.get(timeout=_WAIT_S)
        try:
            if engine is None:
                engine = Engine(self._module)
                if self._configuration is not None:
                    engine.configure(self._configuration)
            yield engine
        except EngineError as error:
            if error.code == NO_CODE:
                engine = None
            raise
        finally:
            self._pool.put(engine)

    def _note(self, response: dict[str, Any]) -> None:
        details = response.get("status", {}).get("details", {})
        fields = ", ".join(_KEY.sub("[…]", cause.get("field", "")) for cause in details.get("causes", [])[:16])
        if response["allowed"]:
            _log.debug("%s is allowed, with %d warnings", response["uid"], len(response.get("warnings", [])))
        else:
            _log.info("%s is denied: %s", response["uid"], fields or "by a check")


def _mutation(response: dict[str, Any]) -> dict[str, Any]:
    answer = {"uid": response["uid"], "allowed": True}
    if response["allowed"] and "patch" in response:
        answer |= {"patchType": response["patchType"], "patch": response["patch"]}
    return answer


def _apply(check: Check, request: dict[str, Any], engine: Engine, response: dict[str, Any]) -> None:
    warnings: list[str] = []
    try:
        # Item by item: a check may warn before it denies.
        for warning in check(request, engine) or ():
            warnings.append(warning)
    except Denied as denied:
        message = str(denied)[:_MAX_MESSAGE_CHARACTERS]
        response["allowed"] = False
        response["status"] = {"status": "Failure", "message": message, "reason": "Forbidden", "code": 403}
    if warnings:
        response["warnings"] = [*response.get("warnings", []), *warnings]


def refusal(status: HTTPStatus, message: str, *, retry_after_s: int | None = None) -> Answer:
    """A Status: an API server shows its message to the client that sent the object."""
    content = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    body = json.dumps({**content, "message": message, "reason": _REASONS.get(status, ""), "code": status})
    return Answer(status, body.encode(), retry_after_s=retry_after_s)


class _Desk:
    """What both applications do with a request before its body is read: it is refused, or room is taken for it."""

    def __init__(self, reviewer: Reviewer, max_body_bytes: int) -> None:
        if not 0 < max_body_bytes <= MAX_REVIEW_BYTES:
            raise ValueError(f"max_body_bytes is {max_body_bytes}; allowed are 1 to {MAX_REVIEW_BYTES}")
        self.reviewer: Final = reviewer
        self.max_body_bytes: Final = max_body_bytes
        self._bytes = 0
        self._lock = Lock()

    def head(self, method: str, path: str, content_type: str, length: str) -> Answer | Phase:
        """The answer to a request that is no review, or that cannot be one; else which kind of review it is."""
        last = path.rsplit("/", 1)[-1]
        if last == "healthz" and method == "GET":
            return Answer(HTTPStatus.OK, b"ok\n", "text/plain; charset=utf-8")
        phase: Phase | None = "validate" if last == "validate" else "mutate" if last == "mutate" else None
        if phase is None:
            return refusal(HTTPStatus.NOT_FOUND, "there are POST …/validate, POST …/mutate and GET …/healthz")
        if method != "POST":
            return refusal(HTTPStatus.METHOD_NOT_ALLOWED, f"the method is {method[:16]}; allowed is POST")
        if content_type.split(";")[0].strip().lower() != _JSON:
            return refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the Content-Type is not {_JSON}, which is allowed")
        if not (length.isascii() and length.isdigit()):
            return refusal(HTTPStatus.LENGTH_REQUIRED, "the request has no Content-Length, which is needed")
        if len(length) > 10 or int(length) > self.max_body_bytes:
            return refusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the request is longer than {self.max_body_bytes} bytes, which is the most that is read",
            )
        return phase

    @contextmanager
    def room(self, length: int) -> Iterator[Answer | None]:
        """Takes room for a body, or gives the refusal."""
        with self._lock:
            is_full = self._bytes + length > MAX_BODY_BYTES_AT_ONCE
            self._bytes += 0 if is_full else length
        if is_full:
            too_much = f"allowed are {MAX_BODY_BYTES_AT_ONCE} bytes in all requests together"
            yield refusal(HTTPStatus.SERVICE_UNAVAILABLE, f"too much is under way: {too_much}", retry_after_s=1)
            return
        try:
            yield None
        finally:
            with self._lock:
                self._bytes -= length


_CUT: Final = refusal(HTTPStatus.BAD_REQUEST, "the request ended before its Content-Length")

WsgiApplication = Callable[[WSGIEnvironment, StartResponse], list[bytes]]


def wsgi(
    check: Check | None = None,
    *,
    engines: int | None = None,
    max_body_bytes: int = MAX_REVIEW_BYTES,
    module: EngineModule | None = None,
    configuration: EngineConfiguration | None = None,
) -> WsgiApplication:
    """The application for a server with threads: gunicorn, waitress, or wsgiref of the standard library."""
    reviewer = Reviewer(check, engines=engines, module=module, configuration=configuration)
    desk = _Desk(reviewer, max_body_bytes)

    def answer(environment: WSGIEnvironment) -> Answer:
        length = environment.get("CONTENT_LENGTH") or ""
        head = desk.head(
            environment["REQUEST_METHOD"], environment.get("PATH_INFO", ""), environment.get("CONTENT_TYPE", ""), length
        )
        if isinstance(head, Answer):
            return head
        with desk.room(int(length)) as full:
            if full is not None:
                return full
            body = environment["wsgi.input"].read(int(length))
            return _CUT if len(body) < int(length) else desk.reviewer.review(head, body)

    def application(environment: WSGIEnvironment, start: StartResponse) -> list[bytes]:
        answered = answer(environment)
        start(f"{answered.status} {HTTPStatus(answered.status).phrase}", answered.headers)
        return [answered.body]

    return application


_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
AsgiApplication = Callable[[_Message, _Receive, _Send], Coroutine[Any, Any, None]]


def asgi(
    check: Check | None = None,
    *,
    engines: int | None = None,
    max_body_bytes: int = MAX_REVIEW_BYTES,
    module: EngineModule | None = None,
    configuration: EngineConfiguration | None = None,
) -> AsgiApplication:
    """The application for a server of asyncio: uvicorn or hypercorn. Reviews and the check run in threads."""
    reviewer = Reviewer(check, engines=engines, module=module, configuration=configuration)
    return _Asgi(_Desk(reviewer, max_body_bytes))


class _Asgi:
    def __init__(self, desk: _Desk) -> None:
        self._desk = desk
        self._threads = ThreadPoolExecutor(desk.reviewer.engines, "stint-admission")

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            answered = await self._answer(scope, receive)
            if answered is not None:
                await _send(answered, send)
        else:
            raise ValueError(f"the connection is of type {scope['type']!r}; allowed is http")

    async def _live(self, receive: _Receive, send: _Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await asyncio.get_running_loop().run_in_executor(self._threads, self._desk.reviewer.start)
                except EngineError as error:
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            else:
                self._threads.shutdown()
                self._desk.reviewer.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _answer(self, scope: _Message, receive: _Receive) -> Answer | None:
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        length = headers.get(b"content-length", "")
        head = self._desk.head(scope["method"], scope["path"], headers.get(b"content-type", ""), length)
        if isinstance(head, Answer):
            return head
        with self._desk.room(int(length)) as full:
            if full is not None:
                return full
            body = await _body(receive, int(length))
            if body is None:
                return None
            if len(body) != int(length):
                return _CUT
            return await asyncio.get_running_loop().run_in_executor(
                self._threads, self._desk.reviewer.review, head, body
            )


async def _body(receive: _Receive, length: int) -> bytes | None:
    """The body, and at most one part more than `length`; None: the client is gone."""
    body = bytearray()
    while len(body) <= length:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(body)


async def _send(answer: Answer, send: _Send) -> None:
    headers = [(name.encode(), value.encode()) for name, value in answer.headers]
    await send({"type": "http.response.start", "status": int(answer.status), "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
