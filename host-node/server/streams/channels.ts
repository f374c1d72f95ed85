/** What a client of exec and attach sends and reads, in whichever protocol it came. */
import type { Readable, Writable } from "node:stream";

export interface Channels {
  /** Each exists if the client asked for it. */
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** Calls back with each size of the client's terminal. */
  onResize(resized: (columns: number, rows: number) => void): void;
  /** Calls back when the client is gone. */
  onClose(closed: () => void): void;
  /** Sends the status of the end, as the last message, and closes. */
  end(status: object): void;
}

export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/**
 * `{"Width":80,"Height":24}`, with names in any case, as Go reads them: the JavaScript client writes them small.
 * Undefined for something else.
 */
export function terminalSize(text: string): { readonly columns: number; readonly rows: number } | undefined {
  try {
    const members = Object.entries(JSON.parse(text) as object);
    const { width, height } = Object.fromEntries(
      members.map(([name, value]) => [name.toLowerCase(), value as unknown]),
    );
    return isSize(width) && isSize(height) ? { columns: width, rows: height } : undefined;
  } catch {
    return undefined;
  }
}

const MAX_SIZE = 0xffff;
function isSize(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_SIZE;
}
