/**
 * From manifests to a cluster in which they are loaded, checked and ready to run.
 *
 * Invariant: when this returns, all bad input was refused, every field that may have to change was named, and nothing
 * has run. Notes that hold for every pod on this runtime come at the end. Leaves out how time passes.
 */
import type { Engine, Explanation } from "../../../bindings/js/engine.ts";
import type { Clock } from "../../../bindings/js/host.ts";
import type { Recorder } from "../../../bindings/js/recorder.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { NodeOptions } from "../../../cluster/components.ts";
import { type Diagnostic, diagnosticText, inOrder, InputError } from "../../../cluster/manifests/diagnostic.ts";
import { makeAssumedObjects } from "../../../cluster/manifests/assumed-objects.ts";
import { loadEach, type LoadedAndRefused } from "../../../cluster/manifests/load-objects.ts";
import type { Surroundings } from "../../../cluster/manifests/never-starting.ts";
import { statusDiagnostics } from "../../../cluster/manifests/status-diagnostics.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import { surroundingsOf } from "../../../cluster/manifests/surroundings.ts";
import { EmbeddedCluster, type EmbeddedClusterOptions } from "../../embedded/embedded.ts";
import { hasAllObjects, runMistakes } from "../../../cluster/manifests/check-run.ts";
import { runWarnings } from "../../../cluster/manifests/ineffective-fields.ts";
import { ASSUMED, assumptionNotes, resumedNotes, withResources } from "../input/assumptions.ts";
import { withCronJobs } from "../input/check-cron-jobs.ts";
import type { ReadRun } from "../input/read-run.ts";
import { holdSentences } from "../../words/holds.ts";
import { LastFailures } from "../../words/last-failures.ts";
import { type JobView, jobView, podView } from "../../words/job-view.ts";
import type { OutputContext, RunOutput } from "../output/run-output.ts";
import type { RunOptions } from "./options.ts";
import { RunSession } from "./run-session.ts";
import type { Pod } from "../../../cluster/values/kinds.ts";

export interface RunPlan {
  /** Their timeoutMs is not that of the plan, which a simulation always has. */
  readonly options: RunOptions;
  readonly read: ReadRun;
  readonly clock: Clock;
  readonly node: NodeOptions;
  readonly timeoutMs: number | undefined;
  readonly isSimulated: boolean;
  readonly recorder: Recorder | undefined;
  /** What the files do not have and no container needs is assumed, with a note. */
  readonly assumes: boolean;
  /** What is wrong with a Job. Its fields are known to have the right types. */
  check(manifest: Manifest): readonly Diagnostic[];
  /** What an accepted Job will be unable to do. */
  warn(manifest: Manifest): readonly Diagnostic[];
  createOutput(run: OutputContext): RunOutput;
  /** Called with the cluster before anything runs in it. */
  onCluster?(cluster: Cluster): void;
}

export interface PreparedRun {
  readonly output: RunOutput;
  readonly session: RunSession;
  /**
   * The exit status, when the session has been started, is over, and the summary is written. Rejects if the controller
   * ends early.
   */
  readonly exitStatus: Promise<number>;
}

/** @throws InputError with everything that is refused. */
export async function prepareRun(plan: RunPlan): Promise<PreparedRun> {
  const { clock, isSimulated } = plan;
  const startMs = clock.now();
  // The engine may have trapped; it will be replaced soon.
  const asked = <Answer>(ask: (engine: Engine) => Answer): Answer | undefined => {
    try {
      return ask(embedded.engine);
    } catch {
      return undefined;
    }
  };
  const failures = new LastFailures((question) => asked((engine) => engine.account(question, clock.now())));
  let fatal: Error | undefined;
  const embedded = await EmbeddedCluster.create({
    ...clusterOptions(plan, failures, () => output),
    onFatal: (error) => {
      fatal = error;
      session.kill(1, error.message);
    },
  });
  plan.onCluster?.(embedded.cluster);
  const { loaded, assumed } = loadChecked(plan, embedded.cluster);
  const { jobs } = loaded;
  const explain = ({ namespace, name }: JobView): Explanation | undefined =>
    asked((engine) => engine.explain(namespace, name, clock.now()));
  const output = plan.createOutput({
    startMs,
    hasSeveralJobs: jobs.length > 1,
    explain,
    hold: (job) => holdSentences(failures.accountOf(job))[0],
    placeOf: ({ uid }) => jobs.find(({ job }) => job.metadata.uid === uid)?.input.manifest.valueAt(""),
  });
  const notes = reportLoaded(plan, { loaded, assumed }, output, startMs);
  const { promise: exitStatus, resolve, reject } = Promise.withResolvers<number>();
  const session = new RunSession({
    embedded,
    clock,
    output,
    failures,
    explain,
    timeoutMs: plan.timeoutMs,
    endsGracefully: !isSimulated,
    jobs: jobs.map(({ job }) => job),
    onEnd: (result) => {
      if (fatal !== undefined) {
        reject(fatal);
        return;
      }
      output.end(clock.now(), { ...result, durationMs: clock.now() - startMs, isSimulated, notes });
      resolve(result.exitStatus);
    },
  });
  return { output, session, exitStatus };
}

/** @param output is called when something runs */
function clusterOptions(
  plan: RunPlan,
  failures: LastFailures,
  output: () => RunOutput,
): Omit<EmbeddedClusterOptions, "onFatal"> {
  const { clock } = plan;
  return {
    clock,
    recorder: plan.recorder,
    nodes: [plan.assumes ? withResources(plan.node, plan.read) : plan.node],
    ignoresPlacement: plan.assumes,
    gangScheduling: plan.options.featureGates.WorkloadWithJob,
    kubernetes: plan.options.kubernetes,
    onOutput: (pod, container, attempt, stream, line) => {
      failures.line(pod.metadata.uid, container, attempt, line);
      const isOneOfSeveral = containerCount(pod) > 1;
      output().log(clock.now(), { pod: podView(pod), container, isOneOfSeveral, attempt, stream, line });
    },
    ...(plan.options.explain
      ? { onDecisions: (decisions) => decisions.forEach((decision) => output().decision(clock.now(), decision)) }
      : {}),
    onProblem: (problem) => output().note(clock.now(), problem),
  };
}

/** The loaded objects, and a note for each kind of thing that is assumed. */
interface Loaded {
  readonly loaded: LoadedAndRefused;
  readonly assumed: readonly string[];
}

/** @throws InputError with everything that is refused */
function loadChecked(plan: RunPlan, cluster: Cluster): Loaded {
  const { read, check } = plan;
  const { loaded, mistakes: ofCronJobs } = withCronJobs(
    cluster,
    loadEach(cluster, read.inputs, statusDiagnostics),
    read.cronJobs,
  );
  const { notes: assumed, surroundings } = surroundingsFor(plan, cluster, loaded);
  const mistakes = inOrder([...runMistakes({ read, loaded, surroundings, check }), ...ofCronJobs]);
  if (mistakes.length > 0) throw new InputError(mistakes);
  if (plan.assumes)
    makeAssumedObjects(
      cluster,
      loaded.jobs.map(({ job }) => job),
    );
  return { loaded, assumed };
}

/** Passes the output what is known before anything runs. @returns the notes for the end */
function reportLoaded(
  { read, node, warn }: RunPlan,
  { loaded, assumed }: Loaded,
  output: RunOutput,
  startMs: number,
): readonly string[] {
  const { warnings: ofFields, notes } = runWarnings(loaded, node.runtime);
  const warnings = [...ofFields, ...loaded.jobs.flatMap(({ input }) => warn(input.manifest))];
  for (const text of [...read.warnings, ...warnings.map(diagnosticText)]) output.warning(startMs, text);
  for (const text of assumed) output.note(startMs, text);
  for (const { job } of loaded.jobs) output.job(startMs, jobView(job));
  return notes;
}

/** The surroundings of a run's pods, and a note for each kind of thing that is assumed. */
function surroundingsFor(
  { assumes, node, read }: RunPlan,
  cluster: Cluster,
  loaded: LoadedAndRefused,
): { readonly surroundings: Surroundings; readonly notes: readonly string[] } {
  const given = surroundingsOf(cluster, [node], hasAllObjects(read, loaded.refusals));
  if (!assumes) return { surroundings: given, notes: [] };
  const notes = [...resumedNotes(read.resumed), ...assumptionNotes(loaded, given)];
  return { surroundings: { ...given, assumed: ASSUMED }, notes };
}

function containerCount(pod: Pod): number {
  return (pod["spec"].containers?.length ?? 0) + (pod["spec"].initContainers?.length ?? 0);
}
