/**
 * The quota controller: writes what the objects of a namespace use into the status of its ResourceQuotas, when a quota
 * or its limits are new, when an object goes, and when a pod ends. What is created is charged by admission (charge.ts).
 * Source: pkg/controller/resourcequota.
 *
 * It is a part of the server because there it costs nothing until the first quota is written. Invariant: a tally is the
 * sum over the objects in the stores. It follows every write, so a large namespace is counted once and not each time.
 * Leaves out the API server's repetition every five minutes: no time passes in between in which something gets lost.
 */
import type { ResourceQuota } from "../../values/kinds.ts";
import type { KubeObject } from "../../values/types.ts";
import type { ResourceDefinition, ServerContext } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { addQuantities, quantityText } from "../../values/quantities.ts";
import type { StoreEventOf, StoreOf } from "../contract/store-of.ts";
import type { StoreEvent } from "../storage/store.ts";
import { hasEnded, isInScopes, namesFor, type Usage, usageOf } from "./usage.ts";

const ZERO = { milli: 0n, format: "decimal" } as const;

/** Starts to write the status of a server's quotas. */
export function recount(server: ServerContext): void {
  new QuotaRecount(server);
}

class QuotaRecount {
  readonly #server: ServerContext;
  readonly #quotas: StoreOf<ResourceQuota>;
  readonly #counted: readonly ResourceDefinition[];
  /** The usage of each quota, by its key, as long as its spec stays. */
  readonly #tallies = new Map<string, Usage>();
  /** Keys of quotas whose status may be wrong. */
  readonly #due = new Set<string>();
  #isFollowing = false;

  constructor(server: ServerContext) {
    this.#server = server;
    this.#quotas = server.store(server.definition("", "resourcequotas"));
    this.#counted = server.definitions.filter(({ isNamespaced, resource }) => isNamespaced && resource !== "events");
    this.#quotas.subscribe((event) => this.#quotaWritten(event));
  }

  #quotaWritten({ type, stored: { key, bare }, previous }: StoreEventOf<ResourceQuota>): void {
    if (type === "MODIFIED" && deepEqual(bare.spec, previous!.bare.spec)) return;
    this.#tallies.delete(key);
    if (type === "DELETED") return;
    this.#isDue(key);
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    for (const definition of this.#counted)
      this.#server.store(definition).subscribe((written) => this.#written(written, definition));
  }

  #written({ type, stored: { bare: object }, previous }: StoreEvent, definition: ResourceDefinition): void {
    const before = previous?.bare;
    const after = type === "DELETED" ? undefined : object;
    // Most writes change nothing that is counted.
    if (before && after && before.spec === after.spec && hasEnded(before) === hasEnded(after)) return;
    for (const { key, object: quota } of this.#quotas.scan(`${object.metadata.namespace}/`, "")) {
      if (namesFor(definition, quota.spec.hard ?? {}).length === 0) continue;
      const tally = this.#tallies.get(key);
      if (tally && before) add(tally, before, definition, quota, -1n);
      if (tally && after) add(tally, after, definition, quota, 1n);
      if (before) this.#isDue(key);
    }
  }

  /** The status is written when the present request has been answered. */
  #isDue(key: string): void {
    if (this.#due.size === 0) this.#server.clock.defer(() => this.#recount());
    this.#due.add(key);
  }

  #recount(): void {
    const due = [...this.#due];
    this.#due.clear();
    for (const key of due) {
      const quota = this.#quotas.get(key)?.object;
      if (quota === undefined) continue;
      const { hard } = quota.spec;
      const tally = this.#tally(key, quota);
      const used: Record<string, string> = {};
      for (const name in hard) {
        const amount = tally.get(name);
        // An amount that the server cannot count stays as a client wrote it.
        const text = amount ? quantityText(amount) : quota.status.used?.[name];
        if (text !== undefined) used[name] = text;
      }
      // In written form: empty maps are left out, and names are in order, as they are in the spec.
      const status = { ...(hard && { hard }), ...(Object.keys(used).length > 0 && { used }) };
      if (!deepEqual(status, quota.status)) this.#quotas.put(key, { ...quota, status });
    }
  }

  #tally(key: string, quota: ResourceQuota): Usage {
    const known = this.#tallies.get(key);
    if (known) return known;
    const hard = quota.spec.hard ?? {};
    // Resources that this server does not have, such as services, count as zero.
    const tally: Usage = new Map(
      Object.keys(hard)
        .filter((name) => !name.includes("/"))
        .map((name) => [name, ZERO]),
    );
    for (const definition of this.#counted) {
      const names = namesFor(definition, hard);
      for (const name of names) tally.set(name, ZERO);
      if (names.length === 0) continue;
      for (const { bare: object } of this.#server.store(definition).scan(`${quota.metadata.namespace}/`, ""))
        add(tally, object, definition, quota, 1n);
    }
    this.#tallies.set(key, tally);
    return tally;
  }
}

function add(
  tally: Usage,
  object: KubeObject,
  definition: ResourceDefinition,
  quota: ResourceQuota,
  sign: 1n | -1n,
): void {
  if (!isInScopes(object, definition, quota)) return;
  for (const [name, { milli, format }] of usageOf(object, definition)) {
    const sum = tally.get(name);
    if (sum) tally.set(name, addQuantities(sum, { milli: sign * milli, format }));
  }
}
