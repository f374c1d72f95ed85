/** stern against `stint serve`: the logs of a Job's pods, while they are written and after it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Served, startServe } from "../../host-node/serving.ts";
import type { ApiClient } from "../api-client.ts";
import { findOrBuild, whyUnavailable } from "../binaries/binaries.ts";
import { isOver } from "../conditions.ts";
import { ProcessGroup } from "../processes.ts";
import { clientOf, environmentOf, succeed } from "./programs.ts";

/** Until something is in the log of a program; less than a test may take. */
const WAIT = { timeout: 100_000, interval: 50 };
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

describe.skipIf(whyUnavailable() !== undefined)("stern against stint serve", () => {
  let served: Served;
  let client: ApiClient;
  let processes: ProcessGroup;
  let stern: string;

  beforeAll(async () => {
    stern = await findOrBuild("stern");
    served = await startServe(["--runtime", "process", "--no-isolation"]);
    client = clientOf(served);
    processes = new ProcessGroup("stint-stern-");
  });
  afterAll(async () => {
    await processes?.stop();
    client?.close();
    await served?.stop();
  });

  const createJob = (name: string, containers: readonly object[]): Promise<unknown> =>
    client.succeed("POST", JOBS, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name },
      spec: {
        completions: 2,
        parallelism: 2,
        completionMode: "Indexed",
        template: { spec: { restartPolicy: "Never", containers } },
      },
    });

  it("follows the pods of a Job, also those that come later", async () => {
    const args = ["--selector", "job-name=follow", "--color", "never", "--only-log-lines", "--output", "raw"];
    const running = await processes.start("stern", stern, args, environmentOf(served));
    // Each container ends only when its last line has been seen.
    const file = join(served.directory, "seen");
    await createJob("follow", [
      {
        name: "main",
        image: "busybox",
        command: ["sh", "-c", `echo begun; until [ -e ${file} ]; do sleep 0.1; done; echo done`],
      },
    ]);
    await vi.waitFor(() => expect(running.log().match(/begun/g)).toHaveLength(2), WAIT);
    writeFileSync(file, "");
    await vi.waitFor(() => expect(running.log().match(/done/g)).toHaveLength(2), WAIT);
    expect(running.log()).toMatch(/^(begun|done)\n/);
    await running.stop();
  });

  it("prints what ended pods have said, of all their containers", async () => {
    const says = (name: string): object => ({
      name,
      image: "busybox",
      command: ["sh", "-c", `echo ${name} of $JOB_COMPLETION_INDEX`],
    });
    await createJob("talk", [says("one"), says("two")]);
    await client.waitFor(`${JOBS}?fieldSelector=metadata.name%3Dtalk`, isOver);
    const out = await succeed(served, stern, ["job/talk", "--no-follow", "--color", "never", "--output", "json"]);
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ containerName, message }) => `${containerName}: ${message}`).sort()).toEqual([
      "one: one of 0",
      "one: one of 1",
      "two: two of 0",
      "two: two of 1",
    ]);
    expect(new Set(lines.map(({ podName }) => podName.replace(/-\w+$/, "")))).toEqual(new Set(["talk-0", "talk-1"]));
  });
});
