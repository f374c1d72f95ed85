/**
 * Writes build/vector-digests.json: one SHA-256 for each case of test/vectors/engine/, over everything that the engine
 * hands out. The bindings of other languages play the same vectors and compare: the same module gives the same bytes
 * everywhere. build/saved-engine.bin is the save of test/vectors/save/, which they write too, and restore. The vectors
 * as calls (vector-recording.ts) are build/vectors.recording.jsonl, vectors.readings.json and vectors.answers.jsonl.
 *
 * Every request counts, Events too, in the order of the polls: method, path, Accept, Content-Type and body, each as
 * `<bytes>:` and then the bytes. Leaves out decisions and wake-up times, which the vectors themselves pin where they
 * matter.
 */
import { createHash, type Hash } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { EngineRequest, PollResult } from "../bindings/js/engine.ts";
import { saveBytes } from "../bindings/js/save.ts";
import { loadSaveVector, playToSave } from "../test/bindings/js/saved-engine.ts";
import { type LoadedVector, loadVectors, moduleSha256, newEngine } from "../test/bindings/js/vector-files.ts";
import { runVector } from "../test/bindings/js/vector-runner.ts";
import { answerVectors, recordVectors } from "./vector-recording.ts";

/** The content of build/vector-digests.json. */
interface VectorDigests {
  /** SHA-256 of the module. The digests are valid only for this one. */
  readonly moduleSha256: string;
  /** Lower-case hexadecimal by `<file>: <name of the case>`. */
  readonly cases: Readonly<Record<string, string>>;
}

function isPollResult(output: unknown): output is PollResult {
  return typeof output === "object" && output !== null && "requests" in output;
}

function addRequest(hash: Hash, { method, path, accept, contentType, body }: EngineRequest): void {
  for (const part of [method, path, accept, contentType, body].map((part) =>
    Buffer.from(part as string | Uint8Array),
  )) {
    hash.update(`${part.length}:`).update(part);
  }
}

async function digestOf({ vector, objects }: LoadedVector): Promise<string> {
  const hash = createHash("sha256");
  await runVector(vector, objects, {
    newEngine,
    observe: (output) => {
      if (isPollResult(output)) for (const request of output.requests) addRequest(hash, request);
    },
  });
  return hash.digest("hex");
}

function writeBuilt(name: string, content: string | Uint8Array): void {
  const file = path.resolve(import.meta.dirname, "../build", name);
  writeFileSync(`${file}.${process.pid}`, content);
  renameSync(`${file}.${process.pid}`, file);
}

function jsonLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

const cases: Record<string, string> = {};
for (const loaded of loadVectors()) {
  const name = `${loaded.file}: ${loaded.vector.name}`;
  try {
    cases[name] = await digestOf(loaded);
  } catch (error) {
    throw new Error(`the vector "${name}" does not pass; no digests were written`, { cause: error });
  }
}
const digests: VectorDigests = { moduleSha256, cases };
writeBuilt("vector-digests.json", `${JSON.stringify(digests, null, 2)}\n`);
const { engine, host } = await playToSave(loadSaveVector());
writeBuilt("saved-engine.bin", saveBytes(engine, host));
const { lines, readings } = await recordVectors();
writeBuilt("vectors.recording.jsonl", jsonLines(lines));
writeBuilt("vectors.readings.json", JSON.stringify(readings));
writeBuilt("vectors.answers.jsonl", jsonLines(answerVectors().map((answer) => JSON.stringify(answer))));
