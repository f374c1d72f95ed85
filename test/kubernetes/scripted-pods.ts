/**
 * The pods of one namespace on a real API server as a kubelet would report them, by a script in a label: no node, no
 * container, no time.
 *
 * `outcome: succeed` ends at once; `fail-once`: as that, but the first pod of the Job fails; `run` runs until it is
 * deleted. A pod that is deleted has ended as failed, and goes as soon as it has no finalizer.
 */
import type { ControlPlane } from "./control-plane.ts";

const POLL_INTERVAL_MS = 100;

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly {
      readonly uid: string;
      readonly controller?: boolean;
      readonly blockOwnerDeletion?: boolean;
    }[];
  };
  readonly spec: unknown;
  readonly status?: { readonly phase?: string };
}

/** Begins. @returns a function that ends it, and rejects with what has gone wrong meanwhile */
export function scriptPods(controlPlane: ControlPlane, namespace: string): () => Promise<void> {
  const client = controlPlane.client();
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const jobsThatFailed = new Set<string>();
  let isEnding = false;

  function phaseOf({ metadata }: Pod): string {
    const { outcome, "batch.kubernetes.io/job-name": job = "" } = metadata.labels;
    if (metadata.deletionTimestamp !== undefined) return "Failed";
    if (outcome === "run") return "Running";
    if (outcome !== "fail-once" || jobsThatFailed.has(job)) return "Succeeded";
    jobsThatFailed.add(job);
    return "Failed";
  }

  async function report(pod: Pod): Promise<void> {
    const { name, uid } = pod.metadata;
    const current = pod.status?.phase;
    if (current === "Succeeded" || current === "Failed") return;
    const phase = phaseOf(pod);
    if (phase === current) return;
    // The pod may have gone since it was listed.
    const { status } = await client.request("PATCH", `${path}/${name}/status`, {
      metadata: { uid },
      status: { phase },
    });
    if (status !== 200 && status !== 404 && status !== 409)
      throw new Error(`the phase of pod ${name} was refused with status ${status}`);
  }

  async function run(): Promise<void> {
    while (!isEnding) {
      const { items } = await client.succeed<{ items: readonly Pod[] }>("GET", path);
      for (const pod of items) await report(pod);
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }

  const running = run();
  running.catch(() => {}); // The caller that ends it gets the error.
  return async () => {
    isEnding = true;
    await running.finally(() => client.close());
  };
}
