"""Makes the calls of a recording, or puts the questions of a file of answers, with the Python binding, and says how
long they took: `player.py ENGINE replay|answers FILE`. Those of other languages do the same. Compares nothing.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from stint import Engine, IngestKind


def play(engine: Engine, entry: dict[str, Any]) -> None:
    match entry.get("call", entry.get("question")):
        case "review":
            engine.review(entry["input"])
        case "configure":
            engine.configure(entry["configuration"])
        case "clock":
            engine.set_clock_offset(entry["offsetMs"])
        case "ingest":
            engine.ingest(entry["source"], IngestKind(entry["kind"]), entry["text"], entry["now"])
        case "settle":
            engine.settle(entry["id"], entry["status"], entry["retryAfterMs"], entry["text"], entry["now"])
        case "poll":
            engine.poll(entry["now"], entry["max"])


def main() -> None:
    engine_path, _, file = sys.argv[1:]
    wasm = Path(engine_path).read_bytes()
    entries = [json.loads(line) for line in Path(file).read_text().splitlines()]
    start = time.perf_counter()
    engine = Engine.create(wasm)
    start_ms = (time.perf_counter() - start) * 1000
    spent_ms = 0.0
    for entry in entries:
        start = time.perf_counter()
        play(engine, entry)
        spent_ms += (time.perf_counter() - start) * 1000
    print(f"started in {start_ms:.3f} ms, {spent_ms:.3f} ms in engines", file=sys.stderr)


main()
