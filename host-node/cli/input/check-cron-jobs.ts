/**
 * What the API server says of the CronJobs whose Jobs are run. It checks them without creating them, because a created
 * CronJob would start Jobs by its schedule.
 *
 * Invariant: a mistake in the template of a CronJob is reported once, with the fields of the CronJob, not of its Job.
 */
import { CRON_JOBS } from "../../../cluster/client/client.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import { attemptIn } from "../../../cluster/manifests/dry-run.ts";
import type { LoadedAndRefused } from "../../../cluster/manifests/load-objects.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import { statusDiagnostics } from "../../../cluster/manifests/status-diagnostics.ts";

/** @param cronJobs by the manifests of their Jobs */
export function withCronJobs(
  cluster: Cluster,
  loaded: LoadedAndRefused,
  cronJobs: ReadonlyMap<Manifest, Manifest>,
): { readonly loaded: LoadedAndRefused; readonly mistakes: readonly Diagnostic[] } {
  const mistakes = new Map([...cronJobs].map(([job, cronJob]) => [job, mistakesOf(cluster, cronJob)]));
  const isTold = (job: Manifest): boolean => (mistakes.get(job)?.length ?? 0) > 0;
  return {
    loaded: { ...loaded, refusals: loaded.refusals.filter(({ input }) => !isTold(input.manifest)) },
    mistakes: [...mistakes.values()].flat(),
  };
}

function mistakesOf(cluster: Cluster, cronJob: Manifest): readonly Diagnostic[] {
  const { object } = cronJob;
  const attempt = attemptIn(cluster, CRON_JOBS, object.metadata?.namespace ?? "default");
  const refusal = attempt(object, "Strict");
  return refusal === undefined ? [] : statusDiagnostics(cronJob, refusal, attempt);
}
