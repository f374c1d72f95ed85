/** Caches the objects that configure admission: webhook configurations, policies, and bindings of these. */
import type { KubeObject } from "../../values/types.ts";
import type { ServerContext } from "../contract/context.ts";
import type { Store } from "../storage/store.ts";

export const ADMISSION_GROUP = "admissionregistration.k8s.io";

/** The objects of one resource. Undefined: they have changed since the last read. */
interface Known {
  readonly store: Store;
  objects: readonly KubeObject[] | undefined;
}

const known = new WeakMap<ServerContext, Map<string, Known>>();

/** All of one resource, by their names. Every write reads them, and they rarely change. */
export function configurations(resource: string, server: ServerContext): readonly KubeObject[] {
  const found = known.get(server)?.get(resource) ?? follow(resource, server);
  return (found.objects ??= [...found.store.scan("", "")].map(({ object }) => object));
}

function follow(resource: string, server: ServerContext): Known {
  const followed: Known = {
    store: server.store(server.definition(ADMISSION_GROUP, resource)),
    objects: undefined,
  };
  followed.store.subscribe(() => (followed.objects = undefined));
  const byResource = known.get(server) ?? new Map<string, Known>();
  known.set(server, byResource.set(resource, followed));
  return followed;
}
