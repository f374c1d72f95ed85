/**
 * The history itself: the events that a watch brought and the writes that the server answered tell of the same changes.
 * A history with a hole would let anything pass.
 */
import type { Job, Pod, WriteLine } from "../format.ts";
import type { History, Life, Version } from "../history.ts";
import type { Rule } from "./rule.ts";

/**
 * An answer that leaves open whether the request was carried out: the client was killed meanwhile, or the server timed
 * out waiting for its storage.
 */
const FIRST_UNCERTAIN_STATUS = 500;

export const WHOLENESS: readonly Rule[] = [
  {
    name: "every change has its writer",
    *breaches(history) {
      const removed = new Set(history.writes.filter(mayRemove).map(targetOf));
      const unshown = new Map<string, number>();
      for (const write of history.writes.filter(mayChangeUnshown))
        unshown.set(targetOf(write), (unshown.get(targetOf(write)) ?? 0) + 1);
      for (const life of livesOf(history)) {
        const [itself, all] = targetsOf(life);
        const isRemoved = removed.has(itself) || removed.has(all);
        for (const version of life.versions) {
          if (version.write !== undefined || (isRemoved && isRemoval(version))) continue;
          // A creation that was not answered has no name yet.
          const target = version.before === undefined ? all : itself;
          const left = unshown.get(target) ?? 0;
          if (left === 0) yield `${life.name} changed at version ${version.at}, and no recorded write explains that`;
          else unshown.set(target, left - 1);
        }
      }
    },
  },
  {
    name: "every write that was accepted is seen",
    *breaches(history) {
      const seen = new Set(livesOf(history).flatMap(({ uid, versions }) => versions.map(({ at }) => `${uid} ${at}`)));
      for (const { uid, resourceVersion, status, user, verb, name } of history.writes) {
        // An object that a deletion removes at once may be answered without its version.
        if (resourceVersion === undefined || status >= 300 || seen.has(`${uid} ${resourceVersion}`)) continue;
        yield `the ${verb} of ${name} by ${user} gave version ${resourceVersion}, which no watch has shown`;
      }
    },
  },
];

const livesOf = (history: History): readonly Life<Job | Pod>[] => [...history.jobs.values(), ...history.pods.values()];

const mayRemove = ({ verb, subresource, status }: WriteLine): boolean =>
  status < 300 && (verb.startsWith("delete") || subresource === "eviction");

/** A binding names the node, and an eviction sets a condition: neither is answered with the pod. */
function mayChangeUnshown({ subresource, status }: WriteLine): boolean {
  return (
    status >= FIRST_UNCERTAIN_STATUS || (status < 300 && (subresource === "binding" || subresource === "eviction"))
  );
}

/** What a write is about; a deletecollection is about all of its namespace, and so is a creation without a name. */
const targetOf = ({ resource, namespace, name = "*" }: WriteLine): string => `${resource} ${namespace}/${name}`;

function targetsOf({ name, versions: [first] }: Life<Job | Pod>): readonly [string, string] {
  const { kind, metadata } = first!.object;
  const resource = kind === "Job" ? "jobs" : "pods";
  return [`${resource} ${name}`, `${resource} ${metadata.namespace}/*`];
}

/**
 * A deletion is stored in two steps, of which the answer shows the second; one that waits for a finalizer ends with the
 * write that removes that. A shorter grace comes nearer.
 */
function isRemoval({ before, object, isLast }: Version<Job | Pod>): boolean {
  return (
    before !== undefined && (isLast || object.metadata.deletionTimestamp !== before.object.metadata.deletionTimestamp)
  );
}
