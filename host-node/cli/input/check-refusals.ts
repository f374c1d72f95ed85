/**
 * What local processes refuse of a pod for good, found out before anything runs: its pods would wait for ever, or fail
 * one after another. And what they warn of.
 */
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import type { KubeObject } from "../../../cluster/types.ts";
import type { ProcessRuntime } from "../../runtime/process-runtime.ts";

type Runtime = Pick<ProcessRuntime, "refused" | "closedVolumes">;

/** @param jobs all of the run, whatever is wrong with them */
export function refusalDiagnostics(manifest: Manifest, runtime: Runtime, jobs: readonly Manifest[]): Diagnostic[] {
  return runtime
    .refused(
      podOf(manifest)!,
      jobs.flatMap((job) => podOf(job) ?? []),
    )
    .map(({ path, why }) => {
      const whole = `spec.template.${path}`;
      return { position: manifest.valueAt(whole), message: `${whole} is refused: ${why}` };
    });
}

/** What containers will not be able to do. The Job has been accepted. */
export function closedVolumeDiagnostics(manifest: Manifest, runtime: Runtime): Diagnostic[] {
  return runtime.closedVolumes(podOf(manifest)!).map(({ path, why }) => {
    const whole = `spec.template.${path}`;
    return { position: manifest.valueAt(whole), message: `${whole}: ${why}` };
  });
}

function podOf(job: Manifest): KubeObject | undefined {
  return job.object["spec"]?.template as KubeObject | undefined;
}
