/** test/examples/webhook-cases.json: what the example webhook of every language answers. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

export interface WebhookCase {
  readonly name: string;
  readonly path: string;
  /** Of the Job, without its template. */
  readonly spec: object;
  readonly allowed: boolean;
  /** Of a refusal. */
  readonly message?: string;
  readonly warnings: readonly string[];
  readonly isPatched: boolean;
}

export const webhookCases = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "webhook-cases.json"), "utf8"),
) as readonly WebhookCase[];

const containers = [{ name: "c", image: "busybox" }];
const versions = { group: "batch", version: "v1" };

/** The AdmissionReview of the creation of this Job. */
export function reviewOf({ spec }: WebhookCase): string {
  const template = { spec: { restartPolicy: "Never", containers } };
  const metadata = { name: "j", namespace: "ns", uid: "u" };
  const request = {
    uid: "r",
    operation: "CREATE",
    kind: { ...versions, kind: "Job" },
    resource: { ...versions, resource: "jobs" },
    namespace: "ns",
    object: { apiVersion: "batch/v1", kind: "Job", metadata, spec: { ...spec, template } },
  };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
}
