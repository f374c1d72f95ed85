/** What `kubectl get --watch -o json` prints while upstream's controller runs three Jobs on a real API server. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { findOrBuild } from "./binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { scriptPods } from "./scripted-pods.ts";
import { startUpstreamController } from "./upstream-controller.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";

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
    const watches = ["jobs", "pods"].map((resource) =>
      watch(kubectl, controlPlane.kubeconfig(), join(folder, `${resource}.json`), [resource, ...flags]),
    );
    await runJobs(controlPlane);
    for (const { child } of watches) child.kill("SIGTERM");
    await Promise.all(watches.map(({ closed }) => closed));
    await endScript();
  } finally {
    await controlPlane.stop();
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
  // The watches begin.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
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
  // The watches show the end.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}
