/** A controller's requests, told apart by what they are for. Source: docs/spec/controller.md 3.6, 4.7, 4.8, 5 and 7. */
import type { JsonObject } from "../../../cluster/types.ts";
import { FAILURES_ANNOTATION, IGNORED_FAILURES_ANNOTATION, INDEX_ANNOTATION, REVISION_ANNOTATION, TRACKING_FINALIZER } from "../facts.ts";
import type { Traffic } from "../faulty-transport.ts";

export type Sent =
  | { readonly kind: "create"; readonly jobUid: string; readonly index: number; readonly failures: string; readonly revision: string | undefined }
  | { readonly kind: "strip" | "delete"; readonly namespace: string; readonly pod: string }
  | { readonly kind: "status"; readonly namespace: string; readonly job: string; readonly uid: string; readonly version: number; readonly status: JsonObject }
  | { readonly kind: "read job"; readonly namespace: string; readonly job: string }
  | { readonly kind: "remove job"; readonly namespace: string; readonly job: string; readonly options: JsonObject }
  | { readonly kind: "list pods of"; readonly jobUid: string }
  | { readonly kind: "list" }
  | { readonly kind: "event" }
  | { readonly kind: "other" };

const POD = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/?]+)$/;
const STATUS = /^\/apis\/batch\/v1\/namespaces\/([^/]+)\/jobs\/([^/]+)\/status$/;
const JOB = /^\/apis\/batch\/v1\/namespaces\/([^/]+)\/jobs\/([^/?]+)$/;
const OWN_PODS = /\/pods\?labelSelector=batch\.kubernetes\.io%2Fcontroller-uid%3D(.+)$/;

const known = new WeakMap<Traffic, Sent>();

export function classify(traffic: Traffic): Sent {
  const sent = known.get(traffic) ?? read(traffic);
  known.set(traffic, sent);
  return sent;
}

function read({ request: { method, path }, body }: Traffic): Sent {
  const [, namespaceOfJob = "", job = ""] = JOB.exec(path) ?? [];
  if (method === "DELETE" && job !== "") return { kind: "remove job", namespace: namespaceOfJob, job, options: JSON.parse(body) as JsonObject };
  if (method === "GET") {
    if (job !== "") return { kind: "read job", namespace: namespaceOfJob, job };
    const own = OWN_PODS.exec(path);
    return own ? { kind: "list pods of", jobUid: own[1]! } : { kind: "list" };
  }
  if (method === "POST" && path.endsWith("/events")) return { kind: "event" };
  if (method === "POST" && path.endsWith("/pods")) return creation(body);
  const [, namespace = "", pod = ""] = POD.exec(path) ?? [];
  if (method === "DELETE" && pod !== "") return { kind: "delete", namespace, pod };
  if (method === "PATCH" && pod !== "" && body === `{"metadata":{"$deleteFromPrimitiveList/finalizers":["${TRACKING_FINALIZER}"]}}`) return { kind: "strip", namespace, pod };
  const status = STATUS.exec(path);
  if (method === "PATCH" && status) {
    const patch = JSON.parse(body) as { metadata: { uid: string; resourceVersion: string }; status: JsonObject };
    return { kind: "status", namespace: status[1]!, job: status[2]!, uid: patch.metadata.uid, version: Number(patch.metadata.resourceVersion), status: patch.status };
  }
  return { kind: "other" };
}

function creation(body: string): Sent {
  const { metadata } = JSON.parse(body) as { metadata: { ownerReferences: { uid: string }[]; annotations?: Record<string, string> } };
  const { annotations = {}, ownerReferences } = metadata;
  return {
    kind: "create", jobUid: ownerReferences[0]!.uid, index: Number(annotations[INDEX_ANNOTATION] ?? -1),
    failures: failureCounts(annotations[FAILURES_ANNOTATION], annotations[IGNORED_FAILURES_ANNOTATION]), revision: annotations[REVISION_ANNOTATION],
  };
}

/** As one text: failures of the index before the pod, and those of them that were ignored; "none": of a Job that does not keep them. */
export function failureCounts(failures: string | undefined, ignored: string | undefined): string {
  return failures === undefined && ignored === undefined ? "none" : `${failures}+${ignored ?? 0}`;
}
