/**
 * `npm run parity`: every scenario on one real API server, by upstream's Job controller and by Stint's at the same
 * time, and what came out compared field by field. Prints a table; fails for every difference that docs/differences.md
 * does not list and that comes again (again.ts).
 *
 * What is compared and how to add a scenario: docs/parity.md. How the two are kept apart: theatre.ts. Random Jobs:
 * random/.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  RELEASED_VERSIONS,
  type KubernetesVersion,
  isReleased,
  kubernetesVersionOf,
  SERVED_KUBERNETES,
} from "../../cluster/values/kubernetes-versions.ts";
import { toolArguments, wholeNumber } from "../arguments.ts";
import { checkHistory, describeVerdict, type Finding } from "../history/check.ts";
import { formatHistory } from "../history/format.ts";
import { whyUnavailable } from "../kubernetes/binaries/binaries.ts";
import { canPlay, isKnownBreach } from "./by-version.ts";
import { differedOnce, hasFailed, type Performances, PERFORMANCES, playAgain } from "./again.ts";
import { playRandom } from "./random/run.ts";
import { type Result, run } from "./run.ts";
import type { Scenario } from "./scenario.ts";
import { playShadow } from "./shadow.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import { namespaceOf, SIDES, Theatre } from "./theatre.ts";

const DEFAULT_JOBS = 16;
const MAX_JOBS = 64;
const DEFAULT_RANDOM_JOBS = 10;
const DEFAULT_SHADOWED_JOBS = 30;
const MAX_RANDOM = 100_000;
const MAX_SEED = 999_999_999 - MAX_RANDOM;
/** Each has two separate controllers to start. */
const MAX_TAKEOVERS_AT_ONCE = 2;
/** Of those that are played again, at once. */
const MAX_REPLAYS_AT_ONCE = 3;
/** So that the first ones do not all begin at the same moment. */
const LANE_DELAY_MS = 250;
const HELP = `Plays scenarios on a real Kubernetes API server, once by upstream's Job controller and once by Stint's, and compares what comes out.

usage: npm run parity -- [--kubernetes VERSION] [--scenario NAME]… [--jobs N] [--verbose] [--keep] [--history FILE]
       npm run parity -- --random N [--seed S] [--jobs N] [--verbose]
       npm run parity -- --shadow --random N [--seed S] [--jobs N]
       npm run parity -- --list

  --kubernetes V   of the API server and upstream's controller: ${RELEASED_VERSIONS.join(", ")}; ${SERVED_KUBERNETES} unless given
  --scenario NAME  only this one, or those whose name contains it; may be given again
  --jobs N         scenarios at once; ${DEFAULT_JOBS} unless given (${DEFAULT_RANDOM_JOBS} of random Jobs, each of which is played four times), ${MAX_JOBS} at most
  --verbose        also what both outcomes were, as JSON
  --keep           leaves server, controllers and objects running until Ctrl-C, and says how to look at them; nothing is played again
  --history FILE   keeps what the API server has seen, for npm run history
  --random N       instead of the scenarios N random Jobs, each twice by each controller: what each agrees in with itself is compared
  --seed S         of the first random Job; the next ones follow. 1 unless given
  --shadow         by upstream's controller alone, each once, while a shadow looks on; ${DEFAULT_SHADOWED_JOBS} at once unless given
  --list           the scenarios, and the rows of docs/conformance.md that they are about
  --help           prints this

What differs is played again when all others are over, and passes when it differs once in ${PERFORMANCES} performances.
Exit status: 0 when nothing differs but what docs/differences.md lists, 1 when something does, 2 for arguments that make no sense.
The programs are built first where they are not cached, which takes some minutes and needs Go.
`;

interface Arguments {
  readonly kubernetes: KubernetesVersion;
  readonly scenarios: readonly Scenario[];
  readonly jobs: number;
  readonly isVerbose: boolean;
  readonly keeps: boolean;
  readonly history: string | undefined;
  readonly lists: boolean;
  /** How many random Jobs; undefined: the scenarios. */
  readonly random: number | undefined;
  readonly seed: number;
  /** Upstream's controller alone, with a shadow. */
  readonly isShadowed: boolean;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kubernetes: { type: "string", default: SERVED_KUBERNETES },
      scenario: { type: "string", multiple: true, default: [] },
      jobs: { type: "string" },
      random: { type: "string" },
      seed: { type: "string", default: "1" },
      verbose: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      history: { type: "string" },
      shadow: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const kubernetes = kubernetesVersionOf(values.kubernetes);
  if (kubernetes === undefined || !isReleased(kubernetes))
    throw new Error(
      `--kubernetes is ${JSON.stringify(values.kubernetes)}; allowed are ${RELEASED_VERSIONS.join(", ")}`,
    );
  if (values.random !== undefined && kubernetes !== SERVED_KUBERNETES)
    throw new Error(`--random plays on Kubernetes ${SERVED_KUBERNETES} alone; leave --kubernetes out`);
  const random = values.random === undefined ? undefined : wholeNumber("random", values.random, 1, MAX_RANDOM);
  const seed = wholeNumber("seed", values.seed, 0, MAX_SEED);
  if (values.shadow && random === undefined) throw new Error("--shadow is given without --random, which it needs");
  const jobs =
    values.jobs === undefined
      ? random === undefined
        ? DEFAULT_JOBS
        : values.shadow
          ? DEFAULT_SHADOWED_JOBS
          : DEFAULT_RANDOM_JOBS
      : wholeNumber("jobs", values.jobs, 1, MAX_JOBS);
  const chosen = values.scenario.map((text) => {
    const exact = SCENARIOS.filter(({ name }) => name === text);
    const found = exact.length > 0 ? exact : SCENARIOS.filter(({ name }) => name.includes(text));
    if (found.length === 0)
      throw new Error(`--scenario is ${JSON.stringify(text)}, and no scenario has that in its name; --list shows them`);
    return found;
  });
  const scenarios =
    chosen.length === 0 ? SCENARIOS : SCENARIOS.filter((scenario) => chosen.some((found) => found.includes(scenario)));
  if (!scenarios.some((scenario) => canPlay(scenario, kubernetes)))
    throw new Error(`Kubernetes ${kubernetes} cannot play ${scenarios.map(({ name }) => name).join(", ")}`);
  return {
    kubernetes,
    scenarios,
    jobs,
    isVerbose: values.verbose,
    keeps: values.keep,
    history: values.history,
    lists: values.list,
    random,
    seed,
    isShadowed: values.shadow,
  };
}

async function compareAll(options: Arguments): Promise<boolean> {
  const { kubernetes, jobs, isVerbose, keeps } = options;
  const beganMs = performance.now();
  const scenarios = options.scenarios.filter((scenario) => canPlay(scenario, kubernetes));
  const leftOut = options.scenarios.filter((scenario) => !scenarios.includes(scenario)).map(({ name }) => name);
  if (leftOut.length > 0) console.log(`left out, as Kubernetes ${kubernetes} cannot play them: ${leftOut.join(", ")}`);
  const first = await performAll(scenarios, options);
  let isKept = first.isKept;
  const again = async (suspects: readonly Scenario[]): Promise<readonly Result[]> => {
    console.log(`\nAgain, as they differ: ${suspects.map(({ name }) => name).join(", ")}\n`);
    const few = Math.min(jobs, MAX_REPLAYS_AT_ONCE);
    const performed = await performAll(suspects, {
      kubernetes,
      jobs: few,
      isVerbose,
      keeps: false,
      history: undefined,
    });
    isKept &&= performed.isKept;
    return performed.results;
  };
  // What was kept has been looked at by now.
  const all = keeps ? first.results.map((result): Performances => [result]) : await playAgain(first.results, again);
  const failed = all.filter(hasFailed);
  const once = all.filter(differedOnce);
  const tell = (what: string, some: readonly Performances[]): void => {
    for (const performances of some)
      console.log(`${what}, played ${performances.length}×: ${performances[0].scenario.name}`);
  };
  tell("differed once, and passes", once);
  tell("FAILED", failed);
  console.log(`differences that did not come again: ${once.length}`);
  console.log(`\n${all.length - failed.length} passed, ${failed.length} failed; ${secondsSince(beganMs)} s`);
  return failed.length === 0 && isKept;
}

type PerformOptions = Pick<Arguments, "kubernetes" | "jobs" | "isVerbose" | "keeps" | "history">;

interface Performed {
  readonly results: readonly Result[];
  /** Whether the history keeps the rules. */
  readonly isKept: boolean;
}

/** All of some scenarios, each once, on a separate server. */
async function performAll(scenarios: readonly Scenario[], options: PerformOptions): Promise<Performed> {
  const { kubernetes, jobs, isVerbose, keeps, history } = options;
  const problems = new Map<string, number>();
  const beganMs = performance.now();
  const theatre = await Theatre.open({
    kubernetes,
    scenarios,
    onProblem: (problem) => problems.set(problem, (problems.get(problem) ?? 0) + 1),
  });
  try {
    console.log(
      `Kubernetes ${theatre.controlPlane.version}; ${scenarios.length} scenarios, ${jobs} at once; ready after ${secondsSince(beganMs)} s\n`,
    );
    const width = Math.max(...scenarios.map(({ name }) => name.length));
    console.log(`         ${"scenario".padEnd(width)}     time       pods       events  end`);
    const results = await playAll(theatre, scenarios, jobs, (result) => console.log(lineOf(result, width)));
    console.log(detailsOf(results));
    if (isVerbose)
      for (const { scenario, outcomes } of results)
        console.log(`\n${scenario.name}\n${JSON.stringify(outcomes, null, 1)}`);
    for (const [problem, count] of problems) console.log(`note (${count}×): ${problem}`);
    const isKept = await keepsTheRules(theatre, scenarios, history);
    if (keeps) await untilInterrupted(theatre);
    return { results, isKept };
  } finally {
    await theatre.close();
  }
}

/** The server's history of all that was played is judged by rules that know nothing of either controller. */
async function keepsTheRules(
  theatre: Theatre,
  scenarios: readonly Scenario[],
  file: string | undefined,
): Promise<boolean> {
  const lines = await theatre.history();
  if (file !== undefined) writeFileSync(file, formatHistory(lines));
  const verdict = checkHistory(lines);
  const isKnown = (finding: Finding): boolean =>
    scenarios.some(
      (scenario) =>
        (scenario.upstreamBreaks?.includes(finding.rule) || isKnownBreach(finding, theatre.kubernetes)) &&
        finding.breach.includes(` ${namespaceOf(scenario, "upstream")}/${scenario.name} `),
    );
  const unknown = verdict.findings.filter((finding) => !isKnown(finding));
  const excused = verdict.findings.length - unknown.length;
  console.log(
    `\n${describeVerdict({ ...verdict, findings: unknown })}${excused === 0 ? "" : `; ${excused} times upstream breaks one as docs/differences.md or docs/upgrade-check.md says`}`,
  );
  for (const { rule, breach } of unknown) console.log(`BROKEN: ${rule}: ${breach}`);
  return unknown.length === 0;
}

const secondsSince = (beganMs: number): string => ((performance.now() - beganMs) / 1000).toFixed(0);

/** Takeovers begin first, as they take longest, but only few of them at a time. */
async function playAll(
  theatre: Theatre,
  scenarios: readonly Scenario[],
  jobs: number,
  onResult: (result: Result) => void,
): Promise<Result[]> {
  const namespaces = [...new Set(scenarios.flatMap((scenario) => SIDES.map((side) => namespaceOf(scenario, side))))];
  const results: Result[] = [];
  const lanes = (waiting: Scenario[], count: number): Promise<void>[] =>
    Array.from({ length: count }, async (_none, lane) => {
      await new Promise((resolve) => setTimeout(resolve, lane * LANE_DELAY_MS));
      for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
        const result = await run(theatre, scenario, namespaces);
        results.push(result);
        onResult(result);
      }
    });
  const takeovers = scenarios.filter(({ takeover }) => takeover !== undefined);
  const others = scenarios.filter(({ takeover }) => takeover === undefined);
  await Promise.all([...lanes(takeovers, Math.min(jobs, MAX_TAKEOVERS_AT_ONCE)), ...lanes(others, jobs)]);
  return results.toSorted((a, b) => scenarios.indexOf(a.scenario) - scenarios.indexOf(b.scenario));
}

function lineOf({ scenario, seconds, differences, excused, problem, outcomes }: Result, width: number): string {
  const verdict =
    problem !== undefined ? "FAILED " : differences.length > 0 ? "DIFFERS" : excused.length > 0 ? "excused" : "same   ";
  const pods = Object.values(outcomes?.upstream.podsCreated ?? {}).reduce((sum, count) => sum + count, 0);
  const events = Object.values(outcomes?.upstream.events ?? {}).reduce((sum, count) => sum + count, 0);
  const end =
    outcomes?.upstream.order
      .findLast(({ what }) => /^(Complete|Failed|Suspended) True/.test(what))
      ?.what.replace(/ True (\w+).*/, " $1") ?? "";
  const time = `${seconds.toFixed(1).padStart(5)} s`;
  const counts = `${String(pods).padStart(3)} pods  ${String(events).padStart(3)} events`;
  return `${verdict}  ${scenario.name.padEnd(width)}  ${time}  ${counts}  ${end}`;
}

function detailsOf(results: readonly Result[]): string {
  return results
    .filter(({ differences, excused, problem }) => differences.length + excused.length > 0 || problem !== undefined)
    .map(({ scenario, differences, excused, excuses, problem }) =>
      [
        `\n${scenario.name} (${scenario.rows.join(", ")})`,
        ...(problem === undefined ? [] : [`  ${problem}`]),
        ...differences.map(({ aspect, text }) => `  DIFFERS in ${aspect}: ${text}`),
        ...excused.map(({ aspect, text }) => `  ${aspect}: ${text}`),
        ...(excused.length === 0
          ? []
          : [`  as docs/differences.md and docs/upgrade-check.md say of: ${excuses.join("; ")}`]),
      ].join("\n"),
    )
    .join("\n");
}

async function untilInterrupted({ controlPlane }: Theatre): Promise<void> {
  console.log(
    `\nkept: kubectl --kubeconfig ${controlPlane.kubeconfig()} get jobs,pods -A\nlogs: ${controlPlane.processes.directory}\nCtrl-C ends it.`,
  );
  await new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
}

function list(scenarios: readonly Scenario[]): void {
  for (const { name, rows, differences = [] } of scenarios)
    console.log(
      `${name}: ${rows.join(", ")}${differences.length === 0 ? "" : `; may differ: ${differences.map(({ row }) => row).join("; ")}`}`,
    );
  console.log(`${scenarios.length} scenarios`);
}

const args = toolArguments(readArguments, HELP);
if (args?.lists) list(args.scenarios);
else if (args !== undefined) {
  const reason = whyUnavailable();
  if (reason === undefined) {
    const { random, seed, jobs, isVerbose, isShadowed } = args;
    const play = (): Promise<boolean> => {
      if (random === undefined) return compareAll(args);
      return isShadowed
        ? playShadow({ count: random, seed, jobs })
        : playRandom({ count: random, seed, jobs, isVerbose });
    };
    const isSame = await play().catch((error: Error) => console.error(error.message));
    if (!isSame) process.exitCode = 1;
  } else {
    console.error(`skipped: ${reason}`);
    if (process.env["STINT_REQUIRE_CLUSTER"] === "1") process.exitCode = 1;
  }
}
