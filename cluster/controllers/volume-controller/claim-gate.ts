/**
 * Holds back pods whose claims are missing or not bound, and releases them to the scheduler when that changes. It reads
 * the cluster synchronously, because the scheduler must have the answer before it continues.
 *
 * Invariant: a pod waits here only while it exists, so there are at most as many as pods. Leaves out claims that wait
 * for their first consumer, and nodes that cannot reach a volume. Source: PreFilter in
 * pkg/scheduler/framework/plugins/volumebinding.
 */
import type { Clock } from "../../../bindings/js/host.ts";
import { CLAIMS, PODS, resourcePath } from "../../client/client.ts";
import type { BareCluster } from "../../bare-cluster.ts";
import { read } from "./claimed-volume.ts";
import type { Pod } from "../../values/kinds.ts";

const UNBOUND = "pod has unbound immediate PersistentVolumeClaims";

export class ClaimGate {
  readonly #cluster: Pick<BareCluster, "handle">;
  /** The callback for a change of a claim, by the uid of the pod. */
  readonly #waiting = new Map<string, () => void>();

  constructor(cluster: Pick<BareCluster, "handle" | "observe">, clock: Clock) {
    this.#cluster = cluster;
    cluster.observe(({ resource, type, stored }) => {
      if (this.#waiting.size === 0) return;
      if (resource === PODS.plural && type === "DELETED") this.#waiting.delete(stored.bare.metadata.uid);
      // Deferred, because an observer must not send a request inside a write.
      else if (resource === CLAIMS.plural) clock.defer(() => this.#tryAll());
    });
  }

  /** Of SchedulerOptions. */
  readonly heldBack = ({ metadata, spec }: Pod, again: () => void): string | undefined => {
    const volumes = spec.volumes ?? [];
    const names = volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
    const reason = names.length === 0 ? undefined : this.#reason(metadata.namespace!, names);
    if (reason !== undefined) this.#waiting.set(metadata.uid, again);
    return reason;
  };

  #tryAll(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const again of waiting) again();
  }

  #reason(namespace: string, names: readonly string[]): string | undefined {
    const claims = names.map((name) => read(this.#cluster, resourcePath(CLAIMS, namespace, name)));
    for (const [i, claim] of claims.entries()) {
      const name = JSON.stringify(names[i]);
      if (claim === undefined) return `persistentvolumeclaim ${name} not found`;
      const { metadata, spec, status } = claim;
      if (status?.phase === "Lost")
        return `persistentvolumeclaim ${name} bound to non-existent persistentvolume ${JSON.stringify(spec.volumeName)}`;
      if (metadata.deletionTimestamp) return `persistentvolumeclaim ${name} is being deleted`;
    }
    return claims.every((claim) => claim!.status?.phase === "Bound") ? undefined : UNBOUND;
  }
}
