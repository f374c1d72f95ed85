/** The objects that say what admission does: configurations of webhooks, policies, and bindings of these. */
import type { KubeObject } from "../../types.ts";
import type { ServerContext } from "../context.ts";
import type { Store } from "../store.ts";

export const ADMISSION_GROUP = "admissionregistration.k8s.io";

const stores = new WeakMap<ServerContext, Map<string, Store>>();

/** All of one resource, by their names. Every write asks for them. */
export function configurations(resource: string, server: ServerContext): KubeObject[] {
  const known = stores.get(server) ?? new Map<string, Store>();
  stores.set(server, known);
  const store = known.get(resource) ?? server.store(server.definition(ADMISSION_GROUP, resource));
  known.set(resource, store);
  return [...store.scan("", "")].map(({ object }) => object);
}
