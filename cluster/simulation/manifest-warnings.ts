/** Warnings, each with its place: what can never start, what has no effect, and what the API server warns of. */
import { VirtualClock } from "../time/clock.ts";
import { SimulatedRuntime } from "../kubelet/simulated-runtime.ts";
import { hasAllObjects } from "../manifests/check-run.ts";
import type { Diagnostic } from "../manifests/diagnostic.ts";
import { runWarnings } from "../manifests/ineffective-fields.ts";
import { neverStarting } from "../manifests/never-starting.ts";
import { surroundingsOf } from "../manifests/surroundings.ts";
import { unimplementedFields } from "../manifests/unimplemented-fields.ts";
import type { LoadedManifest } from "./loaded-manifest.ts";
import { tooFewNodes } from "./pod-limits.ts";

/** Used only to ask which fields it honours: all of them. */
const RUNTIME = new SimulatedRuntime({ clock: new VirtualClock(0), random: () => 0 });

export function manifestWarnings(manifest: LoadedManifest): Diagnostic[] {
  const { cluster, nodes, read, loaded } = manifest;
  const surroundings = surroundingsOf(cluster, nodes, hasAllObjects(read, loaded.refusals));
  return [
    ...runWarnings(loaded, RUNTIME).warnings,
    ...tooFewNodes(manifest),
    ...loaded.jobs.flatMap(({ job, input }) => [
      ...neverStarting(job, input.manifest, surroundings),
      ...unimplementedFields(input.manifest, ["managedBy"]),
    ]),
  ];
}
