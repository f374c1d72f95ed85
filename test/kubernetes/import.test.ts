/** `stint import` of what the installed kubectl prints while upstream's controller runs Jobs on a real API server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../host-node/cli/checked-main.ts";
import { RecordingConsole } from "../host-node/cli/recording-console.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { recordKubectlLog } from "./kubectl-log.ts";

describe.skipIf(whyUnavailable() !== undefined)("stint import", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stint-kubectl-log-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ["with", ["--output-watch-events"]],
    ["without", []],
  ])(
    "explains each write of upstream's controller, %s watch events",
    async (_, flags) => {
      await recordKubectlLog(folder, flags);
      const console = new RecordingConsole(folder);
      expect(await main(["import", "jobs.json", "pods.json"], "0.0.0", console)).toBe(0);
      for (const sentence of [
        "(the Job has ended with Complete: 4 succeeded, 0 failed)",
        "(the Job has ended with Complete: 1 succeeded, 1 failed)",
        "(the Job fails: activeDeadlineSeconds of 3 s have passed since ",
      ])
        expect(console.out).toContain(sentence);
      expect(console.out.trimEnd().split("\n").at(-1)).toMatch(/ writes of the controller, all of them explained$/);
    },
    300_000,
  );
});
