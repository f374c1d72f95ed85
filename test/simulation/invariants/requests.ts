/**
 * A controller's requests, told apart by what they are for. Source: docs/spec/controller.md 2.7, 3.6, 4.7, 4.8, 5, 7
 * and 11.
 */
import type { JsonObject, KubeObject } from "../../../cluster/values/types.ts";
import { FAILURES_ANNOTATION, IGNORED_FAILURES_ANNOTATION, INDEX_ANNOTATION, REVISION_ANNOTATION } from "../facts.ts";
import type { Traffic } from "../faulty-transport.ts";

export type GangResource = "workloads" | "podgroups";

/** A request to make a Job the controller of a pod, or to release the pod. */
export interface Claim {
  readonly kind: "adopt" | "release";
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly jobUid: string;
  readonly finalizer: string;
}

/** An Event is created, or its count goes up. */
export interface EventWrite {
  readonly kind: "event";
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
}

export type Sent =
  | {
      readonly kind: "create";
      readonly jobUid: string;
      readonly index: number;
      readonly failures: string;
      readonly revision: string | undefined;
      readonly podGroup: string | undefined;
    }
  | { readonly kind: "strip"; readonly namespace: string; readonly pod: string; readonly finalizer: string }
  | { readonly kind: "delete"; readonly namespace: string; readonly pod: string }
  | Claim
  | {
      readonly kind: "create gang";
      readonly resource: GangResource;
      readonly namespace: string;
      readonly object: KubeObject;
    }
  | {
      readonly kind: "resize gang";
      readonly resource: GangResource;
      readonly namespace: string;
      readonly name: string;
      readonly minCount: number;
    }
  | {
      readonly kind: "status";
      readonly namespace: string;
      readonly job: string;
      readonly uid: string;
      readonly version: number;
      readonly status: JsonObject;
    }
  | { readonly kind: "read job"; readonly namespace: string; readonly job: string }
  | { readonly kind: "remove job"; readonly namespace: string; readonly job: string; readonly options: JsonObject }
  | { readonly kind: "list pods of"; readonly jobUid: string }
  | { readonly kind: "list" }
  | EventWrite
  | { readonly kind: "other" };

const POD = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/?]+)$/;
const STATUS = /^\/apis\/batch\/v1\/namespaces\/([^/]+)\/jobs\/([^/]+)\/status$/;
const JOB = /^\/apis\/batch\/v1\/namespaces\/([^/]+)\/jobs\/([^/?]+)$/;
const EVENT = /^\/api\/v1\/namespaces\/([^/]+)\/events(?:\/([^/?]+))?$/;
const GANG = /^\/apis\/scheduling\.k8s\.io\/v1beta1\/namespaces\/([^/]+)\/(workloads|podgroups)(?:\/([^/]+))?$/;
const STRIP = /^\{"metadata":\{"\$deleteFromPrimitiveList\/finalizers":\["([^"]+)"\]\}\}$/;
const OWN_PODS = /\/pods\?labelSelector=batch\.kubernetes\.io%2Fcontroller-uid%3D([^&]+)&limit=500(?:&continue=.+)?$/;

const known = new WeakMap<Traffic, Sent>();

export function classify(traffic: Traffic): Sent {
  const sent = known.get(traffic) ?? read(traffic);
  known.set(traffic, sent);
  return sent;
}

function read({ request: { method, path }, body }: Traffic): Sent {
  const [, namespaceOfJob = "", job = ""] = JOB.exec(path) ?? [];
  if (method === "DELETE" && job !== "")
    return { kind: "remove job", namespace: namespaceOfJob, job, options: JSON.parse(body) as JsonObject };
  if (method === "GET") {
    if (job !== "") return { kind: "read job", namespace: namespaceOfJob, job };
    const own = OWN_PODS.exec(path);
    return own ? { kind: "list pods of", jobUid: own[1]! } : { kind: "list" };
  }
  const event = EVENT.exec(path);
  if (event) return eventWrite(event, body);
  if (method === "POST" && path.endsWith("/pods")) return creation(body);
  const [, namespace = "", pod = ""] = POD.exec(path) ?? [];
  if (method === "DELETE" && pod !== "") return { kind: "delete", namespace, pod };
  if (method === "PATCH" && pod !== "") {
    const finalizer = STRIP.exec(body)?.[1];
    return finalizer === undefined ? claim(namespace, pod, body) : { kind: "strip", namespace, pod, finalizer };
  }
  const gang = GANG.exec(path);
  if (gang) return gangWrite(method, gang, JSON.parse(body) as KubeObject);
  const status = STATUS.exec(path);
  if (method === "PATCH" && status) {
    const patch = JSON.parse(body) as { metadata: { uid: string; resourceVersion: string }; status: JsonObject };
    return {
      kind: "status",
      namespace: status[1]!,
      job: status[2]!,
      uid: patch.metadata.uid,
      version: Number(patch.metadata.resourceVersion),
      status: patch.status,
    };
  }
  return { kind: "other" };
}

function gangWrite(method: string, [, namespace = "", plural, name]: RegExpExecArray, body: KubeObject): Sent {
  const resource = plural as GangResource;
  if (method === "POST") return { kind: "create gang", resource, namespace, object: body };
  const { schedulingPolicy } = (body["spec"].podGroupTemplates?.[0] ?? body["spec"]) as JsonObject;
  const { gang } = schedulingPolicy as { gang: { minCount: number } };
  return { kind: "resize gang", resource, namespace, name: name!, minCount: gang.minCount };
}

function claim(namespace: string, pod: string, body: string): Sent {
  const { metadata } = JSON.parse(body) as {
    metadata: {
      uid?: string;
      ownerReferences?: { uid: string; $patch?: string }[];
      finalizers?: string[];
      "$deleteFromPrimitiveList/finalizers"?: string[];
    };
  };
  const [owner] = metadata.ownerReferences ?? [];
  if (owner === undefined || metadata.uid === undefined) return { kind: "other" };
  const [finalizer = ""] = metadata.finalizers ?? metadata["$deleteFromPrimitiveList/finalizers"] ?? [];
  return {
    kind: owner.$patch === "delete" ? "release" : "adopt",
    namespace,
    pod,
    podUid: metadata.uid,
    jobUid: owner.uid,
    finalizer,
  };
}

function eventWrite([, namespace = "", patched]: RegExpExecArray, body: string): EventWrite {
  const { metadata, count } = JSON.parse(body) as { metadata?: { name: string }; count: number };
  return { kind: "event", namespace, name: patched ?? metadata!.name, count };
}

function creation(body: string): Sent {
  const { metadata, spec } = JSON.parse(body) as {
    metadata: { ownerReferences: { uid: string }[]; annotations?: Record<string, string> };
    spec: { schedulingGroup?: { podGroupName: string } };
  };
  const { annotations = {}, ownerReferences } = metadata;
  return {
    kind: "create",
    jobUid: ownerReferences[0]!.uid,
    index: Number(annotations[INDEX_ANNOTATION] ?? -1),
    failures: failureCounts(annotations[FAILURES_ANNOTATION], annotations[IGNORED_FAILURES_ANNOTATION]),
    revision: annotations[REVISION_ANNOTATION],
    podGroup: spec.schedulingGroup?.podGroupName,
  };
}

/**
 * As one text: failures of the index before the pod, and those of them that were ignored; "none": of a Job that does
 * not keep them.
 */
export function failureCounts(failures: string | undefined, ignored: string | undefined): string {
  return failures === undefined && ignored === undefined ? "none" : `${failures}+${ignored ?? 0}`;
}
