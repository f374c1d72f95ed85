/**
 * Differences that are planted into a Job controller, by changing what it sends, and the kind of divergence that has to
 * be found for each: a comparison that finds none of them proves nothing. They fit Stint's requests and upstream's.
 */
import type { DivergenceKind } from "../../../host-node/shadow/divergence.ts";

/** A request of the controller. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export type Tampering = (request: Sent) => readonly Sent[];

export interface Planted {
  readonly difference: string;
  readonly kind: DivergenceKind;
  /** Makes what says what is sent in the place of a request, one after the other. */
  readonly plant: () => Tampering;
  readonly job: Readonly<Record<string, unknown>>;
  /** As in the annotation `stint.dev/simulate`. */
  readonly outcome?: object;
  /** What a user changes in the Job ten seconds after its creation. */
  readonly patch?: object;
}

type Fields = Record<string, any>;

const TWO_PODS = { completions: 2, parallelism: 2 };
const SECONDS = (count: number): object => ({ runMs: count * 1000 });
const INDEXED = { completionMode: "Indexed", completions: 3, parallelism: 1 };
const SURPLUS = { completions: 4, parallelism: 4 };

export const PLANTED: readonly Planted[] = [
  {
    difference: "one pod more is created than wanted",
    kind: "creation",
    job: TWO_PODS,
    outcome: SECONDS(20),
    plant: () => once(isCreation, (request) => [request, request]),
  },
  {
    difference: "the last pod is not created",
    kind: "creation",
    job: { ...INDEXED, parallelism: 3 },
    outcome: SECONDS(60),
    plant: () => (request) => (isCreation(request) && request.body.includes('"2"') ? [readOf(request)] : [request]),
  },
  {
    difference: "pods lack a label of the template",
    kind: "creation",
    job: { ...TWO_PODS, template: { metadata: { labels: { team: "a" } } } },
    plant: () => rewriting(isCreation, (pod) => delete pod["metadata"].labels.team),
  },
  {
    difference: "failed pods are counted twice",
    kind: "status",
    job: { completions: 1, backoffLimit: 4 },
    outcome: { ...SECONDS(4), exitCodes: [1, 0] },
    plant: () => rewriting(isStatus, ({ status }) => status.failed && (status.failed = 2)),
  },
  {
    difference: "a completed index is forgotten",
    kind: "status",
    job: { ...INDEXED, parallelism: 3 },
    outcome: { byIndex: { 0: SECONDS(4), 1: SECONDS(4), 2: SECONDS(40) } },
    plant: () =>
      rewriting(isStatus, ({ status }) => {
        if (status.completedIndexes === "0,1") Object.assign(status, { completedIndexes: "1", succeeded: 1 });
      }),
  },
  {
    difference: "a suspended Job does not say so",
    kind: "condition",
    job: { ...TWO_PODS, suspend: true },
    plant: () =>
      rewriting(isStatus, ({ status }) => {
        status.conditions = status.conditions?.filter(({ type }: Fields) => type !== "Suspended");
      }),
  },
  {
    difference: "a failed Job names another reason",
    kind: "end",
    job: { completions: 1, backoffLimit: 0 },
    outcome: { ...SECONDS(4), exitCode: 1 },
    plant: () =>
      rewriting(isStatus, ({ status }) => {
        for (const condition of status.conditions ?? [])
          if (condition.reason === "BackoffLimitExceeded") condition.reason = "DeadlineExceeded";
      }),
  },
  {
    difference: "a Job does not end",
    kind: "end",
    job: TWO_PODS,
    plant: () =>
      rewriting(isStatus, ({ status }) => {
        delete status.completionTime;
        status.conditions = status.conditions?.filter(({ type }: Fields) => type !== "Complete");
      }),
  },
  {
    difference: "the start time is an hour too early",
    kind: "timing",
    job: TWO_PODS,
    plant: () => {
      let early: string | undefined;
      return rewriting(isStatus, ({ status }) => {
        if (status.startTime === undefined) return;
        early ??= `${new Date(Date.parse(status.startTime) - 3_600_000).toISOString().slice(0, -5)}Z`;
        status.startTime = early;
      });
    },
  },
  {
    difference: "finalizers stay on pods that have to be counted",
    kind: "finalizer",
    job: TWO_PODS,
    plant: () => (request) => (isRemoval(request) ? [readOf(request)] : [request]),
  },
  {
    difference: "a finalizer is removed before its pod is stored as uncounted",
    kind: "finalizer",
    job: { completions: 1, backoffLimit: 4 },
    plant: () =>
      rewriting(isStatus, ({ status }) => {
        if (status.uncountedTerminatedPods !== undefined) status.uncountedTerminatedPods = EMPTY;
      }),
  },
  {
    difference: "surplus pods are not deleted",
    kind: "deletion",
    job: SURPLUS,
    outcome: SECONDS(120),
    patch: { spec: { parallelism: 1 } },
    plant: () => (request) => (request.method === "DELETE" ? [readOf(request)] : [request]),
  },
];

/** No UIDs, in a merge patch and in a whole object. */
const EMPTY = { succeeded: null, failed: null };

export function isCreation({ method, path }: Sent): boolean {
  return method === "POST" && /\/pods(\?|$)/.test(path);
}

function isStatus({ method, path }: Sent): boolean {
  return (method === "PATCH" || method === "PUT") && /\/jobs\/[^/]+\/status(\?|$)/.test(path);
}

function isRemoval({ method, body }: Sent): boolean {
  return method === "PATCH" && body.includes("$deleteFromPrimitiveList/finalizers");
}

/** Reads what would be changed. */
function readOf({ path }: Sent): Sent {
  return { method: "GET", path: path.replace(/\/status$/, ""), body: "" };
}

function rewriting(isMeant: (request: Sent) => boolean, change: (body: Fields) => unknown): Tampering {
  return (request) => {
    if (!isMeant(request)) return [request];
    const body = JSON.parse(request.body) as Fields;
    change(body);
    return [{ ...request, body: JSON.stringify(body) }];
  };
}

function once(isMeant: (request: Sent) => boolean, instead: (request: Sent) => readonly Sent[]): Tampering {
  let isDone = false;
  return (request) => {
    if (isDone || !isMeant(request)) return [request];
    isDone = true;
    return instead(request);
  };
}
