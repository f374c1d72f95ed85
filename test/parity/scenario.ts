/**
 * A parity scenario as data: Jobs, what their pods do, what users do to them meanwhile, and when it is over.
 *
 * A scenario says nothing about what should come out: upstream's controller says that. It names the rows of
 * docs/conformance.md that it is about, and the rows of docs/differences.md that excuse what differs. Everything in it
 * is plain data, so that it can be listed and checked without running.
 */

import type { ChangeId } from "../../cluster/values/kubernetes-changes.ts";
import type { KubernetesVersion } from "../../cluster/values/kubernetes-versions.ts";

/** What is compared (compare.ts). */
export const ASPECTS = [
  "status",
  "order",
  "events",
  "pods created",
  "pods at once",
  "pods left",
  "pod contents",
  "gaps",
  "objects",
] as const;
export type Aspect = (typeof ASPECTS)[number];

/**
 * How a simulated container ends: the schema of the annotation `stint.dev/simulate`
 * (cluster/kubelet/simulation-outcome.ts).
 */
export type PodOutcome = Readonly<Record<string, unknown>>;

/**
 * Facts about a scenario's main Job and all its pods; those that are given must hold together. Numbers are "at least".
 */
export interface Moment {
  /** Pods that are there and in this state. `terminating`: with a deletionTimestamp, and not over. */
  readonly pods?: Readonly<
    Partial<Record<"Pending" | "Running" | "Ready" | "Succeeded" | "Failed" | "terminating", number>>
  >;
  /** Pods that were ever seen. */
  readonly created?: number;
  /** Pods that were seen and are gone. */
  readonly gone?: number;
  readonly status?: Readonly<Partial<Record<"active" | "ready" | "succeeded" | "failed" | "terminating", number>>>;
  /** A condition with status True; with `!` in front of it one that is there with status False. */
  readonly condition?: string;
  /** Events about the Jobs, by reason: how often each was written. */
  readonly events?: Readonly<Record<string, number>>;
}

/** One pod among those that are neither over nor being deleted, in the order of their creation. */
export interface PodChoice {
  readonly index?: number;
  /** Default: 0, the first. */
  readonly nth?: number;
}

export type Act =
  | {
      readonly patchJob: Readonly<Record<string, unknown>>;
      readonly subresource?: "status";
      readonly job?: string;
      /** Servers before this change refuse it as invalid. */
      readonly refusedBefore?: ChangeId;
    }
  /** The spec of a Job that is only tried. Servers before this change refuse it, or drop the field if one is given. */
  | { readonly tryJob: Readonly<Record<string, unknown>>; readonly refusedBefore: ChangeId; readonly field?: string }
  /** The spec of a Job that is only tried. Servers since this change refuse it as invalid. */
  | { readonly tryJob: Readonly<Record<string, unknown>>; readonly refusedSince: ChangeId }
  | { readonly deleteJob: "Background" | "Foreground" | "Orphan"; readonly job?: string }
  | { readonly deletePod: PodChoice; readonly gracePeriodSeconds?: number }
  | { readonly evictPod: PodChoice }
  | { readonly patchPod: PodChoice; readonly with: Readonly<Record<string, unknown>>; readonly subresource?: "status" }
  | { readonly create: readonly Manifest[] }
  | { readonly deleteNamespace: true };

export type Action = Act & {
  /** Awaited first. Default: nothing. */
  readonly when?: Moment;
  /** And then this. Default: 0. */
  readonly afterMs?: number;
};

/** An object without namespace, which is that of the run. Its name gets the scenario's name in front, with a hyphen. */
export interface Manifest {
  readonly kind: "Job" | "Pod" | "ResourceQuota" | "Workload";
  readonly metadata?: Readonly<Record<string, unknown>> & { readonly name?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/**
 * Writes of a controller that a gate does not let through: those after the first `after` whose `METHOD path` matches.
 */
export interface HeldWrites {
  /** Regular expression. */
  readonly requests: string;
  /** Regular expression of another write: only from then on. Default: from the start. */
  readonly armedBy?: string;
  /** Default: 0. */
  readonly after?: number;
}

/** How a scenario shows a change between versions of Kubernetes. */
export interface ShownChange {
  readonly change: ChangeId;
  /** Before the change, upstream's controller differs from Stint's in one of these at least. */
  readonly aspects?: readonly Aspect[];
  /** A field of the Job, which servers before the change drop. */
  readonly field?: string;
  /** A field of the Job's pods, which servers before the change do not fill in. */
  readonly podField?: string;
}

export interface Scenario {
  /** A DNS label: also the name of the Job, and the beginning of the names of other objects. */
  readonly name: string;
  /** Rows of docs/conformance.md, and sections of docs/spec/controller.md that have a row there. */
  readonly rows: readonly string[];
  /**
   * `spec` of the main Job. Its pod template may be left out or in part: one container and restartPolicy Never are
   * filled in.
   */
  readonly job: Readonly<Record<string, unknown>>;
  /** What the main containers of its pods do. Default: they run for four seconds and exit 0. */
  readonly outcome?: PodOutcome;
  /** Created before the Job, in this order. */
  readonly before?: readonly Manifest[];
  /** One after the other, once the Job is created. */
  readonly actions?: readonly Action[];
  /**
   * When the actions are done: the Job has ended (default), it is gone, nothing more comes of it (it is gone, or has
   * ended and stays), or this holds. The run is over when nothing has changed for a while then.
   */
  readonly until?: "ended" | "gone" | "over" | Moment;
  /**
   * Drawn (random/): an action is left out when its moment does not come before the Job's end, or when it cannot be
   * done.
   */
  readonly isRandom?: boolean;
  /** Default: {@link DEFAULT_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** In a namespace that it has for itself. Default: in one with all the others. */
  readonly ownNamespace?: boolean;
  /** Left out on earlier versions, which behave differently at random under either controller. */
  readonly since?: KubernetesVersion;
  /** Both controllers run with WorkloadWithJob. */
  readonly gang?: boolean;
  /** What differs on purpose: the first cell of a row of docs/differences.md, and what it excuses. */
  readonly differences?: readonly { readonly row: string; readonly excuses: readonly Aspect[] }[];
  /**
   * Rules of test/history/ that upstream's controller breaks in its run, for one of the reasons under `differences`.
   */
  readonly upstreamBreaks?: readonly string[];
  /** Changes that it shows, beside those that an action names. */
  readonly shows?: readonly ShownChange[];
  /**
   * In the second run one controller begins and is killed (SIGKILL) at a scripted moment, and the other one finishes.
   * The first run is upstream's alone. Events and gaps are not compared: what was combined or waited for was in the
   * memory of the one that is gone.
   */
  readonly takeover?: {
    readonly from: "upstream" | "stint";
    readonly hold?: HeldWrites;
    /** Awaited first; then that a write is held, if one should be. */
    readonly killWhen?: Moment;
    /** And then this. Default: 0. */
    readonly killAfterMs?: number;
  };
}

/** The longest takes a minute on an idle machine. */
export const DEFAULT_TIMEOUT_MS = 240_000;
/** Annotation of the pods of Indexed Jobs. */
export const INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index";
/** An object of a scenario has its name as the value of this label. */
export const SCENARIO_LABEL = "parity.stint.dev/scenario";
