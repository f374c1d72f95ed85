/**
 * Pods that lost the label by which `stint controller` watches them, while it did not run: the commands of
 * docs/controller.md find them and nothing else, and bring them back.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiClient } from "./api-client.ts";
import { findKubectl, whyUnavailable } from "./binaries/binaries.ts";
import { hasCondition } from "./conditions.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { startStintController, type StintController } from "./stint-controller.ts";

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
}
interface Job {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly succeeded?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const LABEL = "batch.kubernetes.io/controller-uid";
const FINALIZER = "stint.dev/job-tracking";
const WAIT = { timeout: 60_000, interval: 200 };

const guide = readFileSync(resolve(import.meta.dirname, "../../docs/controller.md"), "utf8");
const section = guide.split("### Pods that lost their label")[1]!.split(/\n##/)[0]!;
const [findPods, giveLabel] = [...section.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => lines!);

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/nothing" }] } };
const missing = whyUnavailable() ?? (findKubectl() === undefined ? "there is no kubectl in $PATH" : undefined);
if (missing !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${missing}`);

describe.skipIf(missing !== undefined)("pods that lost their label while no controller watched", () => {
  let controlPlane: ControlPlane;
  let client: ApiClient;
  let controller: StintController;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    client = controlPlane.client();
    controller = await start();
  });
  afterAll(() => controlPlane?.stop());

  const start = (): Promise<StintController> => startStintController(controlPlane, { flags: ["--leader-elect=false"] });

  /** What lines of the guide say on standard output. */
  function shell(lines: string): string {
    const environment = {
      ...process.env,
      KUBECONFIG: controlPlane.kubeconfig(),
      KUBECACHEDIR: controlPlane.processes.path("kubectl-cache"),
    };
    const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-euo", "pipefail", "-c", lines], {
      encoding: "utf8",
      env: environment,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return stdout;
  }

  async function podsOf(job: string): Promise<Pod[]> {
    return (await client.succeed<{ items: Pod[] }>("GET", `${PODS}?labelSelector=job-name%3D${job}`)).items;
  }

  async function podOf(job: string): Promise<Pod> {
    await client.succeed("POST", JOBS, {
      metadata: { name: job },
      spec: { managedBy: "stint.dev/job-controller", template },
    });
    return client.waitFor<Pod>(`${PODS}?labelSelector=job-name%3D${job}`, () => true);
  }

  const patch = (path: string, change: object): Promise<unknown> => client.succeed("PATCH", path, change);
  const pathOf = ({ metadata }: Pod): string => `${PODS}/${metadata.name}`;
  const isTracked = async (pod: Pod): Promise<boolean> =>
    (await client.request<Pod>("GET", pathOf(pod))).body.metadata.finalizers?.includes(FINALIZER) ?? false;

  it("are found by the finalizer, and counted or let go once they have it again", async () => {
    const [done, deleted, stray, sound] = [
      await podOf("done"),
      await podOf("deleted"),
      await podOf("stray"),
      await podOf("sound"),
    ];
    await client.succeed("POST", PODS, { metadata: { name: "of-nobody" }, ...template });
    await controller.stop();

    for (const pod of [done, deleted, stray]) await patch(pathOf(pod), { metadata: { labels: { [LABEL]: null } } });
    await patch(`${pathOf(done)}/status`, { status: { phase: "Succeeded" } });
    await client.succeed("DELETE", `${JOBS}/deleted?propagationPolicy=Background`);
    await client.succeed("DELETE", pathOf(deleted));
    await patch(pathOf(stray), { metadata: { ownerReferences: null } });

    controller = await start();
    await expect.poll(async () => (await podsOf("done")).length, WAIT).toBe(2);
    const jobOf = (pod: Pod): string => pod.metadata.ownerReferences![0]!.uid;
    const found = shell(findPods!).trimEnd().split("\n").sort();
    expect(found).toEqual([
      `default ${deleted.metadata.name} ${jobOf(deleted)}`,
      `default ${done.metadata.name} ${jobOf(done)}`,
      `default ${stray.metadata.name}`,
    ]);

    for (const line of found) {
      const [namespace, pod, uid = "none"] = line.split(" ");
      shell(giveLabel!.replace("NAMESPACE", namespace!).replace("POD", pod!).replace("UID", uid));
    }
    const job = await client.waitFor<Job>(`${JOBS}?fieldSelector=metadata.name%3Ddone`, (job) =>
      hasCondition(job, "Complete"),
    );
    expect(job.status!.succeeded).toBe(1);
    await expect.poll(() => isTracked(done), WAIT).toBe(false);
    await expect.poll(() => isTracked(stray), WAIT).toBe(false);
    await expect.poll(async () => (await client.request("GET", pathOf(deleted))).status, WAIT).toBe(404);
    expect(await isTracked(sound)).toBe(true);
    expect(shell(findPods!)).toBe("");
  });
});
