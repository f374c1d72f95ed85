/**
 * The text of `kubectl describe job` as a Job, as far as it goes: numbers of the spec, counters, names and images of
 * containers. Its conditions are not printed; the Events of its end say which one it has.
 *
 * Invariant: a field that is not in the text is not made up, but for restartPolicy, which no Job can be without.
 */

/** Of fields that are numbers, or words. */
const NUMBERS: readonly (readonly [label: string, field: string])[] = [
  ["Parallelism", "parallelism"],
  ["Completions", "completions"],
  ["Backoff Limit", "backoffLimit"],
  ["Active Deadline Seconds", "activeDeadlineSeconds"],
  ["TTL Seconds After Finished", "ttlSecondsAfterFinished"],
];
/** Reasons of Events about the end of a Job. */
const FAILURES =
  /^ +Warning +(BackoffLimitExceeded|DeadlineExceeded|PodFailurePolicy|FailedIndexes|MaxFailedIndexesExceeded) +\S+ +\S+ +(.*)$/m;
const SUCCESS = /^ +Normal +Completed +\S+ +\S+ +(.*)$/m;
const STATUSES = /^Pods Statuses: +(\d+) \w+(?: \((\d+) Ready\))? \/ (\d+) Succeeded \/ (\d+) Failed/m;

export const DESCRIBED_NOTE =
  "kubectl describe leaves out conditions and restartPolicy: its Events say how the Job ended, and Never is taken";

/** The Jobs of the text as a List in JSON. `kubectl describe` separates several by empty lines. */
export function describedJobs(text: string): string {
  const parts = text.split(/\n(?=Name: )/);
  return JSON.stringify({ apiVersion: "v1", kind: "List", items: parts.map(jobIn) });
}

function jobIn(text: string): object {
  const value = (label: string): string | undefined => new RegExp(`^${label}: +(\\S.*)$`, "m").exec(text)?.[1];
  const numbers = NUMBERS.flatMap(([label, field]) => {
    const number = Number.parseInt(value(label) ?? "", 10);
    return Number.isNaN(number) ? [] : [[field, number]];
  });
  const mode = value("Completion Mode");
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: value("Name"), namespace: value("Namespace") },
    spec: {
      ...Object.fromEntries(numbers),
      ...(mode === undefined ? {} : { completionMode: mode }),
      ...(value("Suspend") === "true" ? { suspend: true } : {}),
      template: { spec: { restartPolicy: "Never", containers: containersIn(text) } },
    },
    status: statusIn(text, value),
  };
}

function containersIn(text: string): object[] {
  const [, block = ""] = /^ {2}Containers:\n((?: {3}.*(?:\n|$))*)/m.exec(text) ?? [];
  return [...block.matchAll(/^ {3}(\S+):\n(?: {4}.*\n)*? {4}Image: +(\S+)/gm)].map(([, name, image]) => ({
    name,
    image,
  }));
}

function statusIn(text: string, value: (label: string) => string | undefined): object {
  const [, active, ready, succeeded, failed] = STATUSES.exec(text) ?? [];
  const counts = Object.entries({ active, ready, succeeded, failed }).flatMap(([name, count]) =>
    count === undefined || Number(count) === 0 ? [] : [[name, Number(count)]],
  );
  const completed = value("Completed Indexes");
  const [startTime, completionTime] = [timeOf(value("Start Time")), timeOf(value("Completed At"))];
  return {
    ...Object.fromEntries(counts),
    ...(completed === undefined || completed.startsWith("<") ? {} : { completedIndexes: completed }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(completionTime === undefined ? {} : { completionTime }),
    ...conditionsIn(text, completionTime),
  };
}

function conditionsIn(text: string, completionTime: string | undefined): object {
  const [, reason, message] = FAILURES.exec(text) ?? [];
  if (reason !== undefined) return { conditions: [{ type: "Failed", status: "True", reason, message }] };
  if (completionTime === undefined && !SUCCESS.test(text)) return {};
  const complete = { type: "Complete", status: "True", reason: "CompletionsReached" };
  return { conditions: [{ ...complete, ...(completionTime && { lastTransitionTime: completionTime }) }] };
}

/** `Sun, 22 Nov 2026 16:43:57 +0000` */
function timeOf(text: string | undefined): string | undefined {
  const ms = Date.parse(String(text));
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().replace(".000Z", "Z");
}
