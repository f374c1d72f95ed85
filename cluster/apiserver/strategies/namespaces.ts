/**
 * The life of a Namespace: active from the start, terminating from the first delete, gone when its finalizers
 * are. Emptying it is the work of the namespace controller.
 */
import type { Namespace } from "../../values/kinds.ts";
import type { ResourceRequest, Strategy } from "../contract/context.ts";
import { type FieldError, forbidden } from "../contract/status-errors.ts";
import { keepSpec } from "../verbs/update.ts";

/** The first namespaces of a cluster. Only the last one may be deleted. */
export const initialNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];
const undeletable = new Set(initialNamespaces.slice(0, 3));
const nameLabel = "kubernetes.io/metadata.name";
const contentFinalizer = "kubernetes";

export const namespaceStrategy: Strategy<Namespace> = {
  prepareCreate(namespace) {
    const given: string[] = namespace.spec?.finalizers ?? [];
    const finalizers = given.includes(contentFinalizer) ? given : [...given, contentFinalizer];
    return { ...withNameLabel(namespace), spec: { finalizers }, status: { phase: "Active" } };
  },
  prepareUpdate(namespace, current) {
    return {
      ...withNameLabel(namespace),
      spec: { ...namespace.spec, finalizers: current.spec?.finalizers ?? [] },
    };
  },
  prepareSubresourceUpdate(namespace, current, { subresource }) {
    const labelled = withNameLabel(namespace);
    if (subresource?.name === "finalize") return { ...labelled, status: current.status };
    const { status } = namespace;
    return keepSpec({ ...labelled, status: { ...status, phase: status?.phase || "Active" } }, current);
  },
  validate: namespaceStatusErrors,
  prepareDelete(namespace) {
    const { name, deletionTimestamp } = namespace.metadata;
    if (undeletable.has(name))
      throw forbidden({ group: "", name: "namespaces" }, name, "this namespace may not be deleted");
    if (deletionTimestamp) return namespace;
    return { ...namespace, status: { ...namespace.status, phase: "Terminating" } };
  },
  isHeld: (namespace) => (namespace.spec?.finalizers?.length as number) > 0,
};

function withNameLabel<T extends { metadata: { name: string; labels?: Record<string, string> } }>(namespace: T): T {
  const { name, labels } = namespace.metadata;
  return { ...namespace, metadata: { ...namespace.metadata, labels: { ...labels, [nameLabel]: name } } };
}

/** The rule of a status that a client writes: the phase follows the deletion. */
function namespaceStatusErrors(
  { metadata, status }: Namespace,
  _current: Namespace | undefined,
  { subresource }: ResourceRequest,
): FieldError[] {
  if (subresource?.name !== "status") return [];
  const phase = metadata.deletionTimestamp ? "Terminating" : "Active";
  if (status.phase === phase) return [];
  const detail = `may only be '${phase}' if \`deletionTimestamp\` is ${metadata.deletionTimestamp ? "not " : ""}empty`;
  return [{ kind: "Invalid", field: "status.Phase", value: status.phase, detail }];
}
