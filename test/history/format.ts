/**
 * The history of one API server as it is seen from outside, as JSON Lines: one JSON object a line, told apart by
 * `line`.
 *
 * - `history`, the first line: the format, the server's version, which users are Job controllers (each process that was
 *   started is a separate user), and which program that was.
 * - `write`: a request that changes Jobs or Pods, of anybody, with the answer. Taken from the server's own audit log,
 *   so that it does not depend on what clients report.
 * - `read`: a list or watch of Jobs or Pods that a controller has begun. It says what that controller must know from
 *   then on.
 * - `event`: what a watch said that was begun straight at the server before there was any Job or Pod. These are the
 *   stored versions of every object.
 *
 * Times are milliseconds since the history began, by the server's clock, and order nothing but requests that changed
 * nothing. What is stored is ordered by `resourceVersion`: one etcd counts them for Jobs and Pods together. The lines
 * may come in any order.
 *
 * Objects lack what no rule asks for: managed fields, pod templates, most of a pod's spec and status. A write of which
 * the answer is an object has its uid and resourceVersion alone, for the event has the rest; what was sent is kept
 * where a controller was refused.
 */

export const FORMAT = 1;

export interface HistoryLine {
  readonly line: "history";
  readonly format: typeof FORMAT;
  /** Of the server: `v1.36.3`. */
  readonly server: string;
  readonly controllers: readonly Controller[];
}

export interface Controller {
  readonly user: string;
  readonly program: "upstream" | "stint";
}

export type Resource = "jobs" | "pods";

export interface WriteLine {
  readonly line: "write";
  readonly user: string;
  /** The program that it says it is: `kwok`, `kube-controller-manager`. No rule asks for it. */
  readonly agent?: string;
  /** As RBAC knows it: create, update, patch, delete, deletecollection. */
  readonly verb: string;
  readonly resource: Resource;
  /** `status`, `binding`, `eviction`… */
  readonly subresource?: string;
  readonly namespace: string;
  /** None for a deletecollection, and for a creation that was refused before it had a name. */
  readonly name?: string;
  readonly sentMs: number;
  readonly answeredMs: number;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Its body, where a controller was refused. */
  readonly request?: unknown;
  /**
   * Of the object in the answer; none when the answer was a Status. One that a deletion removed at once may have no
   * version.
   */
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Of a refusal. */
  readonly message?: string;
  /**
   * It reached the server after its client had seen it fail, or a second time: the client could not know of it. The
   * network of a test marks it so, by an audit id that begins with {@link LATE_AUDIT_ID}.
   */
  readonly isLate?: true;
}

/** Begins the header `Audit-ID` of a request that its sender could not know to arrive. */
export const LATE_AUDIT_ID = "late-";

export interface ReadLine {
  readonly line: "read";
  readonly user: string;
  readonly resource: Resource;
  /** None: all of them. */
  readonly namespace?: string;
  readonly sentMs: number;
  /** The request asked for the newest state, not for that of a cache (resourceVersion=""). */
  readonly isConsistent: boolean;
}

export interface EventLine {
  readonly line: "event";
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Job | Pod;
}

export type Line = HistoryLine | WriteLine | ReadLine | EventLine;

export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string; readonly controller?: boolean }[];
}

export interface Condition {
  readonly type: string;
  readonly status: string;
}

export interface JobStatus {
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
  readonly conditions?: readonly Condition[];
}

export interface FailureRule {
  readonly action: string;
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator: string;
    readonly values: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
}

export interface Job {
  readonly kind: "Job";
  readonly metadata: Metadata;
  readonly spec: {
    readonly parallelism?: number;
    readonly completions?: number;
    readonly completionMode?: string;
    readonly suspend?: boolean;
    readonly managedBy?: string;
    readonly backoffLimitPerIndex?: number;
    readonly podReplacementPolicy?: string;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly successPolicy?: unknown;
    readonly podFailurePolicy?: { readonly rules: readonly FailureRule[] };
  };
  readonly status?: JobStatus;
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: { readonly terminated?: { readonly exitCode: number } };
}

export interface Pod {
  readonly kind: "Pod";
  readonly metadata: Metadata;
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

const KINDS: readonly string[] = ["history", "write", "read", "event"] satisfies Line["line"][];

/** @throws Error naming the line that cannot be read, and what is wrong with it */
export function parseHistory(text: string): Line[] {
  const lines = text.split("\n").flatMap((line, at) => (line === "" ? [] : [parseLine(line, at + 1)]));
  const [header] = lines;
  if (header?.line !== "history")
    throw new Error(
      `line 1 is ${header?.line ?? "missing"}; allowed is a line of the kind history, with which each begins`,
    );
  if (header.format !== FORMAT)
    throw new Error(`line 1 says format ${header.format}; this program reads format ${FORMAT}`);
  return lines;
}

function parseLine(line: string, number: number): Line {
  let value: { line?: string };
  try {
    value = JSON.parse(line) as typeof value;
  } catch (error) {
    throw new Error(`line ${number} is no JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!KINDS.includes(value.line ?? ""))
    throw new Error(`line ${number} is of the kind ${JSON.stringify(value.line)}; allowed are ${KINDS.join(", ")}`);
  return value as Line;
}

export function formatHistory(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
