/** What processes use of the processor and of memory, on a clock that the test moves. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { UsageMeter, WINDOW_MS } from "../../../host-node/runtime/usage.ts";

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;

/** A meter of this process. */
function meterOf(now: { ms: number }): { meter: UsageMeter<object>; key: object } {
  const key = {};
  return {
    meter: new UsageMeter<object>(
      () => now.ms,
      () => [{ key, pid: process.pid }],
    ),
    key,
  };
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

test("usage counts the processor time of a container since its start, and its memory", () => {
  const now = { ms: 0 };
  const { meter, key } = meterOf(now);
  meter.begin(key);
  expect(meter.containers().size).toBe(0);
  now.ms = 10_000;
  const before = usedMs();
  const usage = meter.containers().get(key)!;
  const counted = (usage.nanoCores / 1e9) * 10_000;
  expect(counted).toBeGreaterThan(before - 4 * TICK_MS);
  expect(usage).toMatchObject({ atMs: 10_000, windowMs: 10_000 });
  expect(usage.bytes).toBeGreaterThan(10 * 1024 * 1024);
});

test("usage counts children that have ended, and only what came after the last sample but one", () => {
  const now = { ms: 0 };
  const { meter, key } = meterOf(now);
  meter.begin(key);
  meter.start();
  meter.stop();
  now.ms = WINDOW_MS;
  spawnSync(process.execPath, ["-e", "while (process.cpuUsage().user < 200_000);"]);
  const usage = meter.containers().get(key)!;
  const counted = (usage.nanoCores / 1e9) * WINDOW_MS;
  expect(counted).toBeGreaterThanOrEqual(20 * TICK_MS);
  expect(usage.windowMs).toBe(WINDOW_MS);
});

test("usage measures the machine from the second sample on", () => {
  const now = { ms: 0 };
  const { meter } = meterOf(now);
  meter.start();
  meter.stop();
  expect(meter.machine()).toBeUndefined();
  now.ms = WINDOW_MS;
  const usage = meter.machine()!;
  expect(usage.windowMs).toBe(WINDOW_MS);
  expect(usage.bytes).toBeGreaterThan(10 * 1024 * 1024);
});
