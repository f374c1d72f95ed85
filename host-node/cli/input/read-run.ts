/**
 * Turns the files that users really have into the inputs of a run: a CronJob gives its Job, and objects that a run has
 * no use for are left out, as in the output of `helm template` or `kustomize build`.
 *
 * Invariant: nothing is left out silently, and a kind that may be a typing error is refused. Leaves out what the API
 * server says of CronJobs: check-cron-jobs.ts asks it.
 */
import { CLAIMS, CRON_JOBS, JOBS } from "../../../cluster/client/client.ts";
import { isCronJob, jobOfCronJob } from "../../../cluster/manifests/cron-job-template.ts";
import { type Diagnostic, diagnosticText, inOrder } from "../../../cluster/manifests/diagnostic.ts";
import type { InputText, Manifest } from "../../../cluster/manifests/manifests.ts";
import { isNoJob, noJob, readInputs, type ReadInputs, RUN_RESOURCES } from "../../../cluster/manifests/run-inputs.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { similarNames } from "../../../cluster/values/similar-names.ts";
import { UsageError } from "../../usage-error.ts";
import { resumedJob } from "./assumptions.ts";
import { hookWarnings, isOfNoInstallation } from "./helm-hooks.ts";
import { objectNames } from "../../../cluster/manifests/object-names.ts";

/** Claims come before the Jobs that mount them. */
const RESOURCES = RUN_RESOURCES.flatMap((resource) => (resource === JOBS ? [CLAIMS, JOBS] : [resource]));

export interface ReadRun extends ReadInputs {
  /** The CronJobs whose Jobs are among the inputs, by the manifests of these Jobs. */
  readonly cronJobs: ReadonlyMap<Manifest, Manifest>;
  /** A sentence for each thing that was left out. */
  readonly warnings: readonly string[];
  /** The Jobs that were suspended, and are resumed by the run. */
  readonly resumed: readonly Manifest[];
}

/**
 * Hooks that helm install would not run are left out, unless nothing else would run.
 * @param now whether the Job of each CronJob is run. @throws UsageError when that has no meaning
 * @param resumes whether Jobs that are suspended are resumed; else they are refused
 */
export function readRun(texts: readonly InputText[], now: boolean, resumes = false): ReadRun {
  const { run, hooks } = readWith(texts, { now, resumes }, isOfNoInstallation);
  const runsNothing = !run.inputs.some(({ resource }) => resource === JOBS) && run.mistakes.every(isNoJob);
  return hooks.length > 0 && runsNothing ? readWith(texts, { now, resumes }, () => false).run : run;
}

/** @returns the run, and the hooks that were left out */
function readWith(
  texts: readonly InputText[],
  { now, resumes }: { readonly now: boolean; readonly resumes: boolean },
  isLeftOut: (manifest: Manifest) => boolean,
): { readonly run: ReadRun; readonly hooks: readonly Manifest[] } {
  const hooks: Manifest[] = [];
  const cronJobs = new Map<Manifest, Manifest>();
  const waiting: Manifest[] = [];
  const unused: Manifest[] = [];
  const resumed: Manifest[] = [];
  const asRun = (job: Manifest): Manifest => {
    const running = resumes ? resumedJob(job) : undefined;
    if (running !== undefined) resumed.push(running);
    return running ?? job;
  };
  const read = readInputs(texts, readYaml, {
    resources: RESOURCES,
    instead: (manifest) => {
      if (isLeftOut(manifest)) {
        hooks.push(manifest);
        return undefined;
      }
      if (!isCronJob(manifest)) {
        if (!isUnused(manifest)) return asRun(manifest);
        unused.push(manifest);
      } else if (now) {
        const job = asRun(jobOfCronJob(manifest));
        cronJobs.set(job, manifest);
        return job;
      } else waiting.push(manifest);
      return undefined;
    },
  });
  const mistakes = [...read.mistakes];
  if (read.inputs.some(({ resource }) => resource === JOBS) || mistakes.some((mistake) => !isNoJob(mistake))) {
    if (now && cronJobs.size === 0 && mistakes.length === 0)
      throw new UsageError("--now is given, but there is no CronJob in the files; leave it out to run the Jobs");
  } else if (waiting.length > 0) mistakes.splice(0, mistakes.length, ...waiting.map(needsNow));
  else if (mistakes.length === 0 && unused.length > 0) mistakes.push(noJob(unused));
  const jobs = read.inputs.filter(({ resource }) => resource === JOBS).map(({ manifest }) => manifest);
  const warnings = [
    ...(read.note === undefined ? [] : [read.note]),
    ...waiting.map((each) => diagnosticText(needsNow(each))),
    ...unusedText(unused),
    ...hookWarnings(hooks, jobs),
  ];
  return { run: { ...read, mistakes: inOrder(mistakes), cronJobs, warnings, resumed }, hooks };
}

function needsNow(cronJob: Manifest): Diagnostic {
  const { metadata } = cronJob.object;
  return {
    position: cronJob.valueAt(""),
    message: `CronJob ${metadata?.name ?? ""} makes Jobs by its schedule, which a run does not wait for; --now runs its Job once`,
  };
}

/** A kind that a run accepts, in another version, or a kind with nearly the same name, is more likely a mistake. */
function isUnused({ object: { kind } }: Manifest): boolean {
  const taken = [...RESOURCES, CRON_JOBS].map((resource) => resource.kind);
  return similarNames(kind!, taken).length === 0;
}

function unusedText(unused: readonly Manifest[]): string[] {
  return unused.length === 0 ? [] : [`left out, because a run has no use for it: ${objectNames(unused)}`];
}
