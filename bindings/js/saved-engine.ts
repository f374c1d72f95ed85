/** What a saved engine consists of, and how it is put back. Leaves out its form as bytes (save.ts). */
import { EngineError } from "./engine-error.ts";

const PAGE_BYTES = 65_536;

/** A saved engine. It can be restored only into the same module, and then continues bit for bit. */
export interface SavedEngine {
  readonly moduleSha256: string;
  readonly memory: Uint8Array;
  readonly globals: Readonly<Record<string, number | bigint>>;
}

/** @throws EngineError when the save is of another module, or its module is unknown */
export function checkSave(saved: SavedEngine, moduleSha256: string, globals: number): void {
  if (moduleSha256 === "")
    throw new EngineError(
      -1,
      "the engine was created without the SHA-256 of its module, so it is not known whose saves are its own; give it to Engine.create",
    );
  if (saved.moduleSha256 !== moduleSha256) {
    throw new EngineError(
      -1,
      `the save is of module ${saved.moduleSha256}, this is module ${moduleSha256}: a save restores only into the module it came from`,
    );
  }
  const given = Object.keys(saved.globals).length;
  if (given !== globals)
    throw new EngineError(
      -1,
      `the save was made by another build: it has ${given} globals, this module has ${globals}`,
    );
}

/** Copies the saved state into a fresh instance. */
export function fill(
  memory: WebAssembly.Memory,
  globals: readonly (readonly [string, WebAssembly.Global])[],
  saved: SavedEngine,
): void {
  const missing = saved.memory.byteLength - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  new Uint8Array(memory.buffer).set(saved.memory);
  for (const [name, global] of globals) global.value = saved.globals[name];
}
