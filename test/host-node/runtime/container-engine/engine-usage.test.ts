/** What an engine's counters say that containers use, on a clock that the test moves. */
import { expect, test } from "vitest";
import { EngineMeter, type Measured } from "../../../../host-node/runtime/container-engine/engine-usage.ts";

const MIB = 1024 * 1024;
const running: Measured[] = [{ place: { podUid: "uid", container: "main" }, container: { id: "id" } }];

function meterOf(stats: () => object, containers: readonly Measured[] = running) {
  const now = { ms: 0 };
  const asked: string[] = [];
  const json = (method: string, path: string): Promise<object> => {
    asked.push(`${method} ${path}`);
    return Promise.resolve().then(stats);
  };
  const meter = new EngineMeter(
    { json },
    () => now.ms,
    () => containers,
  );
  for (const container of containers) meter.begin(container);
  return { meter, now, asked, usage: () => meter.usages().get("uid")?.get("main") };
}

const counters = (cpuSeconds: number, memory: object): object => ({
  cpu_stats: { cpu_usage: { total_usage: cpuSeconds * 1e9 } },
  memory_stats: memory,
});

test("the use of the processor is that since the sample before, the first since the start", async () => {
  let cpuSeconds = 2;
  const { meter, now, asked, usage } = meterOf(() => counters(cpuSeconds, { usage: MIB }));
  now.ms = 4000;
  await meter.sample();
  expect(usage()).toEqual({ nanoCores: 5e8, bytes: MIB, atMs: 4000, windowMs: 4000 });
  now.ms = 14_000;
  cpuSeconds = 3;
  await meter.sample();
  expect(usage()).toEqual({ nanoCores: 1e8, bytes: MIB, atMs: 14_000, windowMs: 10_000 });
  expect(asked[0]).toBe("GET /containers/id/stats");
});

test("pages of files that are not in use do not count as memory, whichever version of control groups", async () => {
  for (const stats of [{ inactive_file: MIB }, { inactive_file: 5, total_inactive_file: MIB }]) {
    const { meter, now, usage } = meterOf(() => counters(1, { usage: 3 * MIB, stats }));
    now.ms = 1000;
    await meter.sample();
    expect(usage()?.bytes).toBe(2 * MIB);
  }
});

test("no usage is reported that the engine does not give, or of a container that has just started", async () => {
  const silent = meterOf(() => ({ cpu_stats: {}, memory_stats: {} }));
  silent.now.ms = 1000;
  await silent.meter.sample();
  const uncounted = meterOf(() => counters(0, { usage: 0 }));
  uncounted.now.ms = 1000;
  await uncounted.meter.sample();
  const failing = meterOf(() => {
    throw new Error("no such container");
  });
  failing.now.ms = 1000;
  await failing.meter.sample();
  const early = meterOf(() => counters(1, { usage: 1 }));
  early.now.ms = 100;
  await early.meter.sample();
  for (const { usage } of [silent, uncounted, failing, early]) expect(usage()).toBeUndefined();
});
