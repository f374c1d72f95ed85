/**
 * How many pods a simulation makes of a Job, and how many its nodes have room for. A Job that wants more is answered
 * with a sentence before anything runs: the controller would make pods until the memory ends.
 *
 * Leaves out what pods request: the scheduler says that of each pod.
 */
import type { Diagnostic } from "../manifests/diagnostic.ts";
import type { Manifest } from "../manifests/manifests.ts";
import type { LoadedManifest } from "./loaded-manifest.ts";
import { MAX_PODS_OF_JOB } from "./scenario.ts";

/** The number that decides, and its field: `spec.completions`, or `spec.parallelism` of a Job without completions. */
function wantedOf({ object: { kind, spec } }: Manifest): { field: string; pods: number; atOnce: number } {
  const numberOf = (value: unknown, other: number): number => (typeof value === "number" ? value : other);
  if (kind !== "Job") return { field: "", pods: 0, atOnce: 0 };
  const parallelism = numberOf(spec?.parallelism, 1);
  const completions = numberOf(spec?.completions, -1);
  if (completions < 0) return { field: "spec.parallelism", pods: parallelism, atOnce: parallelism };
  return { field: "spec.completions", pods: completions, atOnce: Math.min(parallelism, completions) };
}

const countText = (count: number): string => count.toLocaleString("en-US");

/** @returns nothing, or why the Job cannot be simulated */
export function tooManyPods(manifest: Manifest): Diagnostic[] {
  const { field, pods } = wantedOf(manifest);
  if (pods <= MAX_PODS_OF_JOB) return [];
  const most = countText(MAX_PODS_OF_JOB);
  const message =
    `${field}: the Job wants ${countText(pods)} pods, and a simulation makes at most ${most} of a Job; ` +
    `set it to ${most} or less, or ask stint forecast, which reckons with any number`;
  return [{ position: manifest.valueAt(field), message }];
}

/** @returns nothing, or how many pods have no node */
export function tooFewNodes({ nodes, loaded }: LoadedManifest): Diagnostic[] {
  const room = nodes.reduce((sum, { capacity }) => sum + Number(capacity?.pods ?? 0), 0);
  return loaded.jobs.flatMap(({ input: { manifest } }) => {
    const { atOnce } = wantedOf(manifest);
    if (atOnce <= room) return [];
    const [most, have, rest] = [atOnce, room, atOnce - room].map(countText);
    const message =
      `spec.parallelism: the Job runs ${most} pods at once, and the nodes have room for ${have}; ` +
      `the other ${rest} wait as Pending: add nodes in “The world”`;
    return [{ position: manifest.valueAt("spec.parallelism"), message }];
  });
}
