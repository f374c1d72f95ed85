/** Users and groups that every cluster has. */
import type { User } from "../contract/context.ts";

export const AUTHENTICATED = "system:authenticated";
export const UNAUTHENTICATED = "system:unauthenticated";
/** Whose members may do everything. */
export const MASTERS = "system:masters";

/** The user of a request without credentials. */
export const ANONYMOUS: User = { name: "system:anonymous", groups: [UNAUTHENTICATED] };
/** Whose kubeconfig `stint serve` writes. */
export const ADMINISTRATOR: User = { name: "kubernetes-admin", groups: [MASTERS, AUTHENTICATED] };
/** A component of this process. */
export const COMPONENT: User = { name: "system:apiserver", groups: [MASTERS, AUTHENTICATED] };

/** A service account as a user. */
export function serviceAccountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Groups of the service accounts of a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
