/**
 * The admission of ResourceQuota: a new object must fit into every quota of its namespace, and is charged to them at
 * once. Source: apiserver/pkg/admission/plugin/resourcequota.
 *
 * Invariant: either all quotas are charged or none. As in the API server, what counts is the status of a quota, not its
 * spec; and a creation that fails afterwards stays charged until recount.ts counts again.
 */
import type { Pod, ResourceQuota } from "../../values/kinds.ts";
import type { KubeObject } from "../../values/types.ts";
import type { ResourceRequest } from "../contract/context.ts";
import { addQuantities, milliOf, parseQuantity, quantityText } from "../../values/quantities.ts";
import type { StoredOf } from "../contract/store-of.ts";
import { hasDeadline, isInScopes, missingAmounts, namesFor, type Usage, usageOf } from "./usage.ts";

/** See Quotas. A changed pod enters other scopes when it gets or loses its deadline. */
export function charge(
  object: KubeObject,
  current: KubeObject | undefined,
  request: ResourceRequest,
  isDryRun: boolean,
): string | undefined {
  const { server, definition, namespace } = request;
  const isPod = definition.body.kind === "Pod";
  if (current && !(isPod && hasDeadline(object.spec) !== hasDeadline(current.spec))) return undefined;
  const store = server.store(server.definition("", "resourcequotas"));
  // Upstream never counts events.
  if (store.latest === undefined || namespace === "" || definition.resource === "events") return undefined;
  let usage: Usage | undefined;
  const charged: (readonly [StoredOf<ResourceQuota>, Record<string, string>])[] = [];
  for (const stored of store.scan(`${namespace}/`, "")) {
    const quota = stored.object;
    const names = namesFor(definition, quota.status.hard ?? {});
    if (names.length === 0 || !isInScopes(object, definition, quota)) continue;
    if (current && isInScopes(current, definition, quota)) continue;
    const missing = isPod ? missingAmounts(object as Pod, names) : "";
    if (missing !== "") return `failed quota: ${quota.metadata.name}: must specify ${missing}`;
    const used = usedWith((usage ??= usageOf(object, definition)), quota, names);
    if (typeof used === "string") return used;
    charged.push([stored, used]);
  }
  if (isDryRun) return undefined;
  for (const [{ key, object: quota }, used] of charged) store.put(key, { ...quota, status: { ...quota.status, used } });
  return undefined;
}

/** The usage of a quota with the object, or why it does not fit. */
function usedWith(
  usage: Usage,
  { metadata, status }: ResourceQuota,
  names: readonly string[],
): Record<string, string> | string {
  const { hard, used = {} } = status;
  if (names.some((name) => used[name] === undefined))
    return `status unknown for quota: ${metadata.name}, resources: ${names.join()}`;
  const requested = names.filter((name) => usage.get(name)?.milli);
  const sums: Record<string, string> = { ...used };
  for (const name of requested) sums[name] = quantityText(addQuantities(parseQuantity(used[name]!), usage.get(name)!));
  const exceeded = requested.filter((name) => milliOf(sums[name]!) > milliOf(hard![name]!));
  if (exceeded.length === 0) return sums;
  const list = (textOf: (name: string) => string): string => exceeded.map((name) => `${name}=${textOf(name)}`).join();
  const requests = list((name) => quantityText(usage.get(name)!));
  return (
    `exceeded quota: ${metadata.name}, requested: ${requests}, used: ${list((name) => used[name]!)}, ` +
    `limited: ${list((name) => hard![name]!)}`
  );
}
