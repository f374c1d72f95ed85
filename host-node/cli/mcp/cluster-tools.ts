/**
 * The tools that ask a cluster: why, wait, doctor, upgrade-check. Each calls what the command of its name calls.
 *
 * Invariant: the flags of the server choose the cluster. A caller names a context only if the user has allowed it.
 */
import type { ClusterChoice } from "../cluster-access.ts";
import { parseDuration } from "../../words/duration.ts";
import { UsageError } from "../../usage-error.ts";
import { GOALS } from "../wait/outcome.ts";
import { KUBERNETES_VERSIONS, NEWEST_KUBERNETES } from "../../../cluster/values/kubernetes-versions.ts";
import { MANIFEST, sourceOf } from "./manifest.ts";
import { head } from "../json/document.ts";
import type { Schema } from "../json/schema.ts";
import { listOf, text, type Tool, type ToolOptions } from "./tool.ts";

const MAX_NAME_LENGTH = 253;
/** A name, with its kind in front. */
const MAX_SUBJECT_LENGTH = 300;
const MAX_JOBS = 50;
const MAX_SELECTOR_LENGTH = 4096;
/** Many clients give a call up after 60 s. */
const USUAL_WAIT_SECONDS = 45;
const MAX_WAIT_SECONDS = 300;
/** As `stint doctor` and `stint why` have it without flags. */
const USUAL_AGE = "5m";
const EXIT_TIMED_OUT = 124;

const WHY = `Says why one Kubernetes Job, CronJob, JobSet or pod is in its state and what comes next: one sentence with
the rule and the numbers behind it, what its pods wait for, the last failure with the end of its log, Warnings, and the
latest decisions, and of pods that are gone what its controller remembers; of a CronJob its newest Jobs, missed starts and next times; of a pod who or what ended it. Use it first when a Job does not start, hangs,
retries or has failed, or a CronJob makes no Job; it reads pods, Events and logs itself. Not for many Jobs (doctor), and
not to wait for the end (wait).`;
const WAIT = `Waits until Jobs have really ended (condition Complete or Failed, not counted pods) and says how; of a
failed one also which pod failed last, and why. Use it before a step that needs the result of a Job, in place of polling.
When the time is over it answers with what it knows, timedOut true: ask again to wait on. A Job that is Stuck will not
end by itself: ask why.`;
const DOCTOR = `Looks once at all Jobs of a namespace, or of the cluster, and their pods, for what no controller repairs:
finalizers that stay, Jobs without a controller, webhooks in the way, Jobs that wait for ever. Each finding has a command
(fix) for the user to judge; nothing is run. Use it when several Jobs misbehave or a namespace cannot be deleted; for one
Job ask why.`;
const UPGRADE_CHECK = `Says which Jobs and CronJobs behave differently on a later version of Kubernetes, and how: of the
manifest if one is given, else of the cluster. Use it before an upgrade, or to explain a difference after one.`;

interface InCluster {
  readonly namespace?: string;
  readonly context?: string;
}
interface WhyInput extends InCluster {
  readonly job: string;
}
interface WaitInput extends InCluster {
  readonly jobs?: readonly string[];
  readonly selector?: string;
  readonly for?: (typeof GOALS)[number];
  readonly timeoutSeconds?: number;
}
interface DoctorInput extends InCluster {
  readonly olderThan?: string;
}
interface UpgradeInput extends InCluster {
  readonly manifest?: string;
  readonly from?: string;
  readonly to?: string;
}

export function clusterTools(options: ToolOptions): readonly Tool[] {
  const context = contextSchema(options);
  const inCluster = (usual: string): Schema => ({
    namespace: text(`the namespace; else ${usual}`, { maxLength: MAX_NAME_LENGTH }),
    ...context,
  });
  const choose = ({ context }: InCluster): ClusterChoice => ({
    kubeconfig: options.kubeconfig,
    context: context ?? options.context,
  });
  return [
    whyTool(inCluster("that of the kubeconfig's context"), choose, options),
    waitTool(inCluster("that of the kubeconfig's context"), choose),
    doctorTool(inCluster("all"), choose),
    upgradeCheckTool(inCluster("all; not with a manifest"), choose),
  ];
}

type Choose = (input: InCluster) => ClusterChoice;

/** Without contexts that are allowed besides, there is nothing to choose. */
function contextSchema({ context, allowedContexts }: ToolOptions): Schema {
  if (allowedContexts.length === 0) return {};
  const names = [...new Set([...(context === undefined ? [] : [context]), ...allowedContexts])];
  const usual = context ?? "the current one of the kubeconfig";
  return { context: { type: "string", enum: names, description: `the context of the kubeconfig; else ${usual}` } };
}

function whyTool(inCluster: Schema, choose: Choose, { context, controller, controllerNamespace }: ToolOptions): Tool {
  return {
    name: "why",
    title: "Why a Job, CronJob, JobSet or pod is where it is",
    description: WHY,
    properties: {
      job: text("pi or job/pi; cronjob/report; pod/pi-x2k9f; jobset/train", { maxLength: MAX_SUBJECT_LENGTH }),
      ...inCluster,
    },
    required: ["job"],
    asksCluster: true,
    structure: {
      kinds: ["JobAccount", "CronJobAccount", "PodAccount", "JobSetAccount"],
      lists: ["decisions", "endedPods"],
      of: ([account]) => account!,
    },
    run: async (input: WhyInput, console) => {
      const [{ why }, { subjectOf }] = await Promise.all([import("../why/why.ts"), import("../why/subject.ts")]);
      const { job, namespace } = input;
      // It knows Jobs alone, and those of one cluster.
      const isKnown = subjectOf(job).kind === "Job" && (input.context ?? context) === context;
      const asked = {
        job,
        namespace,
        controller: isKnown ? controller : undefined,
        controllerNamespace,
        shadow: false,
      };
      return why({ ...choose(input), ...asked, output: "json" }, console);
    },
  };
}

function waitTool(inCluster: Schema, choose: Choose): Tool {
  return {
    name: "wait",
    title: "Wait for Jobs to end",
    description: WAIT,
    properties: {
      jobs: listOf(text("pi, or job/pi", { maxLength: MAX_NAME_LENGTH }), "their names; or give selector", {
        maxItems: MAX_JOBS,
      }),
      selector: text("the Jobs with these labels: app=migrate,tier!=test", { maxLength: MAX_SELECTOR_LENGTH }),
      for: { type: "string", enum: GOALS, default: "finished", description: "what is waited for" },
      timeoutSeconds: {
        type: "integer",
        minimum: 1,
        maximum: MAX_WAIT_SECONDS,
        default: USUAL_WAIT_SECONDS,
        description: "when to answer at the latest; many clients give up after 60",
      },
      ...inCluster,
    },
    required: [],
    asksCluster: true,
    structure: {
      kinds: ["WaitReport"],
      lists: ["jobs"],
      of: (printed, status) => ({
        ...head("WaitReport"),
        timedOut: status === EXIT_TIMED_OUT,
        jobs: [...new Map(printed.map((job) => [job["uid"], job])).values()],
      }),
    },
    run: async (input: WaitInput, console) => {
      const { wait } = await import("../wait/wait.ts");
      const { jobs = [], selector, namespace, for: goal = "finished", timeoutSeconds = USUAL_WAIT_SECONDS } = input;
      const limits = { timeoutMs: timeoutSeconds * 1000, stuckLimitMs: undefined };
      const wanted = { jobs, selector, files: [], recursive: false, namespace, for: goal };
      return wait({ ...choose(input), ...wanted, ...limits, output: "json" }, console);
    },
  };
}

function doctorTool(inCluster: Schema, choose: Choose): Tool {
  return {
    name: "doctor",
    title: "What is wrong with the Jobs of a cluster",
    description: DOCTOR,
    properties: {
      olderThan: text(`report only what has lasted this long: 5m, 1h; else ${USUAL_AGE}`, { maxLength: 32 }),
      ...inCluster,
    },
    required: [],
    asksCluster: true,
    structure: { kinds: ["DoctorReport"], lists: ["findings"], of: ([report]) => report! },
    run: async (input: DoctorInput, console) => {
      const { doctor } = await import("../doctor/doctor.ts");
      const { namespace, olderThan = USUAL_AGE } = input;
      const asked = { namespace, olderThanMs: durationOf("olderThan", olderThan), tryPatches: false };
      return doctor({ ...choose(input), ...asked, output: "json" }, console);
    },
  };
}

function upgradeCheckTool(inCluster: Schema, choose: Choose): Tool {
  const versions = `${KUBERNETES_VERSIONS[0]} to ${KUBERNETES_VERSIONS.at(-1)}`;
  return {
    name: "upgrade-check",
    title: "What an upgrade of Kubernetes changes for Jobs",
    description: UPGRADE_CHECK,
    properties: {
      manifest: { ...MANIFEST, description: `${MANIFEST["description"]}; without it the cluster is read` },
      from: text(`the present version, ${versions}; with a manifest it must be given`, { maxLength: 16 }),
      to: text(`the later version; else ${NEWEST_KUBERNETES}`, { maxLength: 16 }),
      ...inCluster,
    },
    required: [],
    asksCluster: true,
    structure: { kinds: ["UpgradeReport"], lists: ["findings"], of: ([report]) => report! },
    run: async (input: UpgradeInput, console) => {
      const { upgradeCheck } = await import("../upgrade-check/upgrade-check.ts");
      const { manifest, from, to = NEWEST_KUBERNETES, namespace } = input;
      // With a manifest the command refuses a cluster, and the flags of the server name one for the other tools.
      const cluster = manifest === undefined ? choose(input) : { kubeconfig: undefined, context: input.context };
      const files = manifest === undefined ? [] : [sourceOf(manifest)];
      const asked = { files, from, to, namespace, recursive: false, verbose: false, requireJobs: true };
      return upgradeCheck({ ...cluster, ...asked, output: "json" }, console);
    },
  };
}

/** @throws UsageError */
function durationOf(what: string, given: string): number {
  try {
    return parseDuration(given);
  } catch (error) {
    throw new UsageError(`${what} is ${JSON.stringify(given)}; allowed is ${(error as Error).message}`);
  }
}
