/**
 * Writes a tar archive of folders and files, which is how an engine takes files. A path that is longer than the 100
 * bytes of the classic header gets a POSIX record before it. Leaves out links, owners' names and reading.
 */

export interface ArchiveEntry {
  /** Relative, without a slash at its end. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** The group that it belongs to; root unless given. */
  readonly groupId?: number;
  /** Undefined: a folder. */
  readonly bytes?: Uint8Array;
}

const BLOCK = 512;
const MAX_NAME_BYTES = 100;
const CHECKSUM_AT = 148;

export function tarArchive(entries: readonly ArchiveEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

function blocksOf({ path, mode, groupId = 0, bytes }: ArchiveEntry): Buffer[] {
  const name = bytes === undefined ? `${path}/` : path;
  const content = Buffer.from(bytes ?? []);
  return [
    ...longName(name),
    header(name, mode, groupId, content.length, bytes === undefined ? "5" : "0"),
    padded(content),
  ];
}

function longName(name: string): Buffer[] {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return [];
  const rest = Buffer.byteLength(` path=${name}\n`);
  // The record begins with its own length.
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length++;
  const record = Buffer.from(`${length} path=${name}\n`);
  return [header("long-name", 0o644, 0, record.length, "x"), padded(record)];
}

function header(name: string, mode: number, groupId: number, size: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, MAX_NAME_BYTES);
  const octal = (value: number, at: number, digits: number): void =>
    void block.write(`${value.toString(8).padStart(digits, "0")}\0`, at);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(groupId, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  block.write("        ", CHECKSUM_AT);
  block.write(type, 156);
  block.write("ustar\x0000", 257);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    CHECKSUM_AT,
    6,
  );
  return block;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}
