/**
 * Whether the sources of a configuration fit together. A Job whose pods no source shows would get new pods for ever.
 * Pods whose Job no source shows would lose their finalizer uncounted. So what one source shows, another has to show in
 * the same namespaces.
 */
import { RESOURCE_JOBS, RESOURCE_POD_GROUPS, RESOURCE_PODS, RESOURCE_WORKLOADS } from "./sources";

const NAMES: StaticArray<string> = ["", "jobs", "pods", "workloads", "podgroups"];

/** The namespaces of the sources, for each RESOURCE_*; "" means all. */
const namespaces: StaticArray<string[]> = [[], [], [], [], []];

export function forgetSources(): void {
  for (let resource = 0; resource < namespaces.length; ++resource) namespaces[resource] = [];
}

/** Notes that the configuration has a source of this resource; `namespace` "" means all. */
export function noteSource(resource: u8, namespace: string): void {
  namespaces[resource].push(namespace);
}

/** Says in a sentence what is missing; null: nothing. `hasGangs`: Workloads and PodGroups are needed, too. */
export function missingSource(hasGangs: bool): string | null {
  let missing = uncovered(RESOURCE_JOBS, RESOURCE_PODS);
  if (missing === null) missing = uncovered(RESOURCE_PODS, RESOURCE_JOBS);
  if (missing === null && hasGangs) missing = uncovered(RESOURCE_JOBS, RESOURCE_WORKLOADS);
  if (missing === null && hasGangs) missing = uncovered(RESOURCE_JOBS, RESOURCE_POD_GROUPS);
  return missing;
}

function uncovered(shown: u8, needed: u8): string | null {
  for (let i = 0; i < namespaces[shown].length; ++i) {
    const namespace = namespaces[shown][i];
    if (namespaces[needed].includes("") || (namespace != "" && namespaces[needed].includes(namespace))) continue;
    const where = namespace == "" ? "all namespaces" : "namespace " + namespace;
    return (
      "sources: " +
      NAMES[shown] +
      " of " +
      where +
      " need a source of " +
      NAMES[needed] +
      " of " +
      (namespace == "" ? where : "it or of all namespaces")
    );
  }
  return null;
}
