/** A controller's requests, told apart by what they are for. Source: docs/spec/controller.md 3.6, 4.7, 4.8, 5 and 7. */
import type { JsonObject } from "../../../cluster/types.ts";
import { INDEX_ANNOTATION, TRACKING_FINALIZER } from "../facts.ts";
import type { Traffic } from "../faulty-transport.ts";

export type Sent =
  | { readonly kind: "create"; readonly jobUid: string; readonly index: number }
  | { readonly kind: "strip" | "delete"; readonly namespace: string; readonly pod: string }
  | { readonly kind: "status"; readonly namespace: string; readonly job: string; readonly uid: string; readonly status: JsonObject }
  | { readonly kind: "list pods of"; readonly jobUid: string }
  | { readonly kind: "list" }
  | { readonly kind: "event" }
  | { readonly kind: "other" };

const POD = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/?]+)$/;
const STATUS = /^\/apis\/batch\/v1\/namespaces\/([^/]+)\/jobs\/([^/]+)\/status$/;
const OWN_PODS = /\/pods\?labelSelector=batch\.kubernetes\.io%2Fcontroller-uid%3D(.+)$/;

const known = new WeakMap<Traffic, Sent>();

export function classify(traffic: Traffic): Sent {
  const sent = known.get(traffic) ?? read(traffic);
  known.set(traffic, sent);
  return sent;
}

function read({ request: { method, path }, body }: Traffic): Sent {
  if (method === "GET") {
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
    const patch = JSON.parse(body) as { metadata: { uid: string }; status: JsonObject };
    return { kind: "status", namespace: status[1]!, job: status[2]!, uid: patch.metadata.uid, status: patch.status };
  }
  return { kind: "other" };
}

function creation(body: string): Sent {
  const { metadata } = JSON.parse(body) as { metadata: { ownerReferences: { uid: string }[]; annotations?: Record<string, string> } };
  return { kind: "create", jobUid: metadata.ownerReferences[0]!.uid, index: Number(metadata.annotations?.[INDEX_ANNOTATION] ?? -1) };
}
