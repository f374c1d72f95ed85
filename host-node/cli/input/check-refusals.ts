/**
 * Finds what local processes, or containers, always refuse about a pod before anything runs: otherwise its pods would
 * wait for ever, or fail one after another. Also finds what they warn of.
 */
import type { UnsupportedField } from "../../../cluster/kubelet/container-runtime.ts";
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import type { ProcessRuntime } from "../../runtime/process-runtime.ts";
import type { Pod } from "../../../cluster/values/kinds.ts";

/** A runtime that really runs pods. */
interface Refusing {
  refused(pod: Pod, pods: readonly Pod[]): readonly UnsupportedField[];
}

/** @param jobs all Jobs of the run, also those that have mistakes */
export function refusalDiagnostics(manifest: Manifest, runtime: Refusing, jobs: readonly Manifest[]): Diagnostic[] {
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

/** Warnings for an accepted Job: the volumes that its containers will not be able to write to. */
export function closedVolumeDiagnostics(
  manifest: Manifest,
  runtime: Pick<ProcessRuntime, "closedVolumes">,
): Diagnostic[] {
  return runtime.closedVolumes(podOf(manifest)!).map(({ path, why }) => {
    const whole = `spec.template.${path}`;
    return { position: manifest.valueAt(whole), message: `${whole}: ${why}` };
  });
}

function podOf(job: Manifest): Pod | undefined {
  return job.object["spec"]?.template as Pod | undefined;
}
