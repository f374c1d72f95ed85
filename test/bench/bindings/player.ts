/**
 * Makes the calls of a recording, or puts the questions of a file of answers, with the JavaScript binding, and says how
 * long they took: `player.ts ENGINE replay|answers FILE`. Those of other languages do the same. Compares nothing.
 */
import { readFileSync } from "node:fs";
import { Engine, type EngineConfiguration, type IngestKind } from "../../../bindings/js/engine.ts";

/** A line of either file: each has some of these. */
interface Entry {
  readonly call: string;
  readonly question: string;
  readonly configuration: EngineConfiguration;
  readonly offsetMs: number;
  readonly now: number;
  readonly source: number;
  readonly kind: IngestKind;
  readonly text: string;
  readonly input: string;
  readonly id: number;
  readonly status: number;
  readonly retryAfterMs: number;
  readonly max: number;
}

const [enginePath, , file] = process.argv.slice(2) as [string, string, string];
const wasm = readFileSync(enginePath);
const lines = readFileSync(file, "utf8").trim().split("\n");
const entries = lines.map((line) => JSON.parse(line) as Entry);

const started = performance.now();
const engine = await Engine.create(wasm);
const startMs = performance.now() - started;

function play(entry: Entry): void {
  const { call, question, now, source, kind, text, id, status, retryAfterMs, max, offsetMs, configuration, input } =
    entry;
  if (question === "review") engine.review(input);
  else if (call === "configure") engine.configure(configuration);
  else if (call === "clock") engine.setClockOffset(offsetMs);
  else if (call === "ingest") engine.ingest(source, kind, text, now);
  else if (call === "settle") engine.settle(id, status, retryAfterMs, text, now);
  else if (call === "poll") engine.poll(now, max);
}

let spentMs = 0;
for (const entry of entries) {
  const start = performance.now();
  play(entry);
  spentMs += performance.now() - start;
}
console.error(`started in ${startMs.toFixed(3)} ms, ${spentMs.toFixed(3)} ms in engines`);
