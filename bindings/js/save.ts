/**
 * A saved engine as bytes, to be kept in a file or by another process; ../ABI.md, "Save and restore", defines them. The
 * bindings of other languages write the same bytes, and restore them.
 *
 * Invariant: incomplete bytes, and bytes of another module, change nothing. Leaves out compression, and a checksum of
 * the memory: the storage of the caller provides both.
 */
import { type Engine, EngineError, type SavedEngine } from "./engine.ts";

/** What the host knows and the engine does not, for the next host. */
export interface HostState {
  /** The largest `now` of a call. The clock of the next host must not be behind it. */
  readonly nowMs: number;
  /** The ids of open requests, which were polled and are not settled. The next host settles each; status 0: unknown. */
  readonly openRequests: readonly number[];
}

const MAGIC = [..."STINTSAV"].map((character) => character.charCodeAt(0));
const FORMAT_VERSION = 1;
const HEAD_BYTES = 64;
const GLOBAL_BYTES = 16;
const ID_BYTES = 8;
const PAGE_BYTES = 65_536;
/** A global is one of these: an i32, f32 or f64 as an f64, or an i64. */
const NUMBER = 0;
const BIG_INTEGER = 1;

/** The engine and what its host knows. @throws EngineError after a trap, or if the engine does not know its SHA-256 */
export function saveBytes(engine: Engine, host: HostState): Uint8Array {
  return encodeSave(engine.save(), host);
}

/**
 * Replaces the state of the engine by the saved one, and returns what its host knew.
 * @throws EngineError for bytes that are no save, or one of another module; nothing has changed
 */
export function restoreBytes(engine: Engine, bytes: Uint8Array): HostState {
  const { saved, host } = decodeSave(bytes);
  engine.restore(saved);
  return host;
}

export function encodeSave({ moduleSha256, memory, globals }: SavedEngine, host: HostState): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(moduleSha256))
    throw new EngineError(
      -1,
      "the engine was created without the SHA-256 of its module, which a save must name; give it to Engine.create",
    );
  const values = Object.keys(globals).map((_, i) => globals[`global:${i}`]!);
  const ids = host.openRequests.toSorted((a, b) => a - b);
  const memoryAt = HEAD_BYTES + values.length * GLOBAL_BYTES + ids.length * ID_BYTES;
  const bytes = new Uint8Array(memoryAt + memory.length);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(8, FORMAT_VERSION, true);
  view.setUint32(12, values.length, true);
  for (let i = 0; i < 32; i++) bytes[16 + i] = Number.parseInt(moduleSha256.slice(2 * i, 2 * i + 2), 16);
  view.setFloat64(48, host.nowMs, true);
  view.setUint32(56, ids.length, true);
  view.setUint32(60, memory.length / PAGE_BYTES, true);
  let at = HEAD_BYTES;
  for (const value of values) {
    if (typeof value === "bigint") {
      view.setUint32(at, BIG_INTEGER, true);
      view.setBigInt64(at + 8, value, true);
    } else {
      view.setFloat64(at + 8, value, true);
    }
    at += GLOBAL_BYTES;
  }
  for (const id of ids) {
    view.setFloat64(at, id, true);
    at += ID_BYTES;
  }
  bytes.set(memory, memoryAt);
  return bytes;
}

/** @throws EngineError for bytes that are no whole save */
export function decodeSave(bytes: Uint8Array): { readonly saved: SavedEngine; readonly host: HostState } {
  if (bytes.length < HEAD_BYTES || MAGIC.some((byte, i) => bytes[i] !== byte)) throw noSave("does not begin as one");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(8, true);
  if (version !== FORMAT_VERSION) throw noSave(`is of format ${version}, this binding reads format ${FORMAT_VERSION}`);
  const [globalCount, idCount, pages] = [12, 56, 60].map((at) => view.getUint32(at, true)) as [number, number, number];
  const memoryAt = HEAD_BYTES + globalCount * GLOBAL_BYTES + idCount * ID_BYTES;
  const length = memoryAt + pages * PAGE_BYTES;
  if (bytes.length !== length) throw noSave(`has ${bytes.length} bytes, and should have ${length}`);
  const globals: Record<string, number | bigint> = {};
  for (let i = 0; i < globalCount; i++) {
    const at = HEAD_BYTES + i * GLOBAL_BYTES;
    const kind = view.getUint32(at, true);
    if (kind !== NUMBER && kind !== BIG_INTEGER) throw noSave(`has a global of kind ${kind}; allowed are 0 and 1`);
    globals[`global:${i}`] = kind === NUMBER ? view.getFloat64(at + 8, true) : view.getBigInt64(at + 8, true);
  }
  const openRequests = Array.from({ length: idCount }, (_, i) =>
    view.getFloat64(memoryAt - (idCount - i) * ID_BYTES, true),
  );
  const moduleSha256 = [...bytes.subarray(16, 48)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const saved = { moduleSha256, memory: bytes.slice(memoryAt), globals };
  return { saved, host: { nowMs: view.getFloat64(48, true), openRequests } };
}

function noSave(why: string): EngineError {
  return new EngineError(-1, `this is no save of an engine: it ${why}`);
}
