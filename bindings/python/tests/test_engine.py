"""The binding itself: what crosses the boundary, in both directions, on the built engine. Leaves out what the
controller decides: that is in the vectors; here a decision is only something to carry.
"""

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
import wasmtime

from built_engine import REPOSITORY, engine_module, read_built
from plain_json import Json, JsonObject, parse, render
from stint import (
    ABI_VERSION,
    NO_CODE,
    Engine,
    EngineClosedError,
    EngineConfiguration,
    EngineError,
    EngineModule,
    EngineTrapError,
    ErrorCode,
    IngestKind,
    SavedEngine,
    StintError,
)

JOBS = 3
PODS = 7
CONFIGURATION: EngineConfiguration = {
    "instance": "test",
    "sources": [{"id": JOBS, "resource": "jobs"}, {"id": PODS, "resource": "pods"}],
}
NOW = 1767312000000
MAX_INPUT_BYTES = 64 * 1024 * 1024


def configured() -> Engine:
    engine = Engine.create(engine_module())
    engine.configure(CONFIGURATION)
    return engine


def synced(*, jobs: list[JsonObject] | None = None, pods: list[JsonObject] | None = None) -> Engine:
    """An engine that knows these objects, listed at version 100."""
    engine = configured()
    for source, items in ((JOBS, jobs), (PODS, pods)):
        engine.ingest(source, IngestKind.LIST_BEGIN, b"", NOW)
        engine.ingest(source, IngestKind.PAGE, list_of(source, items or []), NOW)
        engine.ingest(source, IngestKind.LIST_END, b"", NOW)
    return engine


def list_of(source: int, items: list[JsonObject], continue_token: str = "") -> str:
    return render(
        {
            "kind": "JobList" if source == JOBS else "PodList",
            "metadata": {"resourceVersion": "100", "continue": continue_token},
            "items": items,
        }
    )


def job(name: str, version: int = 50, **spec: Json) -> JsonObject:
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "c", "image": "busybox"}], "restartPolicy": "Never"},
    }
    return {
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"uid-{name}",
            "resourceVersion": str(version),
            "generation": 1,
        },
        "spec": {"parallelism": 3, "completions": 3, "backoffLimit": 6, "template": template, **spec},
        "status": {},
    }


def pod(name: str, owner: str, version: int = 60) -> JsonObject:
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"uid-{name}",
            "resourceVersion": str(version),
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "ownerReferences": [
                {"apiVersion": "batch/v1", "kind": "Job", "name": owner, "uid": f"uid-{owner}", "controller": True}
            ],
        },
        "status": {"phase": "Running"},
    }


def line(event_type: str, item: JsonObject) -> str:
    return f"{render({'type': event_type, 'object': item})}\n"


def error_of(call: Callable[[], object]) -> EngineError:
    with pytest.raises(EngineError) as caught:
        call()
    return caught.value


class TestCreate:
    def test_refuses_an_engine_of_another_major_version_naming_both(self) -> None:
        other = wasmtime.wat2wasm(
            f'(module (global (export "abi_version") i32 (i32.const {ABI_VERSION + 1}))'
            ' (global (export "abi_minor_version") i32 (i32.const 4)))'
        )
        error = error_of(lambda: Engine.create(bytes(other)))
        assert error.code == NO_CODE
        assert str(error).startswith(
            f"this engine speaks ABI {ABI_VERSION + 1}.4, this binding speaks ABI {ABI_VERSION}:"
        )

    def test_takes_bytes_and_a_compiled_module(self) -> None:
        wasm = read_built("engine.wasm", "npm run build")
        assert Engine.create(wasm).metrics()["jobs"] == 0
        assert Engine.create(EngineModule(wasm)).metrics()["jobs"] == 0

    def test_asks_for_a_build_when_there_is_no_module(self) -> None:
        with pytest.raises(
            FileNotFoundError, match=r"^build/none\.wasm is missing: run `npm run build` in the repository$"
        ):
            read_built("none.wasm", "npm run build")

    def test_gives_engines_that_share_nothing(self) -> None:
        one, other = synced(jobs=[job("a")]), synced()
        assert one.explain("default", "a")["found"] is True
        assert other.explain("default", "a")["found"] is False


    def test_refuses_bytes_that_are_no_module(self) -> None:
        error = error_of(lambda: Engine.create(b"no module"))
        assert error.code == NO_CODE
        assert str(error).startswith("these 9 bytes are no Wasm module: ")


class TestClose:
    def test_with_closes_and_every_later_call_says_so(self) -> None:
        saved = synced(jobs=[job("a")]).save()
        with synced(jobs=[job("a")]) as engine:
            assert engine.explain("default", "a")["found"] is True
        for call in (
            engine.metrics,
            engine.save,
            lambda: engine.poll(NOW, 1),
            lambda: engine.restore(saved),
        ):
            error = error_of(call)
            assert isinstance(error, EngineClosedError)
            assert str(error) == "this engine is closed: make a new one"
        assert engine.memory_bytes == 0
        engine.close()

    def test_also_after_a_trap(self) -> None:
        with configured() as engine:
            error_of(lambda: engine.review(bytes(MAX_INPUT_BYTES + 1)))
        assert isinstance(error_of(engine.metrics), EngineClosedError)


class TestConfigure:
    def test_refuses_sources_that_show_the_same_objects(self) -> None:
        engine = Engine.create(engine_module())
        twice: EngineConfiguration = {
            "sources": [*CONFIGURATION["sources"], {"id": 9, "resource": "pods", "namespace": "a"}]
        }
        with pytest.raises(EngineError, match="7 and 9 both show pods of namespace a"):
            engine.configure(twice)
        engine.configure(CONFIGURATION)


class TestErrors:
    @pytest.mark.parametrize(
        ("call", "code", "message"),
        [
            (lambda engine: engine.configure({"sources": []}), ErrorCode.BAD_CONFIGURATION, "configured already"),
            (
                lambda engine: engine.ingest(9, IngestKind.LIST_BEGIN, "", NOW),
                ErrorCode.UNKNOWN_SOURCE,
                "no source of this id",
            ),
            (lambda engine: engine.ingest(JOBS, IngestKind.WATCH_LINES, "{}", NOW), ErrorCode.PARTIAL_LINE, "newline"),
            (
                lambda engine: engine.ingest(JOBS, IngestKind.WATCH_LINES, "{}\n", NOW),
                ErrorCode.BAD_JSON,
                "type or object is missing",
            ),
            (
                lambda engine: engine.ingest(JOBS, IngestKind.PAGE, list_of(JOBS, []), NOW),
                ErrorCode.OUT_OF_ORDER,
                "list",
            ),
            (lambda engine: engine.settle(1, 200, -1, "", NOW), ErrorCode.UNKNOWN_REQUEST, "no request of this id"),
            (lambda engine: engine.review("[]"), ErrorCode.BAD_JSON, "only an AdmissionReview"),
        ],
    )
    def test_of_refused_input_have_a_code_and_a_sentence(
        self, call: Callable[[Engine], object], code: ErrorCode, message: str
    ) -> None:
        engine = configured()
        error = error_of(lambda: call(engine))
        assert error.code == code
        assert message in str(error)

    def test_before_configure(self) -> None:
        engine = Engine.create(engine_module())
        assert error_of(lambda: engine.ingest(JOBS, IngestKind.LIST_BEGIN, "", NOW)).code == ErrorCode.NOT_CONFIGURED

    def test_of_a_trap_carry_the_engines_own_words(self) -> None:
        engine = configured()
        error = error_of(lambda: engine.ingest(PODS, IngestKind.PAGE, bytes(MAX_INPUT_BYTES + 1), NOW))
        assert error.code == NO_CODE
        assert re.fullmatch(
            r"the engine stopped: an input is larger than 64 MiB: pass smaller pages or fewer lines "
            r"\(assembly/abi/input\.ts:\d+\); discard it and list again",
            str(error),
        )
        assert isinstance(error, EngineTrapError)
        assert isinstance(error, StintError)
        assert isinstance(error.__cause__, wasmtime.Trap)

    def test_a_trap_of_the_machine_itself_stays(self) -> None:
        engine = configured()
        saved = engine.save()
        broken = {name: b"\xf0\xff\xff\x7f" if len(value) == 4 else value for name, value in saved.globals.items()}
        engine.restore(SavedEngine(saved.module_sha256, saved.memory, broken))
        trap = error_of(lambda: engine.poll(NOW, 1))
        assert re.match(r"the engine stopped: (?s:.+); discard it and list again$", str(trap))
        assert error_of(lambda: engine.poll(NOW, 1)) is trap
        assert error_of(engine.metrics) is trap
        assert error_of(engine.save) is trap
        engine.restore(saved)
        assert engine.poll(NOW, 1).requests == []

    @pytest.mark.parametrize("now", [1e300, float("inf"), float("nan"), -1, 0.5])
    def test_a_now_that_is_no_time(self, now: float) -> None:
        engine = synced(jobs=[job("a")])
        for call in (
            lambda: engine.poll(now, 1),
            lambda: engine.explain("default", "a", now),
            lambda: engine.ingest(JOBS, IngestKind.LIST_BEGIN, "", now),
        ):
            assert error_of(call).code == ErrorCode.BAD_TIME
        assert len(engine.poll(NOW, 1).requests) == 1

    def test_unreadable_objects_are_returned_for_the_others_are_there(self) -> None:
        engine = configured()
        engine.ingest(JOBS, IngestKind.LIST_BEGIN, "", NOW)
        page = list_of(JOBS, [job("a"), job("b", parallelism=-1), job("c")])
        assert engine.ingest(JOBS, IngestKind.PAGE, page, NOW) is ErrorCode.UNREADABLE_OBJECT
        assert engine.ingest(JOBS, IngestKind.LIST_END, "", NOW) is ErrorCode.OK
        assert [engine.explain("default", name)["state"] for name in "abc"] == ["Waiting", "Unreadable", "Waiting"]

    def test_an_answer_without_an_object_is_returned_as_unreadable(self) -> None:
        engine = synced(jobs=[job("a")])
        [request] = engine.poll(NOW, 10).requests
        assert engine.settle(request.id, 201, -1, "<html>", NOW) is ErrorCode.UNREADABLE_OBJECT


class TestLists:
    def test_tell_where_to_go_on(self) -> None:
        engine = configured()
        assert engine.watch_version(JOBS) == -1
        engine.ingest(JOBS, IngestKind.LIST_BEGIN, "", NOW)
        engine.ingest(JOBS, IngestKind.PAGE, list_of(JOBS, [], 'to"ken/+=ü'), NOW)
        assert engine.list_continue(JOBS) == 'to"ken/+=ü'
        engine.ingest(JOBS, IngestKind.PAGE, list_of(JOBS, []), NOW)
        assert engine.list_continue(JOBS) == ""
        engine.ingest(JOBS, IngestKind.LIST_END, "", NOW)
        engine.ingest(JOBS, IngestKind.WATCH_LINES, line("ADDED", job("a", 2**53 - 1)), NOW)
        assert engine.watch_version(JOBS) == 2**53 - 1
        engine.ingest(JOBS, IngestKind.WATCH_LINES, line("ERROR", {"kind": "Status", "code": 410}), NOW)
        assert engine.watch_version(JOBS) == -1

    def test_take_text_and_bytes_alike_beyond_ascii(self) -> None:
        engine = synced()
        engine.ingest(JOBS, IngestKind.LIST_BEGIN, "", NOW)
        engine.ingest(JOBS, IngestKind.PAGE, list_of(JOBS, [job("a", managedBy="example.com/größe")]), NOW)
        engine.ingest(JOBS, IngestKind.PAGE, list_of(JOBS, [job("b", managedBy="example.com/größe")]).encode(), NOW)
        engine.ingest(JOBS, IngestKind.LIST_END, "", NOW)
        sentences = [decision["message"] for decision in engine.poll(NOW, 10).decisions]
        assert sentences == ["not run: spec.managedBy says that example.com/größe manages this Job"] * 2


class TestPoll:
    def test_gives_requests_the_next_wake_up_and_decisions(self) -> None:
        engine = synced(jobs=[job("a")])
        result = engine.poll(NOW, 10)
        [request] = result.requests
        assert (request.id, request.method, request.path) == (1, "POST", "/api/v1/namespaces/default/pods")
        assert request.decision == 1
        assert (request.accept, request.content_type) == ("application/json", "application/json")
        assert parse(request.body)["metadata"]["generateName"] == "a-"
        assert result.next_wake_up_ms == math.inf
        assert result.decisions == [
            {
                "id": 1,
                "atMs": NOW,
                "namespace": "default",
                "job": "a",
                "uid": "uid-a",
                "code": "Creating",
                "message": "creating 3 pods: 0 of 3 wanted active, 0 succeeded",
                "nextMs": None,
                "numbers": {"pods": 3, "active": 0, "wanted": 3, "succeeded": 0},
            }
        ]
        assert (engine.poll(NOW, 10).requests, engine.poll(NOW, 10).decisions) == ([], [])

    def test_reads_many_requests_of_all_lengths_from_one_frame(self) -> None:
        names = ["n" * length for length in range(1, 21)]
        result = synced(jobs=[job(name) for name in names]).poll(NOW, 100)
        assert sorted(parse(request.body)["metadata"]["generateName"] for request in result.requests) == [
            f"{name}-" for name in names
        ]
        assert len({request.id for request in result.requests}) == len(result.decisions) == 20

    def test_hands_out_no_more_than_there_is_room_for(self) -> None:
        engine = synced(jobs=[job(name) for name in "abc"])
        assert [len(engine.poll(NOW, room).requests) for room in (0, 2, 2, 2)] == [0, 2, 1, 0]

    def test_gives_times_on_both_clocks(self) -> None:
        engine = synced(jobs=[job("a")])
        engine.set_clock_offset(5_000)
        assert engine.poll(NOW, 0).decisions[0]["atMs"] == NOW + 5_000


class TestMemory:
    def test_that_grows_in_the_middle_of_a_call_leaves_everything_readable(self) -> None:
        engine = synced(jobs=[job("a")])
        [request] = engine.poll(NOW, 10).requests
        before = engine.memory_bytes
        # Larger than all memory so far: reserve has to grow it between the measuring and the writing of the input.
        page = list_of(PODS, [pod(f"pod-{number}", "a", 200 + number) for number in range(20_000)])
        assert len(page) > before
        engine.ingest(PODS, IngestKind.LIST_BEGIN, "", NOW)
        engine.ingest(PODS, IngestKind.PAGE, page, NOW)
        assert engine.metrics()["pods"] == 20_000
        assert engine.metrics()["memoryBytes"] == engine.memory_bytes > before
        assert parse(request.body)["kind"] == "Pod"


class TestSave:
    def test_goes_on_byte_for_byte_also_in_an_engine_that_was_used(self) -> None:
        original = synced(jobs=[job("a"), job("b")], pods=[pod("p", "a")])
        original.poll(NOW, 1)
        saved = original.save()
        fresh, used = Engine.create(engine_module()), configured()
        used.ingest(PODS, IngestKind.WATCH_LINES, line("ADDED", pod("q", "b")) * 10_000, NOW)
        assert used.memory_bytes > len(saved.memory)
        for copy in (fresh, used):
            copy.restore(saved)
            assert copy.save() == saved
        expected = self.go_on(original)
        for copy in (fresh, used):
            assert self.go_on(copy) == expected
            assert copy.save() == original.save()

    def test_restores_into_an_instance_with_less_memory(self) -> None:
        original, fresh = synced(jobs=[job("b")]), Engine.create(engine_module())
        self.go_on(original)
        assert original.memory_bytes > fresh.memory_bytes
        fresh.restore(original.save())
        assert fresh.save() == original.save()

    def test_restores_an_engine_that_has_trapped(self) -> None:
        engine = synced(jobs=[job("a")])
        saved = engine.save()
        error_of(lambda: engine.review(bytes(MAX_INPUT_BYTES + 1)))
        engine.restore(saved)
        assert engine.save() == saved
        assert len(engine.poll(NOW, 10).requests) == 1

    def test_of_another_module_is_refused_and_nothing_has_changed(self) -> None:
        engine = synced(jobs=[job("a")])
        before = engine.save()
        error = error_of(lambda: engine.restore(replace(before, module_sha256="another")))
        assert error.code == NO_CODE
        assert "the save is of module another, this is module" in str(error)
        assert engine.save() == before

    def go_on(self, engine: Engine) -> list[object]:
        first = engine.poll(NOW, 10)
        for request in first.requests:
            engine.settle(request.id, 409, -1, '{"message":"no"}', NOW + 5)
        engine.ingest(
            PODS,
            IngestKind.WATCH_LINES,
            "".join(line("ADDED", pod(f"q-{i}", "b", 300 + i)) for i in range(5_000)),
            NOW + 10,
        )
        return [first, engine.poll(NOW + 100_000, 4096), engine.explain("default", "b"), engine.metrics()]


class TestAbi:
    """bindings/ABI.md lists the same numbers as this binding."""

    @pytest.mark.parametrize(("heading", "numbers"), [("Codes", ErrorCode), ("ingest", IngestKind)])
    def test_numbers(self, heading: str, numbers: type[ErrorCode] | type[IngestKind]) -> None:
        document = (REPOSITORY / "bindings" / "ABI.md").read_text(encoding="utf-8")
        section = document.split(f"\n## {heading}\n")[1].split("\n## ")[0]
        listed = {
            re.sub(r"-|(?=[A-Z])", "_", name).upper(): int(number)
            for number, name in re.findall(r"^\| (\d+) \| ([\w-]+) \|", section, re.M)
        }
        assert listed == {member.name: member.value for member in numbers}
