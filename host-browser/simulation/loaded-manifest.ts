/**
 * What became of a manifest: what was read of it, what was stored, and what is wrong with it. A file that loads a
 * manifest makes it, one that looks for warnings reads it, and neither imports the other.
 */
import type { Cluster } from "../../cluster/cluster.ts";
import type { NodeOptions } from "../../cluster/components.ts";
import type { LoadedAndRefused } from "../../cluster/manifests/load-objects.ts";
import type { ReadInputs } from "../../cluster/manifests/run-inputs.ts";
import type { Problem } from "../messages.ts";

export interface LoadedManifest {
  readonly cluster: Cluster;
  readonly nodes: readonly Omit<NodeOptions, "runtime">[];
  readonly read: ReadInputs;
  readonly loaded: LoadedAndRefused;
  /** In the order of the lines. */
  readonly errors: readonly Problem[];
}
