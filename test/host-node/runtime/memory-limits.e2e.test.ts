/** Containers with a limit of memory; with and without bubblewrap. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limitsOf } from "../../../host-node/runtime/memory-limits.ts";
import { ProcessRuntime } from "../../../host-node/runtime/process-runtime.ts";
import { bubblewrap, hasBubblewrap } from "./bubblewrap-here.ts";
import { createPod, podOf, type Run, start } from "./running.ts";

const variants = [
  { name: "without isolation", isolation: "none" as const, usable: true },
  { name: "inside bubblewrap", isolation: { bubblewrap }, usable: hasBubblewrap },
];

describe("limitsOf", () => {
  it.each([
    [{ limits: { memory: "64Mi", cpu: "1" } }, { memory: 64 * 1024 * 1024, cpu: 1000 }],
    [{ limits: { memory: 1000 } }, { memory: 1000 }],
    [{ limits: { cpu: "250m" }, requests: { memory: "1Gi" } }, { cpu: 250 }],
    [{ limits: { cpu: "0", memory: "0" } }, {}],
    [undefined, {}],
  ])("of %j is %j", (resources, limits) => {
    expect(limitsOf({ resources } as unknown as Parameters<typeof limitsOf>[0])).toEqual(limits);
  });
});

for (const { name, isolation, usable } of variants) {
  describe.skipIf(!usable)(`a container with a limit of memory ${name}`, () => {
    let runtime: ProcessRuntime;
    beforeAll(() => (runtime = new ProcessRuntime({ isolation, network: false, workingDirectory: "/" })));
    afterAll(() => runtime.close());

    async function run(script: string, resources: object): Promise<Awaited<Run["end"]>> {
      const pod = podOf(["perl", "-e", script], { resources });
      await createPod(runtime, pod);
      return start(runtime, pod).end;
    }
    const takes = (mebibytes: number): string => `my $x = 'x' x (${mebibytes} << 20); `;

    it("is killed when it uses more", async () => {
      expect(await run(`${takes(200)} sleep 1000`, { limits: { memory: "64Mi" } })).toEqual({
        exit: { exitCode: 137, reason: "OOMKilled" },
      });
    });

    it("is killed when its processes together use more", async () => {
      const child = `if (!fork) { ${takes(40)} sleep 1000 }`;
      expect(await run(`${child} ${child} ${child} sleep 1000`, { limits: { memory: "64Mi" } })).toEqual({
        exit: { exitCode: 137, reason: "OOMKilled" },
      });
    });

    it("is left alone below its limit, also when its processes share what they use", async () => {
      const children = "for (1 .. 4) { if (!fork) { sleep 1; exit } } 1 while wait > 0; exit 7";
      expect(await run(`${takes(40)} ${children}`, { limits: { memory: "120Mi" } })).toEqual({ exit: { exitCode: 7 } });
      expect(
        await run(`${takes(100)} select undef, undef, undef, 0.5; exit 8`, { requests: { memory: "1Mi" } }),
      ).toEqual({
        exit: { exitCode: 8 },
      });
    });
  });
}
