/**
 * The vectors of test/vectors/engine/ and fresh engines to play them on: one compiled module serves a whole test file.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Engine } from "../../../bindings/js/engine.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import type { VectorCase, VectorFile } from "./vector-types.ts";

const folder = path.resolve(import.meta.dirname, "../../vectors/engine");
const OBJECTS_FILE = "objects.json";

/** One vector with the objects that it may start from. */
export interface LoadedVector {
  readonly file: string;
  readonly vector: VectorCase;
  readonly objects: Readonly<Record<string, JsonObject>>;
}

function read(file: string): VectorFile {
  return JSON.parse(readFileSync(path.join(folder, file), "utf8")) as VectorFile;
}

/** Every vector, in the order of files and cases. */
export function loadVectors(): LoadedVector[] {
  const shared = read(OBJECTS_FILE).objects ?? {};
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".json") && file !== OBJECTS_FILE)
    .sort();
  return files.flatMap((file) => {
    const { objects, cases } = read(file);
    return cases.map((vector) => ({ file, vector, objects: { ...shared, ...objects } }));
  });
}

const built = await buildModule("engine");
export const engineModule = await WebAssembly.compile(readFileSync(modulePath("engine")));

/** SHA-256 of the module, which ties saves to it. */
export const moduleSha256 = built.sha256;

export function newEngine(): Promise<Engine> {
  return Engine.create(engineModule, moduleSha256);
}
