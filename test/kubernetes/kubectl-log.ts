/** What `kubectl get --watch -o json` prints while upstream's controller runs three Jobs on a real API server. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findOrBuild } from "./binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { scriptPods } from "./scripted-pods.ts";
import { startUpstreamController } from "./upstream-controller.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const MERGE = "application/merge-patch+json";
const FIRST = "first";
const LAST = "last";

interface Job {
  readonly status?: { readonly conditions?: readonly { readonly type: string }[] };
}

function job(name: string, outcome: string, spec: object): object {
  const env = [{ name: "TOKEN", value: "hunter2" }];
  return {
    metadata: { name },
    spec: {
      ...spec,
      template: {
        metadata: { labels: { outcome } },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/nothing", env }] },
      },
    },
  };
}

/** Writes `jobs.json` and `pods.json` into the folder. @param flags of kubectl beyond those */
export async function recordKubectlLog(folder: string, flags: readonly string[] = []): Promise<void> {
  const controlPlane = await startControlPlane({});
  try {
    await startUpstreamController(controlPlane);
    const endScript = scriptPods(controlPlane, "default");
    const kubectl = await findOrBuild("kubectl");
    const paths = ["jobs", "pods"].map((resource) => join(folder, `${resource}.json`));
    await createFirst(controlPlane);
    const watches = ["jobs", "pods"].map((resource, index) =>
      watch(kubectl, controlPlane.kubeconfig(), paths[index]!, [resource, ...flags]),
    );
    await shown(paths, new RegExp(`"name": ?"${FIRST}"`));
    await runJobs(controlPlane);
    await markLast(controlPlane);
    await shown(paths, new RegExp(`"${LAST}": ?"yes"`));
    for (const { child } of watches) child.kill("SIGTERM");
    await Promise.all(watches.map(({ closed }) => closed));
    await endScript();
  } finally {
    await controlPlane.stop();
  }
}

/** A Job and a pod that do nothing: a watch that shows them has begun. */
async function createFirst(controlPlane: ControlPlane): Promise<void> {
  const client = controlPlane.client();
  await client.succeed("POST", JOBS, job(FIRST, "run", { suspend: true }));
  const containers = [{ name: "main", image: "example.com/nothing" }];
  await client.succeed("POST", PODS, { metadata: { name: FIRST, labels: { outcome: "run" } }, spec: { containers } });
}

/** Changes both once more: a watch shows changes in their order, so what shows this one has shown all. */
async function markLast(controlPlane: ControlPlane): Promise<void> {
  const client = controlPlane.client();
  const change = { metadata: { annotations: { [LAST]: "yes" } } };
  await client.succeed("PATCH", `${JOBS}/${FIRST}`, change, MERGE);
  await client.succeed("PATCH", `${PODS}/${FIRST}`, change, MERGE);
}

/** @throws Error when a file does not have the text within two minutes */
async function shown(paths: readonly string[], text: RegExp): Promise<void> {
  const until = Date.now() + 120_000;
  while (!paths.every((path) => text.test(readFileSync(path, "utf8")))) {
    if (Date.now() > until) throw new Error(`kubectl did not show ${text} within two minutes`);
    await setTimeout(50);
  }
}

function watch(
  kubectl: string,
  kubeconfig: string,
  path: string,
  flags: readonly string[],
): { readonly child: ChildProcess; readonly closed: Promise<unknown> } {
  const file = openSync(path, "w");
  const child = spawn(kubectl, ["get", "-A", "--watch", "-o", "json", ...flags], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ["ignore", file, "ignore"],
  });
  closeSync(file);
  return { child, closed: once(child, "close") };
}

async function runJobs(controlPlane: ControlPlane): Promise<void> {
  const client = controlPlane.client();
  const ended = (name: string, type: string): Promise<Job> =>
    client.waitFor<Job>(`${JOBS}?fieldSelector=metadata.name%3D${name}`, ({ status }) =>
      (status?.conditions ?? []).some((condition) => condition.type === type),
    );
  await client.succeed(
    "POST",
    JOBS,
    job("indexed", "succeed", { completions: 4, parallelism: 2, completionMode: "Indexed" }),
  );
  await ended("indexed", "Complete");
  await client.succeed("POST", JOBS, job("retries", "fail-once", { backoffLimit: 2 }));
  await ended("retries", "Complete");
  await client.succeed("POST", JOBS, job("late", "run", { activeDeadlineSeconds: 3, completions: 2, parallelism: 2 }));
  await ended("late", "Failed");
}
