/**
 * Files inside the single executable, which has no folder beside it: the engine, the documents that `stint explain`
 * prints, the descriptions of fields. Elsewhere there are none, and these files are read from their folders.
 */

/** Deno and Bun have no such module. */
const sea = process.getBuiltinModule?.("node:sea") as typeof import("node:sea") | undefined;

/** Whether this program is a single executable, which is its own Node. */
export const isSingleExecutable: boolean = sea?.isSea() ?? false;

/** @param name as `scripts/release/executable/make.ts` has put it in: `engine.wasm`, `docs/lint.md` */
export function embeddedFile(name: string): Buffer<ArrayBuffer> | undefined {
  return isSingleExecutable ? Buffer.from(sea!.getRawAsset(name) as ArrayBuffer) : undefined;
}
