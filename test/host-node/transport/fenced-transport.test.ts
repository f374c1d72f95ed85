/** Writes wait while they are not allowed; nothing is lost and nothing waits for ever. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { FencedTransport } from "../../../host-node/transport/fenced-transport.ts";
import { RateLimitedTransport } from "../../../host-node/transport/rate-limited-transport.ts";
import { ManualTransport } from "../../bindings/js/scripted-engine.ts";

const write = (path: string) => ({ method: "POST", path, headers: {}, body: "{}" }) as const;
const read = (path: string) => ({ method: "GET", path, headers: {} }) as const;

function setUp() {
  const clock = new VirtualClock(0);
  const behind = new ManualTransport(clock);
  const gate = { isOpen: true };
  const transport = new FencedTransport({ transport: behind, clock, mayWrite: () => gate.isOpen });
  const answers: string[] = [];
  const send = (request: ReturnType<typeof write> | ReturnType<typeof read>): void =>
    transport.send(request, ({ status }) => answers.push(`${request.path} ${status}`));
  return { clock, behind, gate, transport, answers, send, sent: () => behind.sends.map(({ request }) => request.path) };
}

describe("FencedTransport", () => {
  it("hands writes on while they are allowed, holds them while not, and reads at any time", () => {
    const { gate, send, sent, transport } = setUp();
    send(write("/1"));
    gate.isOpen = false;
    send(write("/2"));
    send(read("/3"));
    send(write("/4"));
    expect(sent()).toEqual(["/1", "/3"]);
    expect(transport.held).toBe(2);
    transport.release(); // Still closed.
    expect(transport.held).toBe(2);
    gate.isOpen = true;
    transport.release();
    expect(sent()).toEqual(["/1", "/3", "/2", "/4"]);
    expect(transport.held).toBe(0);
  });

  it("answers what it holds when it is closed with status 0, later, and never sends it", () => {
    const { gate, send, sent, transport, answers, clock } = setUp();
    gate.isOpen = false;
    send(write("/1"));
    transport.close();
    expect(answers).toEqual([]);
    clock.runDeferred();
    expect(answers).toEqual(["/1 0"]);
    gate.isOpen = true;
    transport.release();
    expect(sent()).toEqual([]);
  });

  it("answers writes that come after it was closed with status 0, and still reads", () => {
    const { send, sent, transport, answers, clock } = setUp();
    transport.close();
    send(write("/1"));
    send(read("/2"));
    expect(answers).toEqual([]);
    clock.runDeferred();
    expect(answers).toEqual(["/1 0"]);
    expect(sent()).toEqual(["/2"]);
    expect(transport.held).toBe(0);
  });

  it("streams at any time", () => {
    const { gate, transport, behind } = setUp();
    gate.isOpen = false;
    transport.stream(read("/watch"), { open: () => {}, data: () => {}, end: () => {} });
    expect(behind.streams).toHaveLength(1);
  });
});

describe("RateLimitedTransport", () => {
  it("sends a burst at once and the rest in order at the rate", () => {
    const clock = new VirtualClock(0);
    const behind = new ManualTransport(clock);
    const transport = new RateLimitedTransport(behind, clock, { qps: 10, burst: 3 });
    for (let i = 1; i <= 6; i++) transport.send(write(`/${i}`), () => {});
    expect(behind.sends).toHaveLength(3);
    clock.advance(99);
    expect(behind.sends).toHaveLength(3);
    clock.advance(1);
    expect(behind.sends).toHaveLength(4);
    clock.advance(200);
    expect(behind.sends.map(({ request }) => request.path)).toEqual(["/1", "/2", "/3", "/4", "/5", "/6"]);
    clock.advance(10_000); // No more than a burst is saved up.
    for (let i = 7; i <= 11; i++) transport.send(write(`/${i}`), () => {});
    expect(behind.sends).toHaveLength(9);
  });

  it("answers what waits when it is closed, and what comes later, with status 0, and never sends it", () => {
    const clock = new VirtualClock(0);
    const behind = new ManualTransport(clock);
    const transport = new RateLimitedTransport(behind, clock, { qps: 1, burst: 1 });
    const answers: string[] = [];
    const send = (path: string): void => transport.send(write(path), ({ status }) => answers.push(`${path} ${status}`));
    send("/1");
    send("/2");
    transport.close();
    send("/3");
    expect(answers).toEqual([]);
    clock.advance(10_000);
    expect(answers).toEqual(["/2 0", "/3 0"]);
    expect(behind.sends.map(({ request }) => request.path)).toEqual(["/1"]);
  });
});
