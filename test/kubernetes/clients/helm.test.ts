/**
 * Helm 3 and 4 against `stint serve`: a release with Jobs at its hooks is installed, upgraded, tested, rolled back and
 * uninstalled. The Jobs run as processes, so that Helm waits for what really happens, and reads real logs.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Served, startServe } from "../../host-node/serving.ts";
import type { ApiClient } from "../api-client.ts";
import { findOrBuild, whyUnavailable } from "../binaries/binaries.ts";
import { hasCondition } from "../conditions.ts";
import { clientOf, type Ran, runProgram, succeed } from "./programs.ts";

const CHART = join(import.meta.dirname, "chart");
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const SECRETS = "/api/v1/namespaces/default/secrets";
const WAIT = ["--wait", "--wait-for-jobs", "--timeout", "60s"];

interface Listed {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly uid: string; readonly creationTimestamp: string };
    readonly status?: {
      readonly completionTime?: string;
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
  }[];
}

describe.skipIf(whyUnavailable() !== undefined).each(["helm-3", "helm"] as const)("%s against stint serve", (name) => {
  let served: Served;
  let client: ApiClient;
  let helm: string;

  beforeAll(async () => {
    helm = await findOrBuild(name);
    served = await startServe(["--runtime", "process", "--no-isolation"]);
    client = clientOf(served);
  });
  afterAll(async () => {
    client?.close();
    await served?.stop();
  });

  const run = (...args: string[]): Promise<Ran> => runProgram(served, helm, args);
  const succeeds = (...args: string[]): Promise<string> => succeed(served, helm, args);
  const names = async (path: string): Promise<string[]> =>
    (await client.succeed<Listed>("GET", path)).items.map(({ metadata }) => metadata.name).sort();
  const job = async (jobName: string): Promise<Listed["items"][number]> => client.succeed("GET", `${JOBS}/${jobName}`);
  const revisions = async (): Promise<string[]> =>
    JSON.parse(await succeeds("history", "r", "--output", "json")).map(
      ({ revision, status }: { revision: number; status: string }) => `${revision} ${status}`,
    );
  let migrated: string;

  it("installs, when the Job of the hook before has ended, and waits for the Jobs of the release", async () => {
    expect(await succeeds("install", "r", CHART, ...WAIT)).toContain("STATUS: deployed");
    expect(await names(JOBS)).toEqual(["r-migrate", "r-work-1"]); // notify has succeeded, and is deleted.
    const [migrate, work] = [await job("r-migrate"), await job("r-work-1")];
    expect(hasCondition(work, "Complete")).toBe(true);
    expect(migrate.status!.completionTime! <= work.metadata.creationTimestamp).toBe(true);
    expect(await names(SECRETS)).toEqual(["sh.helm.release.v1.r.v1"]);
    migrated = migrate.metadata.uid;
  });

  it("upgrades: the hooks' Jobs are recreated, and the Job of the previous revision is deleted", async () => {
    await succeeds("upgrade", "r", CHART, "--set", "message=second", ...WAIT);
    expect(await names(JOBS)).toEqual(["r-migrate", "r-work-2"]);
    expect((await job("r-migrate")).metadata.uid).not.toBe(migrated);
  });

  it("tests the release with a pod, and shows its log", async () => {
    const said = await succeeds("test", "r", "--logs");
    expect(said).toMatch(/Phase: +Succeeded/);
    expect(said).toContain("tested second");
  });

  it("rolls back to an earlier revision, with its hook", async () => {
    await succeeds("rollback", "r", "1", ...WAIT);
    expect(await revisions()).toEqual(["1 superseded", "2 superseded", "3 deployed"]);
    expect(await names(JOBS)).toEqual(["r-migrate", "r-restore", "r-work-1"]);
    expect(hasCondition(await job("r-work-1"), "Complete")).toBe(true);
    expect(await succeeds("get", "manifest", "r")).toContain('message: "first"');
  });

  it("fails when the Job of a hook fails, and leaves the release as it is", async () => {
    const { status, err } = await run("upgrade", "r", CHART, "--set", "failing=true", ...WAIT);
    expect(status).toBe(1);
    expect(err).toContain("pre-upgrade hooks failed");
    expect(await names(JOBS)).toEqual(["r-migrate", "r-restore", "r-work-1"]);
    expect(await revisions()).toEqual(["1 superseded", "2 superseded", "3 deployed", "4 failed"]);
  });

  it("uninstalls, and waits until what it deleted is gone", async () => {
    await succeeds("uninstall", "r", "--wait");
    // What a hook made is not the release's. The failed revision had a Job r-work-4 in its manifest, and no r-work-1.
    expect(await names(JOBS)).toEqual(["r-migrate", "r-restore", "r-work-1"]);
    expect(await names(SECRETS)).toEqual([]);
    expect(JSON.parse(await succeeds("list", "--output", "json"))).toEqual([]);
  });
});
