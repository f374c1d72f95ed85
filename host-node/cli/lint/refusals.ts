/**
 * What the API server would refuse of Jobs and CronJobs: each is created in a cluster in memory, as a dry run. So the
 * words are those of a run. Invariant: nothing is stored but namespaces, so no object depends on another one.
 */
import type { Engine } from "../../../bindings/js/engine.ts";
import { startQuotas } from "../../../cluster/apiserver/quota/quotas.ts";
import { moreResources } from "../../../cluster/apiserver/registry/more-resources.ts";
import { CRON_JOBS, JOBS, NAMESPACES } from "../../../cluster/client/client.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { BareCluster } from "../../../cluster/bare-cluster.ts";
import { SERVED_KUBERNETES, type ServedVersion } from "../../../cluster/values/kubernetes-versions.ts";
import type { PartsOf } from "../../../cluster/profiles.ts";
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import { attemptIn, createObject } from "../../../cluster/manifests/dry-run.ts";
import { statusDiagnostics } from "../../../cluster/manifests/status-diagnostics.ts";
import type { LintTarget } from "../../lint/targets.ts";
import { unknownFields } from "../../../cluster/apiserver/schema/new-fields.ts";

type Refusable = Pick<LintTarget, "manifest" | "namespace" | "kind">;

export class Refusals {
  readonly #cluster: BareCluster;

  /** @param engine is configured as that version */
  constructor(engine: Engine, kubernetes: ServedVersion = SERVED_KUBERNETES) {
    engine.configure({ kubernetes });
    this.#cluster = new BareCluster({
      clock: new VirtualClock(0),
      random: () => 0.5,
      admission: (review) => engine.review(review),
      quotas: startQuotas,
      moreResources,
      kubernetes,
      unknownFields: unknownFields(kubernetes),
    } satisfies PartsOf<"lint">);
  }

  /** The refusals of an object, each with its position in the file. */
  of({ manifest, namespace, kind }: Refusable): Diagnostic[] {
    const holder = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    createObject(this.#cluster, NAMESPACES, "", holder, { level: "Ignore", isDryRun: false });
    const attempt = attemptIn(this.#cluster, kind === CRON_JOBS.kind ? CRON_JOBS : JOBS, namespace);
    const refusal = attempt(manifest.object, "Strict");
    return refusal === undefined ? [] : statusDiagnostics(manifest, refusal, attempt);
  }
}
