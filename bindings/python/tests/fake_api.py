"""An API server of a few lines, for answers that real ones rarely give: it answers as a test says, and otherwise like a
cluster that has these Jobs, creates what a request asks for, and never ends a watch. It records requests.
"""

import asyncio
import json
import ssl
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec
from urllib.parse import parse_qs, urlsplit

from built_engine import engine_module
from stint.controller import Controller, Limits

TOKEN = "a-secret-token"
_TIME_LIMIT_S = 60
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
FAST = Limits(retry_initial_s=0.001, retry_max_s=0.002, min_watch_s=0.05, fence_interval_s=0.01)

_Given = ParamSpec("_Given")


@dataclass(frozen=True)
class Seen:
    """A request that has arrived."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.target).query).items()}

    @property
    def action(self) -> str:
        """`list jobs`, `watch pods`, `create pods`, `update jobs/status`."""
        parts = self.path.split("/")
        rest = parts[4:] if parts[1] == "apis" else parts[3:]
        if rest[0] == "namespaces":
            rest = rest[2:]
        verb = _VERBS.get(self.method) or ("watch" if "watch" in self.query else "list")
        return f"{verb} {rest[0]}{f'/{rest[2]}' if len(rest) > 2 else ''}"


@dataclass(frozen=True)
class Reply:
    """A whole answer."""

    status: int
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Lines:
    """A watch: these bytes, and then an end in good order, or none, or a broken connection."""

    chunks: list[bytes]
    end: str = "stays"


class Silence:
    """No answer at all."""


Answered = Reply | Lines | Silence


class FakeApi:
    """The server. `script` has answers by action, used up in order; `seen` what has arrived, in order."""

    def __init__(self) -> None:
        self.jobs: list[dict[str, Any]] = []
        self.script: dict[str, list[Answered | Callable[[Seen], Answered]]] = defaultdict(list)
        self.seen: list[Seen] = []
        self.open_writes = 0
        self.most_writes = 0
        self.hold: asyncio.Event | None = None
        """While this is there and not set, writes are not answered."""
        self.pushed: dict[str, asyncio.Queue[bytes]] = defaultdict(asyncio.Queue)
        """What the open watch of an action still shows."""
        self.version = 100
        self.url = ""
        self._arrived = asyncio.Condition()
        self.connections: set[asyncio.Task[Any]] = set()

    @asynccontextmanager
    async def served(self, tls: ssl.SSLContext | None = None) -> AsyncIterator["FakeApi"]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=tls)
        port = server.sockets[0].getsockname()[1]
        self.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{port}"
        try:
            yield self
        finally:
            server.close()
            for task in self.connections:
                task.cancel()

    @property
    def writes(self) -> list[Seen]:
        return [seen for seen in self.seen if seen.method != "GET"]

    def of(self, action: str) -> list[Seen]:
        return [seen for seen in self.seen if seen.action == action]

    async def wait_for(self, action: str, count: int = 1) -> list[Seen]:
        """The requests of an action, when there are as many."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.of(action)) >= count)
        return self.of(action)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.connections.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                first, *lines = head.strip().split("\r\n")
                headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
                method, target, _ = first.split(" ")
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                await self._serve(Seen(method, target, headers, body), writer)
        writer.close()

    async def _serve(self, seen: Seen, writer: asyncio.StreamWriter) -> None:
        is_write = seen.method != "GET"
        self.open_writes += is_write
        self.most_writes = max(self.most_writes, self.open_writes)
        try:
            async with self._arrived:
                self.seen.append(seen)
                self._arrived.notify_all()
            scripted = self.script[seen.action]
            answer = scripted.pop(0) if scripted else self._usual
            answered = answer(seen) if callable(answer) else answer
            if self.hold is not None and is_write:
                await self.hold.wait()
            match answered:
                case Reply():
                    _write_head(writer, answered.status, {**answered.headers, "content-length": len(answered.content)})
                    writer.write(answered.content)
                    await writer.drain()
                case Lines():
                    await self._stream(answered, self.pushed[seen.action], writer)
                case Silence():
                    await asyncio.Event().wait()
        finally:
            self.open_writes -= is_write

    async def _stream(self, lines: Lines, pushed: asyncio.Queue[bytes], writer: asyncio.StreamWriter) -> None:
        async def write(chunk: bytes) -> None:
            writer.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            await writer.drain()

        _write_head(writer, 200, {"transfer-encoding": "chunked"})
        for chunk in lines.chunks:
            await write(chunk)
        while lines.end == "stays":
            await write(await pushed.get())
        if lines.end == "breaks":
            writer.transport.abort()
            raise ConnectionAbortedError
        else:
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    def _usual(self, seen: Seen) -> Answered:
        self.version += 1
        match seen.action.split(" "):
            case ["list", "jobs"]:
                return Reply(200, list_of("Job", self.jobs))
            case ["list", "pods"]:
                return Reply(200, list_of("Pod", []))
            case ["watch", _]:
                return Lines([])
        made = json.loads(seen.body) if seen.body else {}
        if seen.action == "patch jobs/status":
            [known] = [job for job in self.jobs if job["metadata"]["name"] == seen.path.split("/")[-2]]
            metadata = {**known["metadata"], "resourceVersion": str(self.version)}
            return Reply(200, {**known, **made, "metadata": metadata})
        metadata = made.setdefault("metadata", {})
        if "generateName" in metadata:
            metadata["name"] = f"{metadata['generateName']}{self.version}"
        metadata |= {"uid": metadata.get("uid", f"uid-{self.version}"), "resourceVersion": str(self.version)}
        return Reply(201 if seen.method == "POST" else 200, made)


def list_of(kind: str, items: list[dict[str, Any]], version: int = 100, token: str = "") -> dict[str, object]:
    return {"kind": f"{kind}List", "metadata": {"resourceVersion": str(version), "continue": token}, "items": items}


def job(name: str, version: int = 50, **spec: object) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "c", "image": "busybox"}], "restartPolicy": "Never"},
    }
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}", "resourceVersion": str(version)}
    counts = {"parallelism": 1, "completions": 1, "backoffLimit": 6}
    return {"kind": "Job", "metadata": metadata, "spec": {**counts, "template": template, **spec}, "status": {}}


def review_of(spec: Mapping[str, object] | None = None) -> bytes:
    """The AdmissionReview of the creation of a Job."""
    created = job("a")
    created["spec"] |= spec or {}
    created |= {"apiVersion": "batch/v1"}
    del created["metadata"]["resourceVersion"]
    request = {
        "uid": "r1",
        "kind": {"group": "batch", "version": "v1", "kind": "Job"},
        "resource": {"group": "batch", "version": "v1", "resource": "jobs"},
        "operation": "CREATE",
        "namespace": "default",
        "object": created,
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    return json.dumps(review).encode()


def event(kind: str, item: dict[str, Any]) -> bytes:
    return json.dumps({"type": kind, "object": item}).encode() + b"\n"


def bookmark(kind: str, version: int) -> bytes:
    return event("BOOKMARK", {"kind": kind, "metadata": {"resourceVersion": str(version)}})


def status(code: int, message: str) -> dict[str, object]:
    return {"kind": "Status", "status": "Failure", "code": code, "message": message}


def kubeconfig_for(url: str, folder: Path) -> Path:
    path = folder / "kubeconfig"
    content = {
        "clusters": [{"name": "c", "cluster": {"server": url, "insecure-skip-tls-verify": True}}],
        "users": [{"name": "u", "user": {"token": TOKEN}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "here",
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def controller_of(api: FakeApi, folder: Path, **settings: Any) -> Controller:
    settings = {"managed_by": None, "limits": FAST, "module": engine_module(), **settings}
    return Controller(kubeconfig=kubeconfig_for(api.url, folder), **settings)


@asynccontextmanager
async def running(controller: Controller) -> AsyncIterator[asyncio.Task[None]]:
    """Runs the controller meanwhile, and cancels it. What it raised before is raised."""
    task = asyncio.create_task(controller.run())
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def asynchronous(test: Callable[_Given, Coroutine[Any, Any, None]]) -> Callable[_Given, None]:
    """Runs a test on its own event loop, with a time limit for one that would wait for ever."""

    @wraps(test)
    def run(*arguments: _Given.args, **named: _Given.kwargs) -> None:
        asyncio.run(asyncio.wait_for(test(*arguments, **named), _TIME_LIMIT_S))

    return run


def _write_head(writer: asyncio.StreamWriter, code: int, headers: dict[str, Any]) -> None:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {code} Said\r\n{lines}\r\n".encode())
