/** What may run but could never start, or has no effect, or what the API server warns of: each with its place. */
import { VirtualClock } from "../../cluster/time/clock.ts";
import { SimulatedRuntime } from "../../cluster/kubelet/simulated-runtime.ts";
import { hasAllObjects } from "../../cluster/manifests/check-run.ts";
import type { Diagnostic } from "../../cluster/manifests/diagnostic.ts";
import { runWarnings } from "../../cluster/manifests/ineffective-fields.ts";
import { neverStarting } from "../../cluster/manifests/never-starting.ts";
import { surroundingsOf } from "../../cluster/manifests/surroundings.ts";
import { unimplementedFields } from "../../cluster/manifests/unimplemented-fields.ts";
import type { LoadedManifest } from "./loaded-manifest.ts";

/** Only asked which fields it honours: all of them. */
const RUNTIME = new SimulatedRuntime({ clock: new VirtualClock(0), random: () => 0 });

export function manifestWarnings({ cluster, nodes, read, loaded }: LoadedManifest): Diagnostic[] {
  const surroundings = surroundingsOf(cluster, nodes, hasAllObjects(read, loaded.refusals));
  return [
    ...runWarnings(loaded, RUNTIME).warnings,
    ...loaded.jobs.flatMap(({ job, input: { manifest } }) => [
      ...neverStarting(job, manifest, surroundings),
      ...unimplementedFields(manifest, ["managedBy"]),
    ]),
  ];
}
