/**
 * What a scenario says about versions of Kubernetes: which servers can play it, and what differs on those that come
 * before a change (host-node/cli/upgrade-check/changes.ts).
 *
 * Stint behaves as SERVED_KUBERNETES does. So on an earlier version upstream's controller differs from it in just what
 * has changed since, and a scenario that names a change has to show that. On a later one it differs in nothing that a
 * scenario shows: such changes are those of the API server.
 */
import { type ChangeId, isAhead } from "../../cluster/values/kubernetes-changes.ts";
import { isBefore, type KubernetesVersion } from "../../cluster/values/kubernetes-versions.ts";
import type { Finding } from "../history/check.ts";
import type { Difference } from "./compare.ts";
import type { Aspect, Scenario } from "./scenario.ts";

/** Gangs need an API that no earlier version has: `scheduling.k8s.io/v1beta1`. */
const GANGS_SINCE: KubernetesVersion = "1.37";
/** What upstream's controller does before a change in many scenarios, as chance has it. */
const BREACHES: readonly { readonly change: ChangeId; readonly rule: string; readonly words: string }[] = [
  {
    change: "active-while-a-retry-waits",
    rule: "no status is refused as invalid",
    words: "cannot set more ready pods than active",
  },
];

export function hasGangs(version: KubernetesVersion): boolean {
  return !isBefore(version, GANGS_SINCE);
}

export function canPlay({ gang = false, since }: Scenario, version: KubernetesVersion): boolean {
  return (!gang || hasGangs(version)) && (since === undefined || !isBefore(version, since));
}

/** The changes after this version that the two controllers show by what differs. */
function changesAfter({ shows = [] }: Scenario, version: KubernetesVersion): NonNullable<Scenario["shows"]> {
  return shows.filter(({ change, aspects }) => aspects !== undefined && isAhead(change, version));
}

/** What may differ on a server of this version. */
export function excusedOn(scenario: Scenario, version: KubernetesVersion): ReadonlySet<Aspect> {
  return new Set([
    ...(scenario.differences ?? []).flatMap(({ excuses }) => excuses),
    ...changesAfter(scenario, version).flatMap(({ aspects }) => aspects!),
  ]);
}

/**
 * Whether it is known that upstream's controller of this version breaks this rule, whatever the scenario: then with
 * these words in the breach.
 */
export function isKnownBreach({ rule, breach }: Finding, version: KubernetesVersion): boolean {
  return BREACHES.some(
    (known) => isAhead(known.change, version) && known.rule === rule && breach.includes(known.words),
  );
}

/** Changes that should have been seen and were not, each as a difference. */
export function unseenChanges(
  scenario: Scenario,
  version: KubernetesVersion,
  found: readonly Difference[],
): Difference[] {
  return changesAfter(scenario, version).flatMap(({ change, aspects }) =>
    found.some(({ aspect }) => aspects!.includes(aspect))
      ? []
      : [{ aspect: aspects![0]!, text: `none, though Kubernetes ${version} is before the change ${change}` }],
  );
}

/** The names of the changes that excuse something on a server of this version. */
export function changesSeen(scenario: Scenario, version: KubernetesVersion): readonly ChangeId[] {
  return changesAfter(scenario, version).map(({ change }) => change);
}
