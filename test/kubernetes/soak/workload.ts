/**
 * Jobs of every kind, one after the other, with what must have become of each: for runs in which the controller has a
 * hard time.
 *
 * Invariant: what is checked is what a user can see: the result of the Job, its counters, that every completion came
 * from exactly one pod, that nothing is left with a finalizer. Leaves out who makes life hard.
 */
import type { ApiClient } from "../api-client.ts";
import { isOver } from "../conditions.ts";
import { boundTemplate } from "../kwok.ts";

const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
/** Label of the pods that fail. */
export const FAILS_LABEL = "stint-soak-fails";

interface JobStatus {
  readonly succeeded?: number;
  readonly failed?: number;
  readonly active?: number;
  readonly completedIndexes?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

interface JobObject {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status?: JobStatus;
}

interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly status: { readonly phase: string };
}

interface Kind {
  readonly name: string;
  readonly spec: object;
  readonly fails?: boolean;
  /** What is done to the Job while it runs. */
  readonly meddle?: (client: ApiClient, path: string) => Promise<void>;
  /** Undefined: it is gone. */
  readonly expected:
    | { readonly reason: string; readonly succeeded: number; readonly failed: number; readonly pods: number }
    | undefined;
}

const kinds: readonly Kind[] = [
  {
    name: "indexed",
    spec: { completionMode: "Indexed", completions: 20, parallelism: 5 },
    expected: { reason: "CompletionsReached", succeeded: 20, failed: 0, pods: 20 },
  },
  {
    name: "non-indexed",
    spec: { completions: 10, parallelism: 5 },
    expected: { reason: "CompletionsReached", succeeded: 10, failed: 0, pods: 10 },
  },
  { name: "single", spec: {}, expected: { reason: "CompletionsReached", succeeded: 1, failed: 0, pods: 1 } },
  {
    name: "fails",
    spec: { backoffLimit: 2 },
    fails: true,
    expected: { reason: "BackoffLimitExceeded", succeeded: 0, failed: 3, pods: 3 },
  },
  {
    name: "fails-by-index",
    spec: { completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 1 },
    fails: true,
    expected: { reason: "FailedIndexes", succeeded: 0, failed: 6, pods: 6 },
  },
  {
    name: "suspended",
    spec: { suspend: true, completions: 4, parallelism: 4 },
    meddle: (client, path) => patch(client, path, { suspend: false }),
    expected: { reason: "CompletionsReached", succeeded: 4, failed: 0, pods: 4 },
  },
  {
    name: "scaled",
    spec: { completions: 12, parallelism: 1 },
    meddle: (client, path) => patch(client, path, { parallelism: 6 }),
    expected: { reason: "CompletionsReached", succeeded: 12, failed: 0, pods: 12 },
  },
  {
    name: "deleted",
    spec: { completions: 200, parallelism: 3 },
    meddle: async (client, path) => void (await client.request("DELETE", `${path}?propagationPolicy=Background`)),
    expected: undefined,
  },
];

async function patch(client: ApiClient, path: string, spec: object): Promise<void> {
  await client.succeed("PATCH", path, { spec });
}

/** What went wrong with one Job, in words; empty: nothing. */
export type Findings = readonly string[];

export interface WorkloadOptions {
  readonly client: ApiClient;
  readonly namespace: string;
  /** Chooses the kind. */
  readonly number: number;
  readonly timeoutMs: number;
  /** What the controller itself says of a Job that does not end. */
  readonly explain: (name: string) => Promise<string>;
}

/** Runs one Job from its creation to its deletion, and looks at what became of it. */
export async function runJob({ client, namespace, number, timeoutMs, explain }: WorkloadOptions): Promise<Findings> {
  const kind = kinds[number % kinds.length]!;
  const name = `${kind.name}-${number}`;
  const collection = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  const path = `${collection}/${name}`;
  const template = { metadata: { labels: kind.fails === true ? { [FAILS_LABEL]: "true" } : {} }, ...boundTemplate() };
  const { metadata } = await client.succeed<JobObject>("POST", collection, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { ...kind.spec, template },
  });
  const pods = `/api/v1/namespaces/${namespace}/pods?labelSelector=batch.kubernetes.io%2Fcontroller-uid%3D${metadata.uid}`;
  await kind.meddle?.(client, path);
  const findings: string[] = [];
  const { expected } = kind;
  if (expected !== undefined) {
    try {
      const { status = {} } = await client.waitFor<JobObject>(
        `${collection}?fieldSelector=metadata.name%3D${name}`,
        isOver,
        timeoutMs,
      );
      const items = (await client.succeed<{ items: readonly PodObject[] }>("GET", pods)).items;
      findings.push(...differences(name, expected, status, items));
      const deleted = await podsDeleted(client, namespace, metadata.uid);
      if (deleted > 0) findings.push(`${name} had ${deleted} pods too many, which its controller deleted`);
    } catch (error) {
      const job = await client.succeed<JobObject>("GET", path).catch(({ message }: Error) => message);
      const explanation = await explain(name).catch(({ message }: Error) => message);
      findings.push(
        [
          `${name} does not end: ${(error as Error).message.slice(0, 200)}…`,
          `  it is now: ${JSON.stringify(job)}`,
          `  its controller says: ${explanation}`,
        ].join("\n"),
      );
    }
    await client.request("DELETE", `${path}?propagationPolicy=Background`);
  }
  // Without its finalizer each pod goes, the garbage collector sees to that.
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { items } = await client.succeed<{ items: readonly PodObject[] }>("GET", pods);
    if (items.length === 0) return findings;
    if (performance.now() > deadline)
      return [
        ...findings,
        `${name}: ${items.length} pods are left, ${items.filter(holdsFinalizer).length} of them with a finalizer: ${items
          .slice(0, 3)
          .map(({ metadata }) => metadata.name)
          .join(", ")}`,
      ];
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** How many pods the controller has deleted of a Job, as its events say: also those that are long gone. */
export async function podsDeleted(client: ApiClient, namespace: string, jobUid: string): Promise<number> {
  const { items } = await client.succeed<{ items: readonly { readonly count?: number }[] }>(
    "GET",
    `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.uid%3D${jobUid}%2Creason%3DSuccessfulDelete`,
  );
  return items.reduce((sum, { count = 1 }) => sum + count, 0);
}

function differences(
  name: string,
  expected: NonNullable<Kind["expected"]>,
  status: JobStatus,
  pods: readonly PodObject[],
): string[] {
  const { reason, succeeded, failed } = expected;
  const result = status.conditions!.find(({ type }) => type === "Complete" || type === "Failed")!;
  const findings: string[] = [];
  if (result.reason !== reason) findings.push(`${name} ended with ${result.reason}, not with ${reason}`);
  if ((status.succeeded ?? 0) !== succeeded)
    findings.push(`${name} counts ${status.succeeded ?? 0} succeeded pods, not ${succeeded}`);
  if ((status.failed ?? 0) !== failed) findings.push(`${name} counts ${status.failed ?? 0} failed pods, not ${failed}`);
  if (pods.length !== expected.pods) findings.push(`${name} had ${pods.length} pods, not ${expected.pods}`);
  const held = pods.filter(holdsFinalizer);
  if (held.length > 0) findings.push(`${name} is over, and ${held.length} of its pods have their finalizer`);
  return findings;
}

function holdsFinalizer({ metadata }: PodObject): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}
