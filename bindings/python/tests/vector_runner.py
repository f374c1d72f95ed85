"""Plays one vector: steps go into the engine as bytes, its requests are compared with what the step expects and
answered from the server of the vectors. Every mismatch is an AssertionError that says which step and what was there
instead.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from built_engine import engine_module
from plain_json import Json, JsonObject, parse, render, same
from stint import Engine, EngineError, EngineRequest, ErrorCode, IngestKind
from vector_requests import ExpectedRequests, describe, key_of, matches
from vector_server import CLOCK_OFFSET_MS, NAMESPACE, TRACKING_FINALIZER, Reply, VectorServer, failure

_GANG_API = "scheduling.k8s.io/v1beta1"
_SOURCES = {"jobs": 0, "pods": 1, "workloads": 2, "podgroups": 3}
_KINDS = {"jobs": "Job", "pods": "Pod", "workloads": "Workload", "podgroups": "PodGroup"}
_API_VERSIONS = {"jobs": "batch/v1", "pods": "v1", "workloads": _GANG_API, "podgroups": _GANG_API}
_MAX_POLLS_A_RUN = 2000
_MAX_REQUESTS = 4096


def run_vector(vector: JsonObject, objects: dict[str, JsonObject], observe: Callable[[EngineRequest], object]) -> None:
    """Plays the vector to its end. `observe` sees each request that the engine hands out, in order."""
    run = _VectorRun(vector, objects, observe)
    for number, step in enumerate(vector["steps"], 1):
        try:
            run.play(step)
        except (AssertionError, EngineError) as error:
            raise AssertionError(f"step {number} ({next(iter(step))}): {error}") from error


@dataclass(frozen=True)
class _Waiting:
    """A request that waits for a `settle` step."""

    request: EngineRequest
    pod_name: str


class _VectorRun:
    def __init__(
        self, vector: JsonObject, objects: dict[str, JsonObject], observe: Callable[[EngineRequest], object]
    ) -> None:
        own = vector.get("configuration", {})
        self._sources = list(_SOURCES) if own.get("gangScheduling") else ["jobs", "pods"]
        self._configuration: Any = {
            "instance": "vector",
            "sources": [{"id": _SOURCES[name], "resource": name} for name in self._sources],
            "constants": vector.get("constants", {}),
            **own,
        }
        self._observe = observe
        self._server = VectorServer(objects)
        self._later: dict[str, _Waiting] = {}
        self._engine = self._new_engine()

    def play(self, step: JsonObject) -> None:
        if "at" in step:
            self._server.now_ms = step["at"]
        match step:
            case {"start": objects}:
                for name, item in objects.items():
                    self._server.add(name, item)
                self._list_all()
            case {"restart": True}:
                self._later.clear()
                self._engine = self._new_engine()
                self._list_all()
            case {"add": objects}:
                for name, item in objects.items():
                    self._show("ADDED", self._server.add(name, item), step)
            case {"change": patches}:
                for name, patch in patches.items():
                    self._show("MODIFIED", self._server.change(name, patch), step)
            case {"delete": names}:
                for name in names:
                    self._show("DELETED", self._server.delete(name), step)
            case {"show": names}:
                for name in names:
                    self._show("MODIFIED", self._server.get(name), step)
            case {"replay": names, "type": event_type}:
                for name in names:
                    self._show(event_type, self._server.first(name), {})
            case {"bookmark": source}:
                self._bookmark(source, step.get("endsInitialEvents", False))
            case {"relist": source}:
                self._list(source, step.get("stale", False), step.get("result", "ok"))
            case {"ingest": source, "kind": kind}:
                self._ingest(source, kind, step.get("text", ""), step.get("result", "ok"))
            case {"run": _}:
                self._run(step)
            case {"settle": key}:
                self._settle_later(key, step.get("answer"))
            case {"explain": name, "expect": expected}:
                self._explain(name, expected)
            case {"metrics": expected}:
                metrics = self._engine.metrics()
                families = expected.get("families", {})
                _expect_members(metrics, {key: value for key, value in expected.items() if key != "families"})
                _expect_members(_samples_by_name(metrics["families"], list(families)), families)
            case _:
                raise AssertionError(f"a step has none of the known members: {render(step)}")

    def _new_engine(self) -> Engine:
        engine = Engine.create(engine_module())
        engine.configure(self._configuration)
        engine.set_clock_offset(CLOCK_OFFSET_MS)
        return engine

    def _list_all(self) -> None:
        for source in self._sources:
            self._list(source)

    def _list(self, source: str, stale: bool = False, result: str = "ok") -> None:
        kind = _KINDS[source]
        # A stale list is that of a server which has seen nothing but the first object.
        version, items = ("1", self._server.first_of(kind)) if stale else (self._server.version, self._server.all(kind))
        page = {
            "kind": f"{kind}List",
            "apiVersion": _API_VERSIONS[source],
            "metadata": {"resourceVersion": version},
            "items": items,
        }
        self._ingest(source, "listBegin", "")
        self._ingest(source, "page", render(page), result)
        if not stale:
            self._ingest(source, "listEnd", "")

    def _bookmark(self, source: str, ends_initial_events: bool) -> None:
        annotations = {"k8s.io/initial-events-end": "true"} if ends_initial_events else {}
        bookmark = {
            "kind": _KINDS[source],
            "metadata": {"resourceVersion": self._server.version, "annotations": annotations},
        }
        self._ingest(source, "watchLines", _watch_line("BOOKMARK", bookmark))

    def _show(self, event_type: str, item: JsonObject, step: JsonObject) -> None:
        if not step.get("silent", False):
            source = next(name for name, kind in _KINDS.items() if kind == item["kind"])
            self._ingest(source, "watchLines", _watch_line(event_type, item), step.get("result", "ok"))

    def _ingest(self, source: str, kind: str, text: str, result: str = "ok") -> None:
        try:
            code: int = self._engine.ingest(
                _SOURCES[source], IngestKind[_constant_case(kind)], text, self._server.now_ms
            )
        except EngineError as error:
            code = error.code
        _expect_code(code, result, f"ingest of {kind}")

    def _run(self, step: JsonObject) -> None:
        now_ms = self._server.now_ms = step["run"]
        expected = ExpectedRequests(
            self._server.expand(step.get("requests", [])), self._configuration.get("finalizer", TRACKING_FINALIZER)
        )
        events: list[JsonObject] = []
        for _ in range(_MAX_POLLS_A_RUN):
            result = self._engine.poll(now_ms, step.get("maxRequests", _MAX_REQUESTS))
            for request in result.requests:
                self._observe(request)
            if not result.requests and result.next_wake_up_ms > now_ms:
                break
            for request in result.requests:
                self._answer(request, expected, events, step.get("eventAnswers", []))
        else:
            raise AssertionError(f"requests come without end at {now_ms} ms")
        expected.end()
        if "events" in step:
            _expect_events(events, step["events"])
        if "nextWakeUp" in step:
            wanted = math.inf if step["nextWakeUp"] is None else step["nextWakeUp"]
            assert result.next_wake_up_ms == wanted, f"the next wake-up is {result.next_wake_up_ms}, expected {wanted}"

    def _answer(
        self, request: EngineRequest, expected: ExpectedRequests, events: list[JsonObject], event_answers: list[Json]
    ) -> None:
        if request.path.endswith("/events") or "/events/" in request.path:
            told = event_answers[len(events) : len(events) + 1]
            events.append(parse(request.body))
            self._settle(request, self._reply_to(_Waiting(request, ""), told[0]) if told else Reply(201, "{}"))
            return
        match = expected.take(request)
        waiting = _Waiting(request, match.get("create", ""))
        answer = match.get("answer")
        if answer == "later":
            self._later[key_of(match)] = waiting
        else:
            self._settle(request, self._reply_to(waiting, answer), _result_of(answer))

    def _settle_later(self, key: str, answer: Json) -> None:
        if key not in self._later:
            raise AssertionError(f'no request "{key}" is under way: {", ".join(self._later)} are')
        waiting = self._later.pop(key)
        self._settle(waiting.request, self._reply_to(waiting, answer), _result_of(answer))

    def _reply_to(self, waiting: _Waiting, answer: Json) -> Reply:
        unknown = Reply(0, "")
        if answer == "lost":
            return unknown
        if isinstance(answer, dict):
            status = answer["status"]
            refusal = failure(status, "Failure", f"refused with {status}").body
            body = render(answer["body"]) if "body" in answer else refusal
            return Reply(status, answer.get("text", body), answer.get("retryAfterMs", -1))
        reply = self._server.handle(waiting.request, waiting.pod_name)
        return unknown if answer == "lostAfter" else reply

    def _settle(self, request: EngineRequest, reply: Reply, result: str = "ok") -> None:
        code = self._engine.settle(request.id, reply.status, reply.retry_after_ms, reply.body, self._server.now_ms)
        _expect_code(code, result, f"settle of {describe(request)}")

    def _explain(self, name: str, expected: JsonObject) -> None:
        _expect_members({**self._engine.explain(NAMESPACE, name, self._server.now_ms)}, expected)


def _watch_line(event_type: str, item: JsonObject) -> str:
    return f"{render({'type': event_type, 'object': item})}\n"


def _constant_case(name: str) -> str:
    """`listBegin` as Python writes it: LIST_BEGIN."""
    return re.sub(r"(?=[A-Z])", "_", name).upper()


def _expect_code(code: int, result: str, what: str) -> None:
    assert code == ErrorCode[_constant_case(result)], f"{what} returned code {code}, expected {result}"


def _result_of(answer: Json) -> str:
    return answer.get("result", "ok") if isinstance(answer, dict) else "ok"


def _expect_events(events: list[JsonObject], expected: list[Any]) -> None:
    """Each expected event is `[type, reason, message]`, or the whole body."""
    wanted = [expected[i] if i < len(expected) else [] for i in range(len(events))]
    seen = [
        [event["type"], event["reason"], event["message"]] if isinstance(entry, list) else event
        for event, entry in zip(events, wanted, strict=True)
    ]
    assert matches(seen, expected), f"events are\n  {render(seen)}\nexpected are\n  {render(expected)}"


def _samples_by_name(families: list[JsonObject], names: list[str]) -> dict[str, Any]:
    """The samples that are asked for by `name{label=value,…}`; None for one that is not there."""
    samples: dict[str, Any] = {}
    for family in families:
        for sample in family["samples"]:
            labels = ",".join(
                f"{label}={value}" for label, value in zip(family["labels"], sample["labels"], strict=True)
            )
            name = f"{family['name']}{{{labels}}}" if labels else family["name"]
            samples[name] = (
                sample["value"]
                if "value" in sample
                else {key: value for key, value in sample.items() if key != "labels"}
            )
    known = {family["name"] for family in families}
    for name in names:
        assert name.split("{")[0] in known, f'"{name}" is of no family that the engine has'
    return {name: samples.get(name) for name in names}


def _expect_members(actual: dict[str, Any], expected: JsonObject) -> None:
    for key, value in expected.items():
        assert same(actual.get(key), value), f'"{key}" is {render(actual.get(key))}, expected {render(value)}'
