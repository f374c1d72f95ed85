/** The rule of a Namespace's status, which only a client writes: the phase follows the deletion. */
import type { KubeObject } from "../../values/types.ts";
import type { ResourceRequest } from "../contract/context.ts";
import type { FieldError } from "../contract/status-errors.ts";

export function namespaceStatusErrors(
  { metadata, status }: KubeObject,
  _current: KubeObject | undefined,
  { subresource }: ResourceRequest,
): FieldError[] {
  if (subresource?.name !== "status") return [];
  const phase = metadata.deletionTimestamp ? "Terminating" : "Active";
  if (status.phase === phase) return [];
  const detail = `may only be '${phase}' if \`deletionTimestamp\` is ${metadata.deletionTimestamp ? "not " : ""}empty`;
  return [{ kind: "Invalid", field: "status.Phase", value: status.phase, detail }];
}
