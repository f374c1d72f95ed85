"""An engine with requests under way, of test/vectors/save/, as bytes: they are JavaScript's, and this engine continues
what JavaScript has saved.
"""

import pytest

from built_engine import VECTORS, engine_module, read_built
from plain_json import Json, JsonObject, parse
from stint import NO_CODE, Engine, EngineError, EngineRequest, HostState, IngestKind

VECTOR: JsonObject = parse((VECTORS / "save" / "two-jobs.json").read_bytes())
COMMAND = "node_modules/.bin/node scripts/vector-digests.ts"


def play_to_save() -> tuple[Engine, HostState]:
    engine = Engine.create(engine_module())
    engine.configure(VECTOR["configuration"])
    engine.set_clock_offset(VECTOR["clockOffsetMs"])
    for item in VECTOR["ingest"]:
        engine.ingest(item["source"], IngestKind(item["kind"]), item["text"], item["nowMs"])
    call = VECTOR["poll"]
    requests = engine.poll(call["nowMs"], call["maxRequests"]).requests
    return engine, HostState(call["nowMs"], tuple(request.id for request in requests))


def go_on(engine: Engine, host: HostState) -> list[EngineRequest]:
    now_ms, most = VECTOR["goOn"]["nowMs"], VECTOR["goOn"]["maxRequests"]
    for request in host.open_requests:
        engine.settle(request, 0, -1, b"", now_ms)
    return engine.poll(now_ms, most).requests + engine.poll(now_ms + 10_000, most).requests


def test_a_save_has_the_bytes_of_javascript_and_each_restores_the_other() -> None:
    engine, host = play_to_save()
    own = engine.save_bytes(host)
    javascripts = read_built("saved-engine.bin", COMMAND)
    assert own == javascripts, f"the saves differ; if the engine is newer: run `{COMMAND}`"
    restored = Engine.create(engine_module())
    assert restored.restore_bytes(javascripts) == HostState(VECTOR["poll"]["nowMs"], tuple(VECTOR["openRequests"]))
    following = go_on(restored, host)
    assert following
    assert following == go_on(engine, host)


def changed(data: bytes, at: int, part: bytes) -> bytes:
    return data[:at] + part + data[at + len(part) :]


def test_bytes_that_are_no_whole_save_are_refused_and_change_nothing() -> None:
    engine, host = play_to_save()
    data = engine.save_bytes(host)
    fewer = changed(data[:64] + data[80:], 12, bytes([data[12] - 1]))
    cases: list[tuple[bytes, str]] = [
        (data[:63], "does not begin as one"),
        (changed(data, 0, b"s"), "does not begin as one"),
        (changed(data, 8, b"\x02"), "is of format 2, this binding reads format 1"),
        (data[:-1], f"has {len(data) - 1} bytes, and should have {len(data)}"),
        (changed(data, 56, b"\x09"), f"has {len(data)} bytes, and should have {len(data) + 7 * 8}"),
        (changed(data, 64, b"\x02"), "has a global of kind 2; allowed are 0 and 1"),
        (changed(data, 64, bytes([data[64] ^ 1])), "has a global of another type than this module"),
        (fewer, "globals, this module has"),
    ]
    for damaged, sentence in cases:
        with pytest.raises(EngineError, match="^this is no save of an engine: it .*") as caught:
            engine.restore_bytes(damaged)
        assert caught.value.code == NO_CODE
        assert sentence in str(caught.value)
    with pytest.raises(EngineError, match=f"^the save is of module {'ff' * 32}, this is module "):
        engine.restore_bytes(changed(data, 16, b"\xff" * 32))
    assert engine.save_bytes(host) == data
