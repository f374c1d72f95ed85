"""Plays the recording of all vectors that scripts/vector-digests.ts writes (bindings/ABI.md, "Recordings"): every call
ends as in JavaScript, and each engine explains and counts the same at its end.
"""

import hashlib
import json
import math
from typing import Any

from built_engine import engine_module, read_built
from stint import Engine, EngineError, IngestKind, PollResult

COMMAND = "node_modules/.bin/node scripts/vector-digests.ts"


def built_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in read_built(name, COMMAND).splitlines()]


def code_of(engine: Engine, entry: dict[str, Any]) -> int:
    try:
        match entry["call"]:
            case "configure":
                engine.configure(entry["configuration"])
                return 0
            case "ingest":
                return engine.ingest(entry["source"], IngestKind(entry["kind"]), entry["text"], entry["now"])
            case "settle":
                return engine.settle(
                    entry["id"], entry["status"], entry["retryAfterMs"], entry["text"], entry["now"]
                )
            case call:
                raise AssertionError(f"there is no call {call}")
    except EngineError as error:
        return error.code


def short_form(result: PollResult) -> dict[str, Any]:
    """As a recording has it."""
    requests: list[list[Any]] = []
    for request in result.requests:
        text = f"{request.id}\n{request.accept}\n{request.content_type}\n".encode() + request.body
        short: list[Any] = [request.method, request.path, hashlib.sha256(text).hexdigest()]
        requests.append(short if request.decision == 0 else [*short, request.decision])
    wake_up = None if math.isinf(result.next_wake_up_ms) else result.next_wake_up_ms
    decisions = json.dumps(result.decisions, separators=(",", ":"), ensure_ascii=False).encode()
    digest = {"decisions": hashlib.sha256(decisions).hexdigest()} if result.decisions else {}
    return {"requests": requests, "wakeUp": wake_up, **digest}


def test_a_recording_ends_as_in_javascript() -> None:
    header, *entries = built_lines("vectors.recording.jsonl")
    assert header["module"] == engine_module().sha256, f"the recording is of another engine: run `{COMMAND}`"
    readings = json.loads(read_built("vectors.readings.json", COMMAND))
    engine: Engine | None = None
    engines = 0
    for at, entry in enumerate(entries, 2):
        if engine is not None and entry["call"] in ("configure", "end"):
            for name, explanation in readings[engines - 1]["explanations"].items():
                assert engine.explain(*name.split("/")) == explanation, (engines, name)
            assert engine.metrics() == readings[engines - 1]["metrics"], engines
            engine.close()
        if entry["call"] == "end":
            break
        if entry["call"] == "configure":
            engine = Engine.create(engine_module())
            engines += 1
        assert engine is not None
        if entry["call"] == "poll":
            outcome = short_form(engine.poll(entry["now"], entry["max"]))
            recorded = {name: entry[name] for name in ("requests", "wakeUp", "decisions") if name in entry}
            assert outcome == recorded, f"line {at}"
        elif entry["call"] == "clock":
            engine.set_clock_offset(entry["offsetMs"])
        else:
            assert code_of(engine, entry) == entry["code"], f"line {at}"
    assert engines == len(readings) > 500


def test_answers_are_those_of_javascript() -> None:
    unconfigured = Engine.create(engine_module())
    answers = built_lines("vectors.answers.jsonl")
    assert len(answers) > 1600
    for entry in answers:
        engine = unconfigured
        if "configuration" in entry:
            engine = Engine.create(engine_module())
            engine.configure(entry["configuration"])
        try:
            if entry["question"] == "review":
                assert engine.review(entry["input"]) == entry["answer"]
            else:
                said = getattr(engine, entry["question"])(entry["input"], entry["now"])
                assert said == json.loads(entry["answer"])
        except EngineError as error:
            assert str(error) == entry.get("refusal"), entry["input"]
        else:
            assert "refusal" not in entry, entry["input"]
        finally:
            if engine is not unconfigured:
                engine.close()
