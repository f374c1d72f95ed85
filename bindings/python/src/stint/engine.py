"""The engine, for Python: a thin typed face over the exports that bindings/ABI.md fixes, on wasmtime.

Every result is copied out of linear memory before a method returns, so what a caller holds stays valid. Members of JSON
keep the ABI's names. Leaves out all I/O: a host sends the requests and lists and watches, as ABI.md says under "What a
host does".
"""

import hashlib
import json
import struct
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, NotRequired, Self, TypedDict

import wasmtime

from stint.abi import ABI_VERSION, METHODS, EngineConfiguration, ErrorCode, IngestKind
from stint.errors import NO_CODE, EngineClosedError, EngineError, EngineTrapError

@dataclass(frozen=True, slots=True)
class EngineRequest:
    """One request that the engine wants to be sent. Settle each exactly once, by id."""

    id: int
    method: str
    """GET, POST, PUT, PATCH or DELETE."""
    path: str
    """The request target as sent on the wire: with its query, percent-encoded."""
    accept: str
    content_type: str
    """Empty when there is no body."""
    body: bytes
    decision: int = 0
    """The `id` of the decision that it carries out; 0: of none. Some decisions come after their requests; an `id` that
    never comes stands for the last decision of the Job before it (ABI.md, "poll").
    """


class Decision(TypedDict):
    """One decision, as the engine traced it. `message` is the sentence for people; the rest is the same in data."""

    id: NotRequired[int]
    """Requests name it. An engine of ABI 1.1 has none."""
    atMs: int
    namespace: str
    job: str
    uid: str
    code: str
    """A `DecisionCode`, or one that a newer engine has."""
    message: str
    nextMs: int | None
    """When something happens next without any input, in wall-clock milliseconds; None: only an input moves it."""
    numbers: dict[str, int]
    indexes: NotRequired[str]
    """Of `IndexBackoff`: the completion indexes that wait, if there are several: `1,3-5`."""


@dataclass(frozen=True, slots=True)
class PollResult:
    """What one poll hands out."""

    requests: list[EngineRequest]
    next_wake_up_ms: float
    """On the clock of `now_ms`: when poll wants to be called again at the latest. Infinity: after the next input."""
    decisions: list[Decision]


class PodGroup(TypedDict):
    """Pods of one Job that do or wait for the same."""

    reason: str
    """`Ready`, `Running`, `Pending`, `Terminating`, `Ended`, `Unknown`, or what kubelet or scheduler gave:
    `ImagePullBackOff`…
    """
    count: int
    pod: str
    """The oldest of them."""
    sinceMs: int | None
    """When that pod was created, or its deletion asked for."""
    graceMs: NotRequired[int]
    """Of `Terminating`: how long that pod may take."""
    message: NotRequired[str]
    """What one of them gave as the message of its wait."""


class Explanation(TypedDict):
    """What is known of one Job. What is not required is there when `found` is true."""

    namespace: str
    job: str
    found: bool
    state: str
    """One word for tables; the words are in ABI.md, "explain"."""
    sentence: str
    """One English sentence: what state, why, by which rule and numbers, what comes next and when."""
    nextMs: int | None
    decisions: list[Decision]
    uid: NotRequired[str]
    parallelism: NotRequired[int]
    backoffLimit: NotRequired[int]
    completions: NotRequired[int | None]
    active: NotRequired[int]
    ready: NotRequired[int]
    terminating: NotRequired[int]
    succeeded: NotRequired[int]
    failed: NotRequired[int]
    code: NotRequired[str]
    """Which rule holds it: a `DecisionCode` or an `ExplainCode`."""
    numbers: NotRequired[dict[str, int]]
    """Those of the code, at this moment."""
    deadlineMs: NotRequired[int | None]
    """When activeDeadlineSeconds end it, in wall-clock milliseconds."""
    pods: NotRequired[list[PodGroup]]
    """Its pods by what they wait for or do."""


class Verdict(TypedDict):
    """Whether a Job has ended, and how. ABI.md, "verdict", says what each member is derived from."""

    verdict: str
    """A `VerdictWord`."""
    isFinished: bool
    """The Job has really ended: it is `Succeeded` or `Failed`."""
    decided: str | None
    """How the Job will end, or has: `Succeeded`, `Failed`; None: that is open."""
    reason: str
    """That of the condition, or of the pod that waits; or a `VerdictReason`."""
    message: str
    sinceMs: int | None
    """Since when it is so, in wall-clock milliseconds; None: not known."""
    nextMs: int | None
    """When something happens without any input: a retry, a deadline, a deletion."""
    isNextBound: bool
    """`nextMs` is the latest moment, and it may happen before."""
    sentence: str
    """One English sentence, for people."""
    evidence: str
    """The path of the field that decides: `job.status.conditions[1]`."""


class Attempt(TypedDict):
    """What became of one pod of a Job, and who ended it."""

    pod: str
    uid: str
    index: int | None
    """The completion index; None: it has none."""
    node: str
    """Empty: it has none."""
    phase: str
    startMs: int | None
    """In wall-clock milliseconds; None: not known."""
    endMs: int | None
    """None: not known, or it has not ended."""
    restarts: int
    """How often the kubelet started a container of it again."""
    container: str
    """The container whose failure decided; empty: none failed."""
    attempt: int | None
    """Which start of that container failed: 0 is the first; None: none failed."""
    exitCode: int | None
    signal: int | None
    """The signal that the exit code tells of; None: it tells of none."""
    reason: str
    message: str
    endedBy: str | None
    """An `EndCode`; None: nothing has ended it, or a container of it, yet."""
    by: str
    """What the code names: the pod that preempted it, the resource that was low; empty: nothing that is known."""
    cause: str
    """Who or what ended it, as a part of a sentence; empty: nothing has, or it has succeeded and was not stopped."""
    sentence: str
    """One English sentence, for people."""


class Hold(TypedDict):
    """One thing that holds a Job."""

    code: str
    """A `HoldCode`."""
    by: str
    """What the code names: a container, a quota, a node; empty: nothing that is known."""
    reason: str
    message: str
    count: int
    """How many pods are held; 0: it is about the Job itself."""
    pod: str
    """The pod that has been held for the longest; empty: none."""
    node: str
    """Its node; empty: none."""
    sinceMs: int | None
    """In wall-clock milliseconds; None: not known."""
    sentence: str
    """One English sentence, for people."""


class Next(TypedDict):
    """What comes next for a Job."""

    atMs: int | None
    """In wall-clock milliseconds; None: nothing comes without an input."""
    isBound: bool
    """`atMs` is the latest moment, and it may happen before."""
    sentence: str
    """One English clause, for people."""


class Remedy(TypedDict):
    """One thing to do for a Job."""

    code: str
    """The `HoldCode` or `EndCode` that it is about."""
    sentence: str
    """What to do: one English clause, which begins with a verb."""
    command: str
    """A command for a shell; `job.yaml` in it stands for the file with the manifest."""
    kind: str
    """The kind of the object that `patch` is for; empty: there is none."""
    patch: dict[str, object] | None
    """A strategic merge patch of a Job or a CronJob, a merge patch of another object; None: no manifest is at fault."""


class Account(TypedDict):
    """What happened to a Job. ABI.md, "account", names the source of each member."""

    verdict: Verdict
    sentence: str
    """One English sentence about the Job, for people."""
    attempts: list[Attempt]
    """One for each pod of the Job, by the time when it started."""
    last: int | None
    """The index in `attempts` of the one that failed last; None: none has."""
    holds: list[Hold]
    """What keeps the Job from going on, the most important first."""
    next: Next
    """What comes next, or has to happen first."""
    remedies: list[Remedy]
    """What to do: at most two."""


class Advice(TypedDict):
    """What one rule of lint says. docs/lint.md of the repository has a section for each code."""

    code: str
    """A `LintCode`."""
    severity: Literal["warn", "deny"]
    field: str
    """The path of the field it is about, in the Job: `spec.backoffLimit`; or in the question: `context.cronJob.…`."""
    sentence: str
    """What is wrong: one English sentence, without a capital and a full stop."""
    fix: str
    """What to do, in the same form."""
    numbers: dict[str, int]
    """The numbers of the sentence."""


class LintReport(TypedDict):
    """What lint says of a Job."""

    advice: list[Advice]


# "is" and "from" are words of Python, so that members are given as data.
ForecastAmount = TypedDict("ForecastAmount", {"value": int | None, "is": str, "by": NotRequired[str]})
"""A number of a forecast: `exact`, `bound`, or None: `unbounded` or `unknown`, by a field or an assumption."""


class ForecastRange(TypedDict):
    """What is least, and what is most."""

    least: ForecastAmount
    most: ForecastAmount


class ForecastTimes(TypedDict):
    """When something happens, in milliseconds from `fromMs` on."""

    earliestMs: ForecastAmount
    latestMs: ForecastAmount


class ForecastEnd(ForecastTimes):
    """When the Job ends."""

    toleranceMs: int
    """What a controller may be early or late."""


class ForecastTry(TypedDict):
    """One try of a Job whose pods all fail."""

    atMs: int
    pods: int


class ForecastRetries(TypedDict):
    """What happens if every pod fails, or every container."""

    of: str
    """`pod`, or `container` if containers restart."""
    tries: list[ForecastTry]
    omitted: int
    """How many tries follow those."""
    pods: int
    givesUpMs: int | None
    by: str | None
    """The field whose rule fails the Job."""


class ForecastPodTime(TypedDict):
    """The time of all pods, and what they ask for in that time, as exact decimal text."""

    mostMs: ForecastAmount
    cpuSeconds: str | None
    memoryByteSeconds: str | None


Forecast = TypedDict(
    "Forecast",
    {
        "from": str,
        "fromMs": int,
        "managedBy": str | None,
        "pods": ForecastRange,
        "containerStarts": ForecastRange,
        "peak": ForecastAmount,
        "retries": ForecastRetries,
        "end": ForecastEnd,
        "deletedMs": ForecastTimes,
        "statusBytes": ForecastAmount,
        "podTime": ForecastPodTime,
        "text": str,
    },
)
"""What a Job will do. ABI.md, "forecast", says what each member means."""


@dataclass(frozen=True, slots=True)
class SavedEngine:
    """A saved engine: restores only into the same module, and continues bit for bit."""

    module_sha256: str
    memory: bytes
    globals: dict[str, bytes]
    """The value of each global of the save, little-endian: two saves are equal when their bytes are, NaN included."""


@dataclass(frozen=True, slots=True)
class HostState:
    """What the engine does not know of its host, and the next host must."""

    now_ms: float = 0
    """The largest `now_ms` of a call. The clock of the next host must not be behind it."""
    open_requests: tuple[int, ...] = ()
    """The ids of requests that were handed out and are not settled. The next host settles each; status 0: unknown."""


class EngineModule:
    """A compiled engine.wasm: compile once, create many engines. `sha256` is that of its bytes, in hexadecimal."""

    def __init__(self, wasm: bytes) -> None:
        """Compiles the module, which takes some tenths of a second. Raises EngineError (`NO_CODE`) for bytes that are
        no Wasm module.
        """
        self.runtime = wasmtime.Engine()
        try:
            self.compiled = wasmtime.Module(self.runtime, wasm)
        except wasmtime.WasmtimeError as error:
            reason = str(error).strip().splitlines()[-1].strip()
            raise EngineError(NO_CODE, f"these {len(wasm)} bytes are no Wasm module: {reason}") from error
        self.sha256 = hashlib.sha256(wasm).hexdigest()

    @staticmethod
    @cache
    def packaged() -> "EngineModule":
        """The engine that this package contains, compiled once in a process. Raises EngineError (`NO_CODE`) where there
        is none: in the sources, which are no package yet.
        """
        try:
            wasm = files("stint").joinpath("engine.wasm").read_bytes()
        except FileNotFoundError:
            raise EngineError(
                NO_CODE,
                "this copy of the package has no engine.wasm, for it was not installed from a wheel: install one, or "
                "pass the bytes of an engine to Engine.create",
            ) from None
        return EngineModule(wasm)


_FRAME_HEAD: Final = struct.Struct("<IId")
_REQUEST_HEAD: Final = struct.Struct("<d6I")
_GLOBAL_FORMATS: Final = {"i32": "<i", "i64": "<q", "f32": "<f", "f64": "<d"}
_PAGE_BYTES: Final = 65536

_SAVE_HEAD: Final = struct.Struct("<8sII32sdII")
_SAVE_MAGIC: Final = b"STINTSAV"
_SAVE_VERSION: Final = 1
_SAVE_GLOBALS: Final = (struct.Struct("<IId"), struct.Struct("<IIq"))
"""A global is one of these, by its kind: an i32, f32 or f64 as an f64, or an i64."""
_SAVE_GLOBAL_BYTES: Final = 16
_SAVE_ID_BYTES: Final = 8


class Engine:
    """One engine, which is one Wasm instance. Not thread-safe: a call must have returned before the next one starts.

    `with Engine.create() as engine` closes it at the end.
    """

    _store: wasmtime.Store
    _functions: dict[str, wasmtime.Func]
    _memory: wasmtime.Memory
    _globals: dict[str, wasmtime.Global]
    _end: EngineError | None
    """What ended the instance: a trap, or `close`; None: nothing did."""

    def __init__(self, module: EngineModule | None = None) -> None:
        self._module = EngineModule.packaged() if module is None else module
        self._instantiate()

    @classmethod
    def create(cls, wasm: bytes | EngineModule | None = None) -> "Engine":
        """A fresh engine: that of the package, or one from the bytes of an engine.wasm or from a compiled module.

        Raises EngineError (`NO_CODE`) for an engine of another major version of the ABI, naming both versions.
        """
        return cls(EngineModule(wasm) if isinstance(wasm, bytes) else wasm)

    def close(self) -> None:
        """Gives back the memory of the instance; every later call raises EngineClosedError. Twice is once."""
        if isinstance(self._end, EngineClosedError):
            return
        self._end = EngineClosedError(NO_CODE, "this engine is closed: make a new one")
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def configure(self, configuration: EngineConfiguration) -> None:
        """Says who this engine is; once, before anything is ingested. Raises EngineError `BAD_CONFIGURATION`, and
        nothing has changed.
        """
        self._check(self._call("configure", json.dumps(configuration)))

    def ingest(self, source: int, kind: IngestKind, data: bytes | str, now_ms: float) -> ErrorCode:
        """Feeds what the API said, as it came. At most 64 MiB a call.

        Returns `OK` or `UNREADABLE_OBJECT`: then one object or more could not be read, and the others were taken.
        Raises EngineError with any other code.
        """
        return self._check(self._call("ingest", data, before=(source, kind), after=(float(now_ms),)))

    def watch_version(self, source: int) -> int:
        """The resourceVersion to watch this source from; -1: list it again (at the start, after a 410, after a broken
        list).
        """
        return int(self._run("watch_version", source))

    def list_continue(self, source: int) -> str:
        """The `continue` token of the page last ingested; empty after the last page."""
        return self._text(self._run("list_continue", source))

    def poll(self, now_ms: float, max_requests: int) -> PollResult:
        """What to send, when to come back, what was decided since the last poll. At most 4096 requests come at once."""
        frame = self._result(self._run("poll", float(now_ms), max_requests), ErrorCode.BAD_TIME)
        count, decisions_length, next_wake_up_ms = _FRAME_HEAD.unpack_from(frame)
        at = _FRAME_HEAD.size
        requests = []
        for _ in range(count):
            request, at = _read_request(frame, at)
            requests.append(request)
        decisions = json.loads(frame[at : at + decisions_length]) if decisions_length else []
        return PollResult(requests, next_wake_up_ms, decisions)

    def settle(
        self, request_id: int, status: int, retry_after_ms: float, body: bytes | str, now_ms: float
    ) -> ErrorCode:
        """The outcome of a request: the HTTP status and the body as it came.

        `status` 0: the outcome is unknown (the answer was lost). `retry_after_ms` -1: the answer named none. Returns
        `OK`, or `UNREADABLE_OBJECT` for a body that cannot be read: the request is settled all the same. Raises
        EngineError `UNKNOWN_REQUEST` when no request of this id is under way.
        """
        return self._check(
            self._call(
                "settle", body, before=(float(request_id), status, float(retry_after_ms)), after=(float(now_ms),)
            )
        )

    def set_clock_offset(self, offset_ms: float) -> None:
        """Wall time = now + offset. Timers follow `now_ms`, API timestamps follow wall time."""
        self._run("clock", float(offset_ms))

    def review(self, admission_review: bytes | str) -> str:
        """Answers an AdmissionReview: JSON in, JSON out; before `configure` too. Raises EngineError `BAD_JSON` for what
        is no review at all.
        """
        return self._text(self._call("review", admission_review))

    def explain(self, namespace: str, job: str, now_ms: float | None = None) -> Explanation:
        """What is known of one Job, and why it does or does not progress: as of `now_ms`, or of the last call without
        it. It changes nothing.
        """
        name = f"{namespace}/{job}"
        result = (
            self._call("explain", name) if now_ms is None else self._call("explain_at", name, after=(float(now_ms),))
        )
        explanation: Explanation = json.loads(self._text(result, ErrorCode.BAD_TIME))
        return explanation

    def verdict(self, question: dict[str, Any] | bytes | str, now_ms: float) -> Verdict:
        """Says whether a Job has really ended, and how, from its conditions.

        The question has the members `job` (a batch/v1 Job as the API shows it) and, where they are known, `pods`;
        `now_ms` is wall time. It works before `configure`, and neither reads nor changes what the engine knows. Raises
        EngineError `BAD_JSON` if the question cannot be read, or `now_ms` is no time.
        """
        verdict: Verdict = self._ask("verdict", "1.3", question, now_ms)
        return verdict

    def account(self, question: dict[str, Any] | bytes | str, now_ms: float) -> Account:
        """Tells what happened to a Job: its verdict, and what became of each of its pods and who ended it.

        The question has the members `job` (a batch/v1 Job as the API shows it) and, where they are known, `pods` and
        `events`; `now_ms` is wall time. It works before `configure`, and neither reads nor changes what the engine
        knows. Raises EngineError `BAD_JSON` if the question cannot be read, or `now_ms` is no time.
        """
        account: Account = self._ask("account", "1.7", question, now_ms)
        return account

    def lint(self, question: dict[str, Any] | bytes | str, now_ms: float) -> LintReport:
        """Gives advice about a Job that the API server takes.

        The question has the member `job` (a batch/v1 Job) and, where they are known, `context` and `rules`: ABI.md,
        "lint". `now_ms` is wall time. It works before `configure`, and neither reads nor changes what the engine knows.
        Raises EngineError `BAD_JSON` if the question cannot be read or names a rule that there is not, or `now_ms` is
        no time.
        """
        report: LintReport = self._ask("lint", "1.4", question, now_ms)
        return report

    def forecast(self, question: dict[str, Any] | bytes | str, now_ms: float) -> Forecast:
        """Says what a Job will do: pods, retries, its end.

        The question has the members `job` (a batch/v1 Job, as the API shows it or as a user writes it) and, if you
        like, `assumptions`: `podMs`, how long a pod takes, and `disruptions`; `now_ms` is wall time. It works before
        `configure`, and neither reads nor changes what the engine knows. Raises EngineError `BAD_JSON` if the question
        cannot be read, or `now_ms` is no time.
        """
        forecast: Forecast = self._ask("forecast", "1.5", question, now_ms)
        return forecast

    def _ask(self, name: str, version: str, question: dict[str, Any] | bytes | str, now_ms: float) -> Any:
        if name not in self._functions:
            text = f"this engine has no {name}: it is older than ABI {version}, or was built without"
            raise EngineError(NO_CODE, text)
        data = json.dumps(question) if isinstance(question, dict) else question
        return json.loads(self._text(self._call(name, data, after=(float(now_ms),))))

    def metrics(self) -> dict[str, Any]:
        """What the engine holds, and under `families` what it has counted; the names are in ABI.md, "metrics"."""
        metrics: dict[str, Any] = json.loads(self._text(self._run("metrics")))
        return metrics

    def save(self) -> SavedEngine:
        """Everything this engine is: linear memory and globals. Size: that of its memory. Not after a trap."""
        self._check_alive()
        values = {
            name: struct.pack(self._format_of(variable), variable.value(self._store))
            for name, variable in self._globals.items()
        }
        return SavedEngine(self._module.sha256, bytes(self._memory.read(self._store)), values)

    def restore(self, saved: SavedEngine) -> None:
        """Becomes the saved engine, in a fresh instance. Raises EngineError (`NO_CODE`) for a save of another module,
        and nothing has changed.
        """
        if isinstance(self._end, EngineClosedError):
            raise self._end
        if saved.module_sha256 != self._module.sha256:
            raise EngineError(
                NO_CODE,
                f"the save is of module {saved.module_sha256}, this is module {self._module.sha256}: "
                "a save restores only into the module it came from",
            )
        self._instantiate()
        missing = len(saved.memory) - self.memory_bytes
        if missing > 0:
            self._memory.grow(self._store, missing // _PAGE_BYTES)
        self._memory.write(self._store, saved.memory)
        for name, variable in self._globals.items():
            variable.set_value(self._store, *struct.unpack(self._format_of(variable), saved.globals[name]))

    def save_bytes(self, host: HostState) -> bytes:
        """`save` as bytes, with what the host knows. The bindings of other languages restore them too."""
        saved = self.save()
        ids = sorted(host.open_requests)
        parts = [
            _SAVE_HEAD.pack(
                _SAVE_MAGIC,
                _SAVE_VERSION,
                len(saved.globals),
                bytes.fromhex(saved.module_sha256),
                host.now_ms,
                len(ids),
                len(saved.memory) // _PAGE_BYTES,
            )
        ]
        for i in range(len(saved.globals)):
            name = f"global:{i}"
            text = self._format_of(self._globals[name])
            kind = int(text == "<q")
            parts.append(_SAVE_GLOBALS[kind].pack(kind, 0, *struct.unpack(text, saved.globals[name])))
        return b"".join([*parts, struct.pack(f"<{len(ids)}d", *ids), saved.memory])

    def restore_bytes(self, data: bytes) -> HostState:
        """Becomes the saved engine, after a trap too, and returns what its host knew. Raises EngineError (`NO_CODE`)
        for bytes that are no save, or one of another module, and nothing has changed.
        """
        if len(data) < _SAVE_HEAD.size or not data.startswith(_SAVE_MAGIC):
            raise _no_save("does not begin as one")
        _, version, count, sha256, now_ms, id_count, pages = _SAVE_HEAD.unpack_from(data)
        if version != _SAVE_VERSION:
            raise _no_save(f"is of format {version}, this binding reads format {_SAVE_VERSION}")
        ids_at = _SAVE_HEAD.size + count * _SAVE_GLOBAL_BYTES
        memory_at = ids_at + id_count * _SAVE_ID_BYTES
        length = memory_at + pages * _PAGE_BYTES
        if len(data) != length:
            raise _no_save(f"has {len(data)} bytes, and should have {length}")
        variables = {}
        # Of another module `restore` refuses the save, and names both.
        if sha256.hex() == self._module.sha256:
            if count != len(self._globals):
                raise _no_save(f"has {count} globals, this module has {len(self._globals)}")
            for i in range(count):
                name, at = f"global:{i}", _SAVE_HEAD.size + i * _SAVE_GLOBAL_BYTES
                variables[name] = self._read_global(self._format_of(self._globals[name]), data, at)
        self.restore(SavedEngine(sha256.hex(), data[memory_at:], variables))
        ids = struct.unpack_from(f"<{id_count}d", data, ids_at)
        return HostState(now_ms, tuple(int(request) for request in ids))

    @staticmethod
    def _read_global(text: str, data: bytes, at: int) -> bytes:
        kind = int.from_bytes(data[at : at + 4], "little")
        if kind >= len(_SAVE_GLOBALS):
            raise _no_save(f"has a global of kind {kind}; allowed are 0 and 1")
        if kind != int(text == "<q"):
            raise _no_save("has a global of another type than this module")
        value = _SAVE_GLOBALS[kind].unpack_from(data, at)[2]
        return struct.pack(text, int(value) if text == "<i" else value)

    @property
    def memory_bytes(self) -> int:
        """Bytes of linear memory this engine holds. It only grows, unless another engine is restored into this one."""
        if isinstance(self._end, EngineClosedError):
            return 0
        return self._memory.data_len(self._store)

    def _instantiate(self) -> None:
        store = wasmtime.Store(self._module.runtime)
        exports = wasmtime.Instance(store, self._module.compiled, []).exports(store)
        variables = {name: item for name, item in exports.items() if isinstance(item, wasmtime.Global)}
        major, minor = (variables[name].value(store) for name in ("abi_version", "abi_minor_version"))
        if major != ABI_VERSION:
            raise EngineError(
                NO_CODE,
                f"this engine speaks ABI {major}.{minor}, this binding speaks ABI {ABI_VERSION}: "
                "use a binding and an engine of one major version",
            )
        memory = exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        self._end = None
        self._store = store
        self._memory = memory
        self._functions = {name: item for name, item in exports.items() if isinstance(item, wasmtime.Func)}
        self._globals = {name: item for name, item in variables.items() if name.startswith("global:")}

    def _format_of(self, variable: wasmtime.Global) -> str:
        return _GLOBAL_FORMATS[str(variable.type(self._store).content)]

    def _call(self, name: str, data: bytes | str, before: tuple[float, ...] = (), after: tuple[float, ...] = ()) -> int:
        """Runs an export whose parameters `ptr, length` are between `before` and `after`."""
        content = data.encode() if isinstance(data, str) else data
        ptr = self._run("reserve", len(content))
        # An address is unsigned, and comes as a signed i32.
        self._memory.write(self._store, content, ptr & 0xFFFFFFFF)
        return int(self._run(name, *before, ptr, len(content), *after))

    def _run(self, name: str, *arguments: float) -> Any:
        self._check_alive()
        try:
            return self._functions[name](self._store, *arguments)
        except wasmtime.Trap as trap:
            message = self._text(self._functions["trap_message"](self._store))
            self._end = EngineTrapError(
                NO_CODE, f"the engine stopped: {message or trap.message}; discard it and list again"
            )
            raise self._end from trap

    def _check_alive(self) -> None:
        """Every call after a trap fails as the one that trapped."""
        if self._end is not None:
            raise self._end

    def _check(self, code: int) -> ErrorCode:
        if code not in (ErrorCode.OK, ErrorCode.UNREADABLE_OBJECT):
            raise EngineError(code, self._last_error())
        return ErrorCode(code)

    def _last_error(self) -> str:
        return self._text(self._run("last_error"))

    def _result(self, ptr: int, refusal: ErrorCode = ErrorCode.BAD_JSON) -> bytes:
        """A copy of a result: `u32 length` followed by that many bytes. 0 means a refused call, which has one
        code.
        """
        if ptr == 0:
            raise EngineError(refusal, self._last_error())
        start = (ptr & 0xFFFFFFFF) + 4
        length = int.from_bytes(self._memory.read(self._store, start - 4, start), "little")
        return bytes(self._memory.read(self._store, start, start + length))

    def _text(self, ptr: int, refusal: ErrorCode = ErrorCode.BAD_JSON) -> str:
        return self._result(ptr, refusal).decode()


def _no_save(why: str) -> EngineError:
    return EngineError(NO_CODE, f"this is no save of an engine: it {why}")


def _read_request(frame: bytes, at: int) -> tuple[EngineRequest, int]:
    """The request of a poll frame that starts at a byte, and where the next one starts."""
    request_id, method, *lengths, decision = _REQUEST_HEAD.unpack_from(frame, at)
    at += _REQUEST_HEAD.size
    parts = []
    for length in lengths:
        parts.append(frame[at : at + length])
        at += length
    path, accept, content_type, body = parts
    request = EngineRequest(
        int(request_id), METHODS[method], path.decode(), accept.decode(), content_type.decode(), body, decision
    )
    return request, (at + 7) & ~7
