/** A busy stream is read in few pieces; nothing is lost, doubled or late by more than a pause. */
import { beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { seededRandom } from "../../../cluster/values/random.ts";
import { BUSY_PIECES, MUCH_BYTES, PacedReader, PAUSE_MS } from "../../../host-node/transport/paced-reader.ts";

/** What a sender has sent waits here while no reader takes it. */
class Sender {
  pauses = 0;
  readonly #take: (chunk: Uint8Array) => void;
  #waiting: Uint8Array[] = [];
  #isPaused = false;

  constructor(take: (chunk: Uint8Array) => void) {
    this.#take = take;
  }

  send(text: string): void {
    this.#waiting.push(Buffer.from(text));
    this.#run();
  }

  pause(): void {
    this.pauses++;
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#run();
  }

  #run(): void {
    while (!this.#isPaused && this.#waiting.length > 0) this.#take(this.#waiting.shift()!);
  }
}

let clock: VirtualClock;
let reader: PacedReader;
let sender: Sender;
let heard: string[];

beforeEach(() => {
  clock = new VirtualClock(0);
  heard = [];
  sender = new Sender((chunk) => reader.take(chunk));
  reader = new PacedReader(clock, sender, (bytes) => heard.push(Buffer.from(bytes).toString()));
});

const much = "x".repeat(MUCH_BYTES);

/** Sends as much at once as makes the stream busy, and forgets it. */
function makeBusy(): void {
  for (let i = 0; i < BUSY_PIECES; i++) sender.send(".");
  clock.advance(0);
  heard.length = 0;
}

describe("a reader", () => {
  it("hands on at once what comes while the stream is not busy, with all that comes in the same moment", () => {
    for (let i = 0; i < 10; i++) {
      for (let k = 1; k < BUSY_PIECES; k++) {
        if (k % 2 === 0) clock.advance(1);
        sender.send(String(k % 2));
      }
      clock.advance(0);
      clock.advance(PAUSE_MS);
    }
    expect(new Set(heard)).toEqual(new Set(["01", "1"]));
    expect(sender.pauses).toBe(0);
  });

  it("hands on together what comes while it rests, when that is over", () => {
    makeBusy();
    clock.advance(1);
    for (const text of ["b", "c", "d"]) sender.send(text);
    clock.advance(PAUSE_MS - 2);
    expect(heard).toEqual([]);
    clock.advance(1);
    expect(heard).toEqual(["bcd"]);
    expect(sender.pauses).toBe(1);
  });

  it("rests once more after a stream that was busy, and then hands on at once again", () => {
    makeBusy();
    clock.advance(1);
    sender.send("b");
    clock.advance(PAUSE_MS - 1);
    sender.send("c");
    clock.advance(PAUSE_MS - 1);
    expect(heard).toEqual(["b"]);
    clock.advance(1);
    sender.send("d");
    clock.advance(0);
    expect(heard).toEqual(["b", "c", "d"]);
  });

  it("that was busy hands on at once what comes after a silence", () => {
    makeBusy();
    clock.advance(2 * PAUSE_MS);
    for (const text of ["a", "b"]) {
      sender.send(text);
      clock.advance(0);
    }
    expect(heard).toEqual(["a", "b"]);
  });

  it("makes no pause after a large piece", () => {
    makeBusy();
    sender.send(much);
    clock.advance(PAUSE_MS);
    for (let i = 0; i < 2; i++) {
      sender.send(much);
      clock.advance(0);
    }
    expect(heard).toEqual([much, much, much]);
    sender.send("a");
    clock.advance(0);
    sender.send("b");
    clock.advance(0);
    expect(heard.slice(3)).toEqual(["a"]);
  });

  it("that learns of the end hands on what it holds, once", () => {
    makeBusy();
    sender.send("b");
    reader.finish();
    reader.finish();
    clock.advance(2 * PAUSE_MS);
    expect(heard).toEqual(["b"]);
  });

  it("that was stopped hands on nothing more", () => {
    makeBusy();
    sender.send("b");
    reader.stop();
    clock.advance(2 * PAUSE_MS);
    reader.finish();
    expect(heard).toEqual([]);
  });

  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    "hands on every byte once, in order and in time (seed %i)",
    (seed) => {
      const random = seededRandom(seed);
      let sent = "";
      const isDue: { readonly atMs: number; readonly length: number }[] = [];
      for (let i = 0; i < 300; i++) {
        const text = random() < 0.02 ? `${i}${much}` : `${i},`;
        sent += text;
        sender.send(text);
        isDue.push({ atMs: clock.now() + PAUSE_MS, length: sent.length });
        clock.advance(Math.floor(random() * (random() < 0.02 ? 3 * PAUSE_MS : 3)));
        const due = isDue.findLast(({ atMs }) => atMs <= clock.now());
        expect(heard.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThanOrEqual(due?.length ?? 0);
      }
      clock.advance(PAUSE_MS);
      expect(heard.join("") === sent).toBe(true);
      expect(sender.pauses).toBeGreaterThan(0);
    },
  );
});
