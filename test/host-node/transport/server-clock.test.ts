/** Now, as an API server tells it. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { ServerClock } from "../../../host-node/transport/server-clock.ts";

const DAY_MS = 86_400_000;
const startMs = Date.parse("2026-01-10T00:00:00Z");

describe("the server's clock", () => {
  const clock = new VirtualClock(startMs);
  const serverClock = new ServerClock(clock);
  const answeredAt = (timeMs: number): number => {
    serverClock.answered({ date: new Date(timeMs).toUTCString() });
    return serverClock.now();
  };

  it("is that of this machine before the first answer", () => {
    expect(serverClock.now()).toBe(startMs);
  });

  it("is days off where the server is, and continues from its last answer", () => {
    expect(answeredAt(startMs - 5 * DAY_MS)).toBe(startMs - 5 * DAY_MS);
    clock.advance(1_500);
    expect(serverClock.now()).toBe(startMs - 5 * DAY_MS + 1_500);
    expect(answeredAt(startMs + 128 * DAY_MS)).toBe(startMs + 128 * DAY_MS);
  });

  it("stays where it was after an answer without a date that can be read", () => {
    for (const headers of [{}, { date: "" }, { date: "yesterday" }]) serverClock.answered(headers);
    expect(serverClock.now()).toBe(startMs + 128 * DAY_MS);
  });

  it("is that of this machine where the difference may be due to whole seconds and a slow answer", () => {
    expect(answeredAt(clock.now() - 4_000)).toBe(clock.now());
    expect(answeredAt(clock.now() - 6_000)).toBeLessThan(clock.now());
  });
});
