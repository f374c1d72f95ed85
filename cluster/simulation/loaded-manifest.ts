/**
 * The result of loading a manifest: what was read of it, what was stored, and what is wrong with it. A file that loads
 * a manifest makes it, one that looks for warnings reads it, and neither imports the other.
 */
import type { BareCluster } from "../bare-cluster.ts";
import type { NodeOptions } from "../components.ts";
import type { LoadedAndRefused } from "../manifests/load-objects.ts";
import type { ReadInputs } from "../manifests/run-inputs.ts";

/** A mistake in the input, and its place. */
export interface Problem {
  readonly severity: "error" | "warning";
  /** Begins with the field if it is about one: `spec.parallelism: Invalid value: …`. */
  readonly message: string;
  /** Line and column count from 1; absent if the problem has no place in the manifest. */
  readonly line?: number;
  readonly column?: number;
}

export interface LoadedManifest {
  readonly cluster: BareCluster;
  readonly nodes: readonly Omit<NodeOptions, "runtime">[];
  readonly read: ReadInputs;
  readonly loaded: LoadedAndRefused;
  /** In the order of the lines. */
  readonly errors: readonly Problem[];
}
