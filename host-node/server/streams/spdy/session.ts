/**
 * The server's end of a SPDY/3.1 connection: the framing in which kubectl carries port-forward, and older clients exec
 * and attach. The only SPDY package for Node is not maintained, and Kubernetes uses a small part: the client opens
 * streams, both sides send data and half-close. Leaves out flow control, which Kubernetes' own clients and servers do
 * not have, priorities, and streams that the server opens.
 *
 * Invariant: a frame longer than MAX_FRAME_BYTES, a frame that cannot be read and a stream too many end the connection.
 * So do answers to pings and the like that the client does not read, beyond MAX_UNREAD_CONTROL_BYTES. While a stream
 * has more than its reader takes, nothing more is read from the connection.
 */
import { Duplex } from "node:stream";
import { HeaderReader, type Headers, HeaderWriter } from "./header-block.ts";

/** Limit for the length of one frame that is received. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** Streams of one connection at a time. Each forwarded connection takes two. */
export const MAX_STREAMS = 512;
/** Bytes of control frames that may wait for a client. */
export const MAX_UNREAD_CONTROL_BYTES = 256 * 1024;
/** The time between two pings. Only a write to a silent connection finds that the client is gone. */
export const HEARTBEAT_MS = 10_000;
const MAX_SENT_BYTES = 64 * 1024;
const HEAD_BYTES = 8;
const PING_BYTES = 4;
const VERSION = 3;
const TYPES = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const FLAG_FIN = 1;
const CANCEL = 5;
const ID_MASK = 0x7fffffff;

/** A stream that the client has opened. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: Headers;
  /** The client has sent all of it. */
  isInputOver = false;
  readonly #session: SpdySession;

  constructor(session: SpdySession, id: number, headers: Headers) {
    super({ allowHalfOpen: true });
    this.#session = session;
    this.id = id;
    this.headers = headers;
    this.on("error", () => {}); // The connection reports its own error.
  }

  override _read(): void {
    this.#session.wantsMore(this);
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#session.sendData(this.id, chunk, false, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#session.sendData(this.id, Buffer.alloc(0), true, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#session.forget(this);
    done(error);
  }
}

export class SpdySession {
  readonly #socket: Duplex;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #reader = new HeaderReader();
  readonly #writer = new HeaderWriter();
  readonly #streams = new Map<number, SpdyStream>();
  /** Streams with a slow reader. */
  readonly #full = new Set<SpdyStream>();
  #unread: Buffer = Buffer.alloc(0);
  /** Pings of a server have even numbers. */
  #nextPing = 2;
  #unreadControlBytes = 0;

  /** @param onStream is called for each stream that the client opens */
  constructor(socket: Duplex, onStream: (stream: SpdyStream) => void, heartbeatMs = HEARTBEAT_MS) {
    this.#socket = socket;
    this.#onStream = onStream;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", () => socket.destroy());
    socket.once("end", () => this.close());
    const heartbeat = setInterval(() => this.#ping(), heartbeatMs).unref();
    socket.once("close", () => {
      clearInterval(heartbeat);
      for (const stream of this.#streams.values()) stream.destroy();
    });
  }

  /** Calls back when the connection is over. */
  onClose(closed: () => void): void {
    this.#socket.once("close", closed);
  }

  /** Ends the connection after what was written. */
  close(): void {
    this.#socket.end();
  }

  sendData(id: number, data: Buffer, isLast: boolean, done: (error?: Error | null) => void): void {
    let at = 0;
    do {
      const part = data.subarray(at, at + MAX_SENT_BYTES);
      at += part.length;
      const isEnd = at >= data.length;
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt32BE(id, 0);
      head.writeUInt32BE(part.length, 4);
      head[4] = isLast && isEnd ? FLAG_FIN : 0;
      this.#socket.write(Buffer.concat([head, part]), isEnd ? done : undefined);
    } while (at < data.length);
  }

  wantsMore(stream: SpdyStream): void {
    if (this.#full.delete(stream) && this.#full.size === 0) this.#socket.resume();
  }

  forget(stream: SpdyStream): void {
    if (this.#streams.get(stream.id) !== stream) return;
    this.#streams.delete(stream.id);
    this.wantsMore(stream);
    const isOver = stream.readableEnded && stream.writableFinished;
    if (!isOver && this.#socket.writable) this.#sendControl(TYPES.rstStream, numbers(stream.id, CANCEL));
  }

  #receive(chunk: Buffer): void {
    let rest = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    try {
      while (rest.length >= HEAD_BYTES && !this.#socket.destroyed) {
        const length = rest.readUIntBE(5, 3);
        if (length > MAX_FRAME_BYTES) throw new Error(`a frame has ${length} bytes; allowed are ${MAX_FRAME_BYTES}`);
        if (rest.length < HEAD_BYTES + length) break;
        this.#frame(rest.readUInt32BE(0), rest[4]!, rest.subarray(HEAD_BYTES, HEAD_BYTES + length));
        rest = rest.subarray(HEAD_BYTES + length);
      }
      this.#unread = rest;
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }

  #frame(head: number, flags: number, body: Buffer): void {
    const isControl = head >>> 31 === 1;
    if (!isControl) {
      this.#take(this.#streams.get(head), body, flags);
      return;
    }
    const version = (head >>> 16) & 0x7fff;
    if (version !== VERSION) throw new Error(`a frame is of version ${version} of SPDY; known is ${VERSION}`);
    switch (head & 0xffff) {
      case TYPES.synStream:
        this.#open(body.readUInt32BE(0) & ID_MASK, this.#reader.read(body.subarray(10)), flags);
        break;
      case TYPES.rstStream:
        this.#streams.get(body.readUInt32BE(0) & ID_MASK)?.destroy();
        break;
      case TYPES.ping:
        // A client's own ping has an odd number. Even ones answer those of this session.
        if (body.readUInt32BE(0) % 2 === 1) this.#sendControl(TYPES.ping, body.subarray(0, PING_BYTES));
        break;
      case TYPES.goAway:
        this.close();
        break;
      default: // Settings, window updates and unknown frames need no answer.
    }
  }

  #open(id: number, headers: Headers, flags: number): void {
    if (this.#streams.has(id)) throw new Error(`stream ${id} is open already`);
    if (this.#streams.size >= MAX_STREAMS) throw new Error(`${MAX_STREAMS} streams are open, which is the limit`);
    const stream = new SpdyStream(this, id, headers);
    this.#streams.set(id, stream);
    this.#sendControl(TYPES.synReply, Buffer.concat([numbers(id), this.#writer.write(new Map())]));
    this.#onStream(stream);
    this.#take(stream, Buffer.alloc(0), flags);
  }

  #take(stream: SpdyStream | undefined, data: Buffer, flags: number): void {
    // It was closed here while this frame was on its way.
    if (stream === undefined || stream.destroyed || stream.isInputOver) return;
    if (data.length > 0 && !stream.push(data)) {
      this.#full.add(stream);
      this.#socket.pause();
    }
    if ((flags & FLAG_FIN) === 0) return;
    stream.isInputOver = true;
    stream.push(null);
  }

  #ping(): void {
    if (!this.#socket.writable) return;
    this.#sendControl(TYPES.ping, numbers(this.#nextPing));
    this.#nextPing = (this.#nextPing + 2) & ID_MASK;
  }

  #sendControl(type: number, body: Buffer): void {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt16BE(0x8000 | VERSION, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt32BE(body.length, 4);
    const frame = Buffer.concat([head, body]);
    this.#unreadControlBytes += frame.length;
    this.#socket.write(frame, () => (this.#unreadControlBytes -= frame.length));
    if (this.#unreadControlBytes > MAX_UNREAD_CONTROL_BYTES) this.#socket.destroy();
  }
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i));
  return bytes;
}
