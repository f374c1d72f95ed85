/** Connections beyond the limit of a server: each is counted, and the log has a line a minute at most. */
import { EventEmitter } from "node:events";
import { Server } from "node:net";
import { expect, it } from "vitest";
import { VirtualClock } from "../../../cluster/clock.ts";
import { createLog } from "../../../host-node/log.ts";
import { noteDroppedConnections } from "../../../host-node/server/dropped-connections.ts";

it("each is counted, and the log says once a minute how many they were", () => {
  const clock = new VirtualClock(0);
  const lines: Record<string, unknown>[] = [];
  let counted = 0;
  const server = Object.assign(new EventEmitter(), { maxConnections: 64 }) as unknown as Server;
  noteDroppedConnections(server, { clock, log: createLog("info", (line) => lines.push(JSON.parse(line))), count: () => counted++ });
  const drop = (times: number): void => {
    for (let i = 0; i < times; i++) server.emit("drop", {});
  };
  drop(3);
  clock.advance(59_999);
  drop(2);
  expect({ counted, lines: lines.length }).toEqual({ counted: 5, lines: 1 });
  clock.advance(1);
  drop(1);
  const line = { level: "warn", time: expect.any(String), msg: "a connection was closed at once: there are as many as are allowed" };
  expect(lines).toEqual([{ ...line, allowed: 64, dropped: 1 }, { ...line, allowed: 64, dropped: 5 }]);
  expect(counted).toBe(6);
});
