/**
 * `account` and `verdict` read of pods and Events the members that assembly/verdict/read-members.ts names, and skip all
 * others. A member that is read and not named there would be absent in every answer; here it is found.
 */
import { describe, expect, test } from "vitest";
import { files, read } from "./sources.ts";

const LISTS = "assembly/verdict/read-members.ts";
const KINDS = "build/kinds.ts";
const READERS = /^assembly\/(account\/.*|verdict\/.*|lint\/restarts|admission\/conditions)\.ts$/;

/** The structs of a pod and of an Event that are read. */
const STRUCTS = [
  "PodSpec",
  "PodStatus",
  "PodCondition",
  "PodSchedulingGate",
  "PodSchedulingGroup",
  "Container",
  "ContainerStatus",
  "ContainerState",
  "ContainerStateRunning",
  "ContainerStateTerminated",
  "ContainerStateWaiting",
  "ContainerRestartRule",
  "ContainerRestartRuleOnExitCodes",
  "Probe",
  "ResourceRequirements",
  "Event",
  "EventSeries",
  "ObjectReference",
];

/** Members for which build/kinds.ts has no struct. */
const MORE = [
  ...["metadata", "name", "namespace", "uid", "labels", "annotations", "managedFields", "finalizers"],
  ...["ownerReferences", "controller", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"],
  ...["spec", "status", "memory", "regarding", "note", "deprecatedLastTimestamp"],
];

/** Names of such members that these files have for something else than a pod or an Event. */
const OTHERS: Readonly<Record<string, string>> = {
  labels: "of the Job",
  managedFields: "of the Job",
  namespace: "of the Job",
  ready: "of the status of the Job",
  image: "of the template of the Job",
  tolerations: "of the template of the Job",
  action: "written in a patch",
  imagePullPolicy: "written in a patch",
  securityContext: "written in a patch",
  command: "a member of the answer",
  count: "a member of the answer",
  signal: "a member of the answer",
};

const wordsIn = (source: string): string[] => [...source.matchAll(/"([a-z]\w*)"/g)].map(([, word]) => word!);

function membersOf(kinds: string, struct: string): string[] {
  const body = new RegExp(`^export interface ${struct}\\b[^{]*\\{\\n(.*?)^\\}`, "ms").exec(kinds)?.[1];
  if (body === undefined) throw new Error(`${KINDS} has no ${struct}`);
  return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name!);
}

/** Members of pods and Events that these sources name, and the list does not. */
function missingIn(sources: readonly string[], listed: ReadonlySet<string>, members: ReadonlySet<string>): string[] {
  const named = new Set(sources.flatMap(wordsIn));
  return [...named].filter((word) => members.has(word) && !listed.has(word) && !(word in OTHERS)).sort();
}

describe("the members that account and verdict read", () => {
  const kinds = read(KINDS);
  const members = new Set([...MORE, ...STRUCTS.flatMap((struct) => membersOf(kinds, struct))]);
  const listed = new Set(wordsIn(read(LISTS)));
  const sources = files.filter((file) => READERS.test(file) && file !== LISTS).map(read);

  test("are all in the lists", () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(missingIn(sources, listed, members)).toEqual([]);
  });

  test("are found when they are not", () => {
    const planted = `stringOf(pod.object("spec"), "priorityClassName")`;
    expect(missingIn([...sources, planted], listed, members)).toEqual(["priorityClassName"]);
  });

  test("are no more than these files name", () => {
    const named = new Set(sources.flatMap(wordsIn));
    expect([...listed, ...Object.keys(OTHERS)].filter((word) => !named.has(word))).toEqual([]);
  });
});
