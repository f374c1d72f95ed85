/**
 * Finds and compiles the engine: `engine.wasm` lies inside the single executable, beside the bundled command, and in
 * `build/` of a source tree.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { embeddedFile } from "./embedded-file.ts";

export interface EngineModule {
  readonly module: WebAssembly.Module;
  /** SHA-256 of the file, in lower-case hex. A saved engine names its module by it. */
  readonly sha256: string;
}

const CANDIDATES = ["./engine.wasm", "../build/engine.wasm"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** @throws Error naming the places that were tried. */
export async function loadEngineModule(): Promise<EngineModule> {
  const embedded = embeddedFile("engine.wasm");
  if (embedded !== undefined) return compiled(embedded);
  for (const path of CANDIDATES) {
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return undefined;
    });
    if (bytes === undefined) continue;
    return compiled(bytes);
  }
  throw new Error(
    `there is no engine.wasm; it was looked for at ${CANDIDATES.join(" and ")}. In a source tree, \`npm run build\` makes it`,
  );
}

async function compiled(bytes: Buffer<ArrayBuffer>): Promise<EngineModule> {
  return { module: await WebAssembly.compile(bytes), sha256: createHash("sha256").update(bytes).digest("hex") };
}
