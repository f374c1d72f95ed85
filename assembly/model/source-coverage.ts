/**
 * Whether the sources of a configuration fit together. What one source shows, another has to show in the same
 * namespaces: a Job whose pods no source shows would get new pods for ever, and pods whose Job no source shows would
 * lose their finalizer uncounted. And no object may come from two sources, because the slower one would make deleted
 * objects reappear. Leaves out label selectors: whether two selections overlap is unknown.
 */
import { RESOURCE_JOBS, RESOURCE_POD_GROUPS, RESOURCE_PODS, RESOURCE_WORKLOADS } from "./sources";

const NAMES: StaticArray<string> = ["", "jobs", "pods", "workloads", "podgroups"];

/** The namespaces of the sources, for each RESOURCE_*; "" means all. */
const namespaces: StaticArray<string[]> = [[], [], [], [], []];
/** The first two sources that show the same objects, as a sentence. */
let overlap: string | null = null;
/** What was noted of each source, in order. */
let noted: NotedSource[] = [];

class NotedSource {
  constructor(
    readonly id: string,
    readonly resource: u8,
    readonly namespace: string,
    readonly isSelection: bool,
  ) {}
}

export function forgetSources(): void {
  for (let resource = 0; resource < namespaces.length; ++resource) namespaces[resource] = [];
  noted = [];
  overlap = null;
}

/** Notes that the configuration has this source; `namespace` "" means all. */
export function noteSource(id: string, resource: u8, namespace: string, isSelection: bool): void {
  namespaces[resource].push(namespace);
  for (let i = 0; i < noted.length && overlap === null; ++i) {
    const other = noted[i];
    if (other.resource != resource || (isSelection && other.isSelection)) continue;
    if (namespace != "" && other.namespace != "" && namespace != other.namespace) continue;
    const shared = namespace == "" ? other.namespace : namespace;
    overlap =
      "sources: " +
      other.id +
      " and " +
      id +
      " both show " +
      NAMES[resource] +
      " of " +
      placeOf(shared) +
      ": leave one of the two out";
  }
  noted.push(new NotedSource(id, resource, namespace, isSelection));
}

/** Says in a sentence which two sources show the same objects; null: none do. */
export function overlappingSources(): string | null {
  return overlap;
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
    const where = placeOf(namespace);
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

function placeOf(namespace: string): string {
  return namespace == "" ? "all namespaces" : "namespace " + namespace;
}
