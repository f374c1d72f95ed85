/**
 * The life of a Namespace: active from the start, terminating from the first delete, gone when its finalizers
 * are. Emptying it is the work of the namespace controller.
 */
import type { JsonObject } from "../../values/types.ts";
import type { Strategy } from "../contract/context.ts";
import { forbidden } from "../contract/status-errors.ts";
import { keepSpec } from "../verbs/update.ts";
import { namespaceStatusErrors } from "./namespace-status.ts";

/** The first namespaces of a cluster. Only the last one may be deleted. */
export const initialNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];
const undeletable = new Set(initialNamespaces.slice(0, 3));
const nameLabel = "kubernetes.io/metadata.name";
const contentFinalizer = "kubernetes";

export const namespaceStrategy: Strategy = {
  prepareCreate(namespace) {
    const given: string[] = namespace["spec"]?.finalizers ?? [];
    const finalizers = given.includes(contentFinalizer) ? given : [...given, contentFinalizer];
    return { ...withNameLabel(namespace), spec: { finalizers }, status: { phase: "Active" } };
  },
  prepareUpdate(namespace, current) {
    return {
      ...withNameLabel(namespace),
      spec: { ...namespace["spec"], finalizers: current["spec"]?.finalizers ?? [] },
    };
  },
  prepareSubresourceUpdate(namespace, current, { subresource }) {
    const labelled = withNameLabel(namespace);
    if (subresource?.name === "finalize") return { ...labelled, status: current["status"] };
    const { status } = namespace;
    return keepSpec({ ...labelled, status: { ...status, phase: status?.phase || "Active" } }, current);
  },
  validate: namespaceStatusErrors,
  prepareDelete(namespace) {
    const { name, deletionTimestamp } = namespace.metadata;
    if (undeletable.has(name))
      throw forbidden({ group: "", name: "namespaces" }, name, "this namespace may not be deleted");
    if (deletionTimestamp) return namespace;
    return { ...namespace, status: { ...(namespace["status"] as JsonObject), phase: "Terminating" } };
  },
  isHeld: (namespace) => namespace["spec"]?.finalizers?.length > 0,
};

function withNameLabel<T extends { metadata: { name: string; labels?: Record<string, string> } }>(namespace: T): T {
  const { name, labels } = namespace.metadata;
  return { ...namespace, metadata: { ...namespace.metadata, labels: { ...labels, [nameLabel]: name } } };
}
