/** A busy stream is read in few pieces; nothing is lost, doubled or late by more than a pause. */
import { beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../cluster/clock.ts";
import { seededRandom } from "../../../host-browser/simulation/random.ts";
import { MUCH_BYTES, PacedReader, PAUSE_MS } from "../../../host-node/transport/paced-reader.ts";

/** What a sender has sent waits here while nobody reads. */
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

describe("a reader", () => {
  it("hands on at once what comes after a silence, with all that comes in the same moment", () => {
    sender.send("a");
    sender.send("b");
    clock.advance(0);
    clock.advance(PAUSE_MS);
    sender.send("c");
    clock.advance(0);
    expect(heard).toEqual(["ab", "c"]);
    expect(sender.pauses).toBe(0);
  });

  it("hands on together what comes during a pause, when it is over", () => {
    sender.send("a");
    clock.advance(1);
    for (const text of ["b", "c", "d"]) sender.send(text);
    clock.advance(PAUSE_MS - 2);
    expect(heard).toEqual(["a"]);
    clock.advance(1);
    expect(heard).toEqual(["a", "bcd"]);
    sender.send("e");
    clock.advance(PAUSE_MS);
    expect(heard).toEqual(["a", "bcd", "e"]);
    expect(sender.pauses).toBe(2);
  });

  it("makes no pause after a large piece", () => {
    for (let i = 0; i < 3; i++) {
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

  it("hands on what it holds when it is asked to, and rests after that as well", () => {
    sender.send("a");
    clock.advance(0);
    sender.send("b");
    reader.flush();
    reader.flush();
    expect(heard).toEqual(["a", "b"]);
    clock.advance(2 * PAUSE_MS);
    expect(heard).toEqual(["a", "b"]);
  });

  it("that was stopped hands on nothing more", () => {
    sender.send("a");
    clock.advance(0);
    sender.send("b");
    reader.stop();
    clock.advance(2 * PAUSE_MS);
    reader.flush();
    expect(heard).toEqual(["a"]);
  });

  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    "hands on every byte once, in order and in time (seed %i)",
    (seed) => {
      const random = seededRandom(seed);
      let sent = "";
      for (let i = 0; i < 200; i++) {
        const text = random() < 0.1 ? `${i}${much}` : `${i},`;
        sent += text;
        sender.send(text);
        clock.advance(Math.floor(random() * (random() < 0.1 ? 200 : 20)));
      }
      clock.advance(PAUSE_MS);
      expect(heard.join("") === sent).toBe(true);
    },
  );
});
