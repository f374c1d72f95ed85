/**
 * All vectors as calls, for hosts that have no API server to play them against: bindings/ABI.md, "Testing a host".
 *
 * Invariant: what is written depends on nothing but the module and the vectors. Leaves out the cases of
 * test/vectors/engine/ whose decisions have a number above 2^53: languages write such numbers in different ways.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Engine, Explanation, PollResult } from "../bindings/js/engine.ts";
import type { EngineMetrics } from "../bindings/js/metrics.ts";
import { Recorder } from "../bindings/js/recorder.ts";
import { engineModule, type LoadedVector, loadVectors, newEngine } from "../test/bindings/js/vector-files.ts";
import { runVector } from "../test/bindings/js/vector-runner.ts";

/** The state of an engine at its end. */
export interface Readings {
  /** By `<namespace>/<name>`. */
  readonly explanations: Readonly<Record<string, Explanation>>;
  readonly metrics: EngineMetrics;
}

/** The engine's result for one question: `answer` is the text of the frame, or it gave a `refusal`. */
export interface Answer {
  readonly question: Question;
  readonly input: string;
  /** That of the engine; absent: it was not configured. */
  readonly configuration?: object;
  /** Absent: the question has no time. */
  readonly now?: number;
  readonly answer?: string;
  readonly refusal?: string;
}

type Question = "review" | "verdict" | "account" | "lint" | "forecast";

type RawExports = { readonly memory: WebAssembly.Memory } & Readonly<
  Record<Question | "configure" | "reserve" | "last_error", (...parameters: readonly number[]) => number>
>;

/** A case of the vectors that asks a question. */
interface AskingCase {
  readonly configuration?: object;
  readonly review?: object;
  readonly input?: object;
  readonly text?: string;
  readonly nowMs?: number;
}

const vectorFolder = path.resolve(import.meta.dirname, "../test/vectors");
const FOLDERS = {
  admission: "review",
  verdict: "verdict",
  account: "account",
  lint: "lint",
  forecast: "forecast",
} as const;
/** Jobs of the vectors rarely have other names. */
const JOBS = ["j", "k"];

/** The lines of one recording with all cases, and the readings of its engines, in the order of their `configure`. */
export async function recordVectors(): Promise<{ readonly lines: readonly string[]; readonly readings: Readings[] }> {
  const lines: string[] = [];
  const engines: Engine[] = [];
  const recorder = new Recorder({ write: (line) => lines.push(line), sha256 });
  const newRecorded = async (): Promise<Engine> => {
    const engine = await newEngine();
    engines.push(engine);
    const reading: Pick<Engine, "explain" | "metrics"> = {
      explain: (...parameters) => engine.explain(...parameters),
      metrics: () => engine.metrics(),
    };
    return Object.assign(recorder.record(engine), reading) as Engine;
  };
  for (const loaded of loadVectors()) {
    if (await isPlain(loaded)) await runVector(loaded.vector, loaded.objects, { newEngine: newRecorded });
  }
  recorder.end();
  return { lines, readings: engines.map(readingsOf) };
}

/** The engine's answers to all vectors of admission, verdict, account, lint and forecast. */
export function answerVectors(): Answer[] {
  const unconfigured = new RawEngine();
  return Object.entries(FOLDERS).flatMap(([folder, question]) =>
    askingCases(path.join(vectorFolder, folder)).map((asking) => {
      const { configuration } = asking;
      if (configuration === undefined) return unconfigured.answerTo(question, asking);
      return { ...new RawEngine(configuration).answerTo(question, asking), configuration };
    }),
  );
}

function readingsOf(engine: Engine): Readings {
  const explanations = JOBS.map((job) => [`default/${job}`, engine.explain("default", job)] as const);
  return { explanations: Object.fromEntries(explanations), metrics: engine.metrics() };
}

async function isPlain({ vector, objects }: LoadedVector): Promise<boolean> {
  let plain = true;
  const observe = (output: unknown): void => {
    for (const decision of (output as Partial<PollResult>).decisions ?? []) {
      const numbers = [decision.nextMs ?? 0, ...Object.values(decision.numbers)];
      plain &&= numbers.every((number) => Math.abs(number) <= Number.MAX_SAFE_INTEGER);
    }
  };
  await runVector(vector, objects, { newEngine, observe });
  return plain;
}

function askingCases(folder: string): AskingCase[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.toSorted().flatMap((file) => {
    const content = JSON.parse(readFileSync(path.join(folder, file), "utf8")) as AskingCase[] | { cases: AskingCase[] };
    return Array.isArray(content) ? content : content.cases;
  });
}

/** Bypasses the binding, which would parse the answer: numbers above 2^53 keep their digits. */
class RawEngine {
  readonly #exports = new WebAssembly.Instance(engineModule, {}).exports as unknown as RawExports;

  constructor(configuration?: object) {
    if (configuration === undefined) return;
    const [at, length] = this.#passIn(JSON.stringify(configuration));
    if (this.#exports.configure(at, length) !== 0) throw new Error(this.#text(this.#exports.last_error()));
  }

  answerTo(question: Question, { review, text, input, nowMs }: AskingCase): Answer {
    const envelope = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: review };
    const asked = text ?? JSON.stringify(question === "review" ? envelope : input);
    const [at, length] = this.#passIn(asked);
    const frame = this.#exports[question](at, length, nowMs ?? 0) >>> 0;
    const said = frame === 0 ? { refusal: this.#text(this.#exports.last_error()) } : { answer: this.#text(frame) };
    return { question, input: asked, ...(nowMs === undefined ? {} : { now: nowMs }), ...said };
  }

  #passIn(text: string): [at: number, length: number] {
    const bytes = new TextEncoder().encode(text);
    const at = this.#exports.reserve(bytes.length) >>> 0;
    new Uint8Array(this.#exports.memory.buffer).set(bytes, at);
    return [at, bytes.length];
  }

  #text(frame: number): string {
    const { buffer } = this.#exports.memory;
    const length = new DataView(buffer).getUint32(frame >>> 0, true);
    return new TextDecoder().decode(new Uint8Array(buffer, (frame >>> 0) + 4, length));
  }
}

function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
