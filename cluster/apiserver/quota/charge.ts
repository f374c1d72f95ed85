/**
 * The admission of ResourceQuota: what is created must fit into every quota of its namespace, and is added to their use
 * at once. Source: apiserver/pkg/admission/plugin/resourcequota.
 *
 * Invariant: either all quotas are charged or none. As in the API server, what counts is the status of a quota, not its
 * spec; and a creation that fails afterwards stays charged until recount.ts counts again.
 */
import type { JsonObject, KubeObject } from "../../types.ts";
import type { ResourceRequest } from "../context.ts";
import { addQuantities, milliOf, parseQuantity, quantityText } from "../quantities.ts";
import { type ApiError, forbidden } from "../status-errors.ts";
import type { Stored } from "../store.ts";
import { hasDeadline, isInScopes, missingAmounts, namesFor, type Usage, usageOf } from "./usage.ts";

/** @throws ApiError 403 if an object that is to be created exceeds a quota */
export function chargeCreation(object: KubeObject, request: ResourceRequest, isDryRun: boolean): void {
  charge(object, request, isDryRun, () => true);
}

/** A pod that gets or loses its deadline comes into other scopes. @throws ApiError 403 as chargeCreation */
export function chargeUpdate(pod: KubeObject, current: KubeObject, request: ResourceRequest, isDryRun: boolean): void {
  if (hasDeadline(pod["spec"]) === hasDeadline(current["spec"])) return;
  charge(pod, request, isDryRun, (quota) => !isInScopes(current, request.definition, quota));
}

function charge(
  object: KubeObject,
  request: ResourceRequest,
  isDryRun: boolean,
  isNew: (quota: KubeObject) => boolean,
): void {
  const { server, definition, namespace } = request;
  const store = server.store(server.definition("", "resourcequotas"));
  // Upstream never counts events.
  if (store.latest === undefined || namespace === "" || definition.resource === "events") return;
  let usage: Usage | undefined;
  const charged: (readonly [Stored, JsonObject])[] = [];
  for (const stored of store.scan(`${namespace}/`, "")) {
    const quota = stored.object;
    const names = namesFor(definition, quota["status"].hard ?? {});
    if (names.length === 0 || !isInScopes(object, definition, quota) || !isNew(quota)) continue;
    charged.push([stored, usedWith((usage ??= usageOf(object, definition)), object, quota, names, request)]);
  }
  if (isDryRun) return;
  for (const [{ key, object: quota }, used] of charged)
    store.put(key, { ...quota, status: { ...quota["status"], used } });
}

/** The use of a quota with that of the object. @throws ApiError 403 */
function usedWith(
  usage: Usage,
  object: KubeObject,
  { metadata, status }: KubeObject,
  names: readonly string[],
  { definition }: ResourceRequest,
): JsonObject {
  const refuse = (message: string): ApiError =>
    forbidden({ group: definition.group, name: definition.resource }, object.metadata.name, message);
  const missing = definition.body.kind === "Pod" ? missingAmounts(object, names) : "";
  if (missing !== "") throw refuse(`failed quota: ${metadata.name}: must specify ${missing}`);
  const { hard, used = {} } = status;
  if (names.some((name) => used[name] === undefined))
    throw refuse(`status unknown for quota: ${metadata.name}, resources: ${names.join()}`);
  const requested = names.filter((name) => usage.get(name)?.milli);
  const sums: Record<string, string> = { ...used };
  for (const name of requested) sums[name] = quantityText(addQuantities(parseQuantity(used[name]), usage.get(name)!));
  const exceeded = requested.filter((name) => milliOf(sums[name]!) > milliOf(hard[name]));
  if (exceeded.length === 0) return sums;
  const list = (textOf: (name: string) => string): string => exceeded.map((name) => `${name}=${textOf(name)}`).join();
  const requests = list((name) => quantityText(usage.get(name)!));
  throw refuse(
    `exceeded quota: ${metadata.name}, requested: ${requests}, used: ${list((name) => used[name])}, ` +
      `limited: ${list((name) => hard[name])}`,
  );
}
