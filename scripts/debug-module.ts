/**
 * What a debug build adds to a compiled module: exports of globals, for save and restore, and a source map that is
 * still right afterwards.
 *
 * Invariant: only the section of exports changes, so every later byte moves by the same distance, and so does every
 * entry of the map, which has offsets in the module as columns of its one line.
 */
import { Reader, readSections, unsigned, writeSections } from "./wasm-sections.ts";

const EXPORT_SECTION = 7;
const GLOBAL = 3;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** An export of a module's global, by the index of the global in the module. */
export interface GlobalExport {
  readonly name: string;
  readonly index: number;
}

/** A source map of version 3, with the fields that are read here. */
export interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly (string | null)[];
  readonly mappings: string;
}

/**
 * The module with more exports.
 * @returns the module, and the distance in bytes by which its code has moved
 * @throws Error for a module without exports
 */
export function withGlobalExports(
  binary: Uint8Array,
  globals: readonly GlobalExport[],
): { readonly binary: Uint8Array<ArrayBuffer>; readonly moved: number } {
  const sections = readSections(binary);
  const exports = sections.find(({ id }) => id === EXPORT_SECTION);
  if (exports === undefined) throw new Error("the compiled module exports nothing; an engine exports its functions");
  const count = new Reader(exports.body).number();
  const added = globals.flatMap(({ name, index }) => {
    const bytes = Buffer.from(name);
    return [...unsigned(bytes.length), ...bytes, GLOBAL, ...unsigned(index)];
  });
  const entries = exports.body.subarray(unsigned(count).length);
  exports.body = Buffer.concat([Buffer.from(unsigned(count + globals.length)), entries, Buffer.from(added)]);
  const written = writeSections(sections);
  return { binary: written, moved: written.length - binary.length };
}

/**
 * The map of a module whose code has moved. Its sources are files below a folder, except those of the compiler, whose
 * text it contains.
 * @param moved bytes
 * @param folder the URL of the folder, with a slash at the end
 */
export function movedMap(map: SourceMap, moved: number, folder: string): SourceMap & { readonly sourceRoot: string } {
  return {
    ...map,
    sourceRoot: folder,
    sourcesContent: map.sources.map((source, i) =>
      source.startsWith("~lib/") ? (map.sourcesContent[i] ?? null) : null,
    ),
    // Columns are relative to the entry before. An entry that names no source moves all that follow.
    mappings: moved === 0 ? map.mappings : `${base64Vlq(moved)},${map.mappings}`,
  };
}

/** A number that is not negative, as a source map writes it. */
function base64Vlq(value: number): string {
  let text = "";
  for (let rest = value * 2; ; rest = Math.floor(rest / 32)) {
    text += BASE64[(rest % 32) + (rest >= 32 ? 32 : 0)]!;
    if (rest < 32) return text;
  }
}
