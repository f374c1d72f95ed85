/**
 * Serves CustomResourceDefinitions: accepts their names, serves their resources, and when one is deleted, deletes its
 * objects first. Upstream does this in four controllers of its API server.
 *
 * Invariant: a definition is synced after each of its writes, never within one, because watches are still getting that
 * write. Writes go through the transport, because webhooks may have to be called first. Leaves out pauses: a definition
 * is established as soon as its names are accepted.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";
import type { BareCluster } from "../bare-cluster.ts";
import type { JsonObject, KubeObject } from "../values/types.ts";
import type { ResourceDefinition, ServerRequest } from "../apiserver/contract/context.ts";
import { asEstablished, withAcceptedNames, withCondition } from "../apiserver/custom-resources/conditions.ts";
import { customDefinitions, type Views } from "../apiserver/custom-resources/custom-definitions.ts";
import {
  conditionOf,
  CRD_GROUP,
  CRD_RESOURCE,
  isTrue,
  specOf,
  statusOf,
} from "../apiserver/custom-resources/definition-spec.ts";
import { CLEANUP_FINALIZER } from "../apiserver/custom-resources/definition-strategy.ts";

const CRD_PATH = `/apis/${CRD_GROUP}/v1/${CRD_RESOURCE}`;
const headers = { "user-agent": "kube-apiserver", "content-type": "application/json" };
/** The delay after a refused write, for example by a webhook. */
const RETRY_MS = 5_000;

export interface CustomResourcesOptions {
  readonly cluster: BareCluster;
  readonly clock: Clock;
  /** Called on a timer after the set of served resources has changed. */
  onChange?(served: readonly ResourceDefinition[]): void;
}

/**
 * From now on the cluster serves what CustomResourceDefinitions define. Call the result, outside of a write, to serve
 * at once what was written so far.
 */
export function serveCustomResources(options: CustomResourcesOptions): () => void {
  const resources = new CustomResources(options);
  resources.start();
  return () => resources.syncAll();
}

/** What is served of one definition. */
interface Served {
  readonly definitions: readonly ResourceDefinition[];
  /** The parts of the definition from which it was made. */
  readonly from: string;
}

class CustomResources {
  readonly #cluster: BareCluster;
  readonly #clock: Clock;
  readonly #onChange: CustomResourcesOptions["onChange"];
  /** All definitions, by name. */
  readonly #crds = new Map<string, KubeObject>();
  readonly #served = new Map<string, Served>();
  readonly #views = new Map<string, Views>();
  readonly #due = new Set<string>();
  #telling: Timer | undefined;

  constructor({ cluster, clock, onChange }: CustomResourcesOptions) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  start(): void {
    this.#cluster.observe(({ resource, type, stored }) => {
      if (resource === CRD_RESOURCE) this.#changed(stored.object, type === "DELETED");
      // A terminating definition waits for the deletion of its last object.
      else if (type === "DELETED" && this.#crds.get(resource)?.metadata.deletionTimestamp !== undefined)
        this.#add(resource);
    });
  }

  #changed(crd: KubeObject, isGone: boolean): void {
    const { name } = crd.metadata;
    if (isGone) this.#crds.delete(name);
    else this.#crds.set(name, crd);
    this.#add(name);
    // A name may have become free.
    for (const other of this.#othersOf(crd)) if (!isTrue(other, "NamesAccepted")) this.#add(other.metadata.name);
  }

  #add(name: string): void {
    if (this.#due.has(name)) return;
    this.#due.add(name);
    this.#clock.defer(() => this.#syncDue(name));
  }

  syncAll(): void {
    for (const name of [...this.#due]) this.#syncDue(name);
  }

  #syncDue(name: string): void {
    if (this.#due.delete(name)) this.#sync(name);
  }

  #othersOf(crd: KubeObject): KubeObject[] {
    const { group } = specOf(crd);
    return [...this.#crds.values()].filter(
      (other) => specOf(other).group === group && other.metadata.name !== crd.metadata.name,
    );
  }

  #sync(name: string): void {
    const crd = this.#crds.get(name);
    this.#serve(name, crd);
    if (crd === undefined) return;
    const nowMs = this.#clock.now();
    const next = asEstablished(withAcceptedNames(crd, this.#othersOf(crd), nowMs), nowMs);
    if (next !== crd) this.#write(next);
    else if (crd.metadata.deletionTimestamp !== undefined) this.#finalize(crd);
  }

  /** Writes the status, and what is left of the finalizers. A newer version arrives as a separate write. */
  #write(crd: KubeObject): void {
    const { name } = crd.metadata;
    this.#send(
      { method: "PUT", path: `${CRD_PATH}/${name}/status`, headers, content: crd as unknown as JsonObject },
      name,
    );
  }

  /** Sends a write for a definition, which is synced again if that fails. */
  #send(request: ServerRequest, name: string): void {
    this.#cluster.transport.send(request, ({ status }) => {
      // A deletion or a conflicting change arrives as a separate write.
      if (status >= 400 && status !== 404 && status !== 409) this.#clock.setTimer(RETRY_MS, () => this.#add(name));
    });
  }

  #serve(name: string, crd: KubeObject | undefined): void {
    const before = this.#served.get(name);
    const isServed = crd !== undefined && (isTrue(crd, "Established") || isTrue(crd, "NamesAccepted"));
    const from = isServed ? madeOf(crd) : "";
    if (before?.from === from || (before === undefined && !isServed)) return;
    const views = this.#views.get(name) ?? new Map();
    const definitions = isServed ? customDefinitions(crd, views) : [];
    if (before !== undefined) this.#cluster.withdraw(before.definitions);
    this.#cluster.serve(definitions);
    if (isServed) {
      this.#views.set(name, views);
      this.#served.set(name, { definitions, from });
    } else {
      this.#views.delete(name);
      this.#served.delete(name);
    }
    this.#tellSoon();
  }

  /** Reports once for many definitions, after watches got the last objects of the removed ones. */
  #tellSoon(): void {
    this.#telling ??= this.#clock.setTimer(0, () => {
      this.#telling = undefined;
      this.#onChange?.([...this.#served.values()].flatMap((served) => served.definitions));
    });
  }

  /** Deletes the objects, and when none is left, removes the finalizer of the definition. */
  #finalize(crd: KubeObject): void {
    const finalizers = crd.metadata.finalizers ?? [];
    if (!finalizers.includes(CLEANUP_FINALIZER)) return;
    const nowMs = this.#clock.now();
    if (conditionOf(crd, "Terminating")?.reason === "InstanceDeletionPending") {
      this.#write(
        withCondition(crd, nowMs, {
          type: "Terminating",
          status: "True",
          reason: "InstanceDeletionInProgress",
          message: "CustomResource deletion is in progress",
        }),
      );
      return;
    }
    const wasServed = isTrue(crd, "Established");
    if (wasServed && !this.#isEmptied(crd)) return;
    const { finalizers: _replaced, ...metadata } = crd.metadata;
    const others = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    const free = { ...crd, metadata: others.length === 0 ? metadata : { ...metadata, finalizers: others } };
    this.#write(
      withCondition(free, nowMs, {
        type: "Terminating",
        status: "False",
        reason: wasServed ? "InstanceDeletionCompleted" : "NeverEstablished",
        message: wasServed ? "removed all instances" : "resource was never established",
      }),
    );
  }

  /** Deletes all objects that are not being deleted. @returns whether none is left */
  #isEmptied(crd: KubeObject): boolean {
    const [definition] = this.#served.get(crd.metadata.name)?.definitions ?? [];
    if (definition === undefined) return true;
    const { group, version, resource } = definition;
    const root = `/apis/${group}/${version}`;
    for (const { metadata } of this.#list(`${root}/${resource}`)) {
      if (metadata.deletionTimestamp !== undefined) continue;
      const place = metadata.namespace === undefined ? "" : `/namespaces/${encodeURIComponent(metadata.namespace)}`;
      const path = `${root}${place}/${resource}/${encodeURIComponent(metadata.name)}`;
      this.#send({ method: "DELETE", path, headers }, crd.metadata.name);
    }
    return this.#list(`${root}/${resource}?limit=1`).length === 0;
  }

  #list(path: string): KubeObject[] {
    const answer = this.#cluster.handle({ method: "GET", path, headers });
    return "body" in answer ? (JSON.parse(String(answer.body)) as { items: KubeObject[] }).items : [];
  }
}

/** What the served resources depend on. */
function madeOf(crd: KubeObject): string {
  return JSON.stringify([specOf(crd), statusOf(crd).acceptedNames, isTrue(crd, "Terminating")]);
}
