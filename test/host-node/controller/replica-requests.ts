/** What tests of controller replicas ask of API servers and of the replicas' pages, and the Jobs that they make. */
import { get } from "node:http";

export const JOBS = "/apis/batch/v1/namespaces/default/jobs";
export const PODS = "/api/v1/namespaces/default/pods";
export const LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/stint-job-controller";
export const MANAGER = "stint.dev/job-controller";
export const POLL_INTERVAL_MS = 20;

/** A Job whose pods end when `simulate` says; of Stint unless `managedBy` says otherwise; null: without the field. */
export function job(name: string, spec: object = {}, managedBy: string | null = MANAGER, simulate?: string): object {
  const annotations = simulate === undefined ? {} : { "stint.dev/simulate": simulate };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: {
      ...(managedBy === null ? {} : { managedBy }),
      ...spec,
      template: {
        metadata: { annotations },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] },
      },
    },
  };
}

/** Asks again until it is so; the test's own time limit is the limit. */
export async function until<T>(ask: () => T | Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

export function fetchPage(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let body = "";
      response
        .on("data", (chunk: Buffer) => (body += chunk.toString()))
        .on("end", () => resolve({ status: response.statusCode!, body }));
    }).on("error", reject);
  });
}
