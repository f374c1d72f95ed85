/**
 * `stint wait`: waits until Jobs of any cluster have really ended, and says how. It decides that from conditions and
 * never by counting pods (bindings/ABI.md, "verdict"). Meanwhile it shows what a Job does and what blocks it.
 *
 * Invariant: it changes nothing. It watches the server, and does not poll.
 */
import type { Engine } from "../../../bindings/js/engine.ts";
import { JOBS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import { RealClock } from "../../clock.ts";
import { createEngine } from "../../controller/job-controller.ts";
import { endOf } from "../../../cluster/values/job-conditions.ts";
import type { Job } from "../../../cluster/values/kinds.ts";
import { loadEngineModule } from "../../engine-module.ts";
import { accountBy } from "../../../cluster/observed/offline-engine.ts";
import type { Credentials } from "../../transport/credentials.ts";
import { HttpTransport } from "../../transport/http-transport.ts";
import type { ServerClock } from "../../transport/server-clock.ts";
import { UsageError } from "../../usage-error.ts";
import { type ClusterChoice, jobNameOf, kubeconfigFor, loadCredentials, named } from "../cluster-access.ts";
import type { Console } from "../console.ts";
import { formatDuration } from "../../words/duration.ts";
import { outputEndStatus } from "../exit-status.ts";
import { printable } from "../../words/printable.ts";
import { untilInterrupted } from "../until-interrupted.ts";
import { type AwaitedJob, type Found, JobWatch, NoSuchJobs } from "./job-watch.ts";
import { type JobInFile, jobsInFiles, namespaceOf } from "./jobs-in-files.ts";
import type { Goal } from "./outcome.ts";
import { Report, type WaitFormat } from "./report.ts";
import { ApiReader, refusalOf } from "../why/api-reader.ts";
import { rememberedFailure } from "../why/answer.ts";
import { askServer } from "../why/controllers.ts";
import { findAccount } from "../why/account.ts";

const EXIT_GOOD = 0;
const EXIT_BAD = 1;
const EXIT_STUCK = 3;
const EXIT_TIMED_OUT = 124;
const EXIT_SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** Two watches and a list. */
const MAX_CONNECTIONS = 3;
const REQUEST_TIMEOUT_MS = 30_000;
/** API servers send a bookmark once a minute. */
const IDLE_TIMEOUT_MS = 150_000;

export interface WaitOptions extends ClusterChoice {
  /** As kubectl shows them or without their kind. */
  readonly jobs: readonly string[];
  readonly selector: string | undefined;
  /** Files and folders that name Jobs, and - for standard input. */
  readonly files: readonly string[];
  /** Of a folder, the folders within it too. */
  readonly recursive: boolean;
  readonly for: Goal;
  readonly timeoutMs: number | undefined;
  /** The wait for a Job ends when it was stuck for this long. */
  readonly stuckLimitMs: number | undefined;
  readonly namespace: string | undefined;
  readonly output: WaitFormat;
}

/** @returns the exit status. @throws UsageError for bad usage, or when no server can be asked */
export async function wait(options: WaitOptions, console: Console): Promise<number> {
  const inFiles = options.files.length === 0 ? undefined : jobsInFiles(options.files, options.recursive);
  const wanted = wantedOf(options, inFiles?.jobs);
  const kubeconfig = kubeconfigFor(options, console);
  const credentials = loadCredentials(options, kubeconfig, console);
  const initial = named("the namespace", options.namespace ?? credentials.namespace ?? "default");
  const namespace = inFiles === undefined ? initial : namespaceOf(inFiles.jobs, options.namespace, initial);
  const clock = new RealClock();
  const reader = new ApiReader(credentials, clock);
  const report = new Report({ console, clock, format: options.output, namespace });
  if (inFiles !== undefined && inFiles.passedOver !== "")
    report.problem(`the files also have ${inFiles.passedOver}; only Jobs are waited for`);
  const { serverClock } = reader;
  const transport = transportFor(credentials, clock, serverClock);
  try {
    await checkAccess(reader, namespace, wanted);
    const engine: Engine = await createEngine(await loadEngineModule());
    const watch = new JobWatch({
      transport,
      clock,
      random: Math.random,
      now: () => serverClock.now(),
      judge: (question, nowMs) => engine.verdict(question, nowMs),
      accountOf: oneAfterAnother((job) => accountOf(reader, job, engine)),
      namespace,
      wanted,
      goal: options.for,
      stuckLimitMs: options.stuckLimitMs,
      onVerdict: (job) => report.verdict(job),
      onProblem: (problem) => report.problem(problem),
    });
    return await runToEnd(watch, report, options, clock, console);
  } catch (error) {
    if (!(error instanceof NoSuchJobs)) throw error;
    throw new UsageError(noSuchJobs(error, wanted, namespace, reader.origin));
  } finally {
    await Promise.all([reader.close(), transport.close()]);
    clock.stop();
  }
}

/** Many Jobs may fail at once, and each look-up reads a page of pods. */
function oneAfterAnother<Given, Found>(find: (given: Given) => Promise<Found>): (given: Given) => Promise<Found> {
  let last: Promise<unknown> = Promise.resolve();
  return (given) => {
    const found = last.then(() => find(given));
    last = found.catch(() => undefined);
    return found;
  };
}

async function accountOf(reader: ApiReader, job: Job, engine: Engine): Promise<Found> {
  // The pods may be gone. `stint serve` remembers them.
  const { namespace = "", name, uid } = job.metadata;
  const answer = await askServer(reader, { namespace, job: name });
  const isSame = "explanation" in answer && answer.explanation["uid"] === uid;
  const remembered = isSame ? rememberedFailure(answer.explanation["lastFailure"]) : undefined;
  if (remembered !== undefined && endOf(job) !== undefined) return { lastFailure: remembered };
  const { lastFailure, account } = await findAccount(
    reader,
    job,
    accountBy(engine, () => reader.now()),
  );
  return { lastFailure, holds: account?.holds };
}

type Wanted = { readonly names: readonly string[] } | { readonly labelSelector: string };

/** @throws UsageError unless the Jobs are named in one way */
function wantedOf({ jobs, selector, files }: WaitOptions, inFiles: readonly JobInFile[] | undefined): Wanted {
  const ways = [
    ...jobs.slice(0, 1),
    ...(selector === undefined ? [] : [`--selector ${selector}`]),
    ...files.slice(0, 1).map((file) => `--filename ${file}`),
  ];
  if (ways.length > 1) throw new UsageError(`both ${ways[0]} and ${ways[1]} are given; allowed is one of them`);
  if (selector !== undefined) return { labelSelector: selector };
  const names = inFiles === undefined ? jobs.map(jobNameOf) : inFiles.map(({ name }) => name);
  if (names.length === 0)
    throw new UsageError(
      "no Job is named; name Jobs, take those of a file with --filename FILE, or select them by label with --selector KEY=VALUE",
    );
  return { names: [...new Set(names)] };
}

function transportFor(credentials: Credentials, clock: RealClock, serverClock: ServerClock): HttpTransport {
  return new HttpTransport({
    credentials,
    clock,
    maxConnections: MAX_CONNECTIONS,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    serverClock,
  });
}

/** A watch retries after every failure. So what would never work is reported before it begins. */
async function checkAccess(reader: ApiReader, namespace: string, wanted: Wanted): Promise<void> {
  const query =
    "labelSelector" in wanted
      ? { labelSelector: wanted.labelSelector }
      : wanted.names.length === 1
        ? { fieldSelector: `metadata.name=${wanted.names[0]}` }
        : {};
  const answer = await reader.get(withQuery(resourcePath(JOBS, namespace), { ...query, limit: 1 }));
  if (answer.status === 200) return;
  if (answer.status === 400 && "labelSelector" in wanted)
    throw new UsageError(
      `--selector is ${JSON.stringify(wanted.labelSelector)}, and the server refuses it (${refusalOf(answer)}); allowed is KEY=VALUE, KEY!=VALUE, 'KEY in (A,B)', and several with commas`,
    );
  if (answer.status === 403)
    throw new UsageError(
      `Jobs of namespace ${namespace} may not be read with these credentials (${refusalOf(answer)}).\nAsk for list and watch on jobs and pods in that namespace: the role \`view\` has them.`,
    );
  throw new UsageError(
    `${reader.origin} does not serve Jobs; it answered ${refusalOf(answer)}.\nIs it a Kubernetes API server, and healthy?`,
  );
}

async function runToEnd(
  watch: JobWatch,
  report: Report,
  { timeoutMs, stuckLimitMs, for: goal }: WaitOptions,
  clock: RealClock,
  console: Console,
): Promise<number> {
  let exit: number | undefined;
  let end = (): void => {};
  const stopped = new Promise<void>((resolve) => (end = resolve));
  const endWith = (status: number): void => {
    exit ??= status;
    end();
  };
  const timer = timeoutMs === undefined ? undefined : clock.setTimer(timeoutMs, () => endWith(EXIT_TIMED_OUT));
  console.onOutputClosed(() => endWith(outputEndStatus(console)));
  try {
    await untilInterrupted(
      { run: () => Promise.race([watch.run(), stopped]), stop: (signal) => endWith(EXIT_SIGNALS[signal]) },
      console,
    );
  } finally {
    timer?.cancel();
    watch.stop();
  }
  for (const job of watch.unreported) report.verdict(job);
  if (exit === EXIT_TIMED_OUT) await watch.findHolds();
  report.end(watch.jobs, exit === EXIT_TIMED_OUT);
  if (exit === EXIT_TIMED_OUT)
    report.problem(
      `after ${formatDuration(timeoutMs!)} ${openText(watch, goal)}; \`stint why JOB\` says more, a longer --timeout waits on`,
    );
  const stuck = watch.jobs.filter(({ outcome }) => outcome?.kind === "stuck").map(({ name }) => name);
  if (stuck.length > 0) report.problem(stuckText(stuck, stuckLimitMs!));
  return exit ?? exitOf(watch.jobs);
}

/** A failed Job is final, a stuck one is not. */
function exitOf(jobs: readonly AwaitedJob[]): number {
  const bad = jobs.filter(({ outcome }) => !outcome?.isGood);
  if (bad.length === 0) return EXIT_GOOD;
  return bad.every(({ outcome }) => outcome?.kind === "stuck") ? EXIT_STUCK : EXIT_BAD;
}

function stuckText(names: readonly string[], limitMs: number): string {
  const [who, was, is] = names.length === 1 ? ["Job", "was", "is"] : ["Jobs", "were", "are"];
  const span = formatDuration(limitMs);
  return `the ${who} ${names.join(", ")} ${was} stuck for ${span} and ${is} waited for no longer; \`stint why JOB\` says more`;
}

function openText(watch: JobWatch, goal: Goal): string {
  const open = watch.jobs.filter(({ outcome }) => outcome === undefined).map(({ name }) => name);
  if (open.length === 0) return "the Jobs could not be read yet";
  const verb = goal === "suspended" ? ["is", "are"] : ["has", "have"];
  return `${open.length === 1 ? `the Job ${open[0]} ${verb[0]}` : `the Jobs ${open.join(", ")} ${verb[1]}`} not ${goal}`;
}

function noSuchJobs({ missing }: NoSuchJobs, wanted: Wanted, namespace: string, origin: string): string {
  const what =
    "labelSelector" in wanted
      ? `no Job with ${printable(wanted.labelSelector)}`
      : missing.length === 1
        ? `no Job ${missing[0]}`
        : `none of the Jobs ${missing.join(", ")}`;
  return `there is ${what} in namespace ${namespace} of ${origin}.\n\`kubectl get jobs --all-namespaces\` lists the Jobs there are; --namespace names another namespace.`;
}
