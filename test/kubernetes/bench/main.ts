/**
 * `npm run bench:cluster`: upstream's Job controller and Stint's on the same API server, with one fake kubelet that no
 * one here wrote, the same Jobs in turn. Both controllers are without client limits and run alone, Stint's with the
 * environment that its manifest gives it. Each run has a fresh control plane.
 *
 * Absolute numbers are this machine's at this moment, and a shared machine is half as fast again from one minute to the
 * next. Both controllers make etcd write the same pods: its processor time says about how fast the machine was during a
 * run, and times are also compared at one speed, per second of that. It is not quite independent of the controller,
 * which also writes statuses, and which makes denser writes cheaper the faster it is; so raw ratios stand beside.
 * Nothing passes or fails.
 */
import { parseArgs } from "node:util";
import { toolArguments, wholeNumber } from "../../arguments.ts";
import { hasCondition } from "../conditions.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { boundTemplate, startKwok } from "../kwok.ts";
import type { Running } from "../processes.ts";
import { usageOf } from "../process-usage.ts";
import { startStintController } from "../stint-controller.ts";
import { startUpstreamController } from "../upstream-controller.ts";
import { deployedContainer } from "./deployed.ts";
import { latencies, type Latencies } from "./latency.ts";
import { countRequests, difference, type RequestCounts } from "./request-counts.ts";
import { SIDECAR_MANAGER, startSidecar } from "./sidecar.ts";

const HELP = `Upstream's Job controller and Stint's, on a real API server with kwok as kubelet, in turn.

usage: npm run bench:cluster -- [--rounds N] [--quick] [WORDS]

  WORDS       only the parts whose title contains them: "10,000 pods", "idle", "sidecar"
  --rounds N  how often each is run; medians are shown (default 3)
  --quick     one round, without the Job of 10,000 pods
  --help      prints this

It takes about 25 minutes on two cores, which should have nothing else to do; the programs are built first where they are
not cached.
`;
const MAX_ROUNDS = 99;
const JOB_TIMEOUT_MS = 15 * 60_000;
const IDLE_MS = 3_000;
const CONTENDERS = ["upstream", "stint"] as const;
type Contender = (typeof CONTENDERS)[number];

interface Scenario {
  readonly title: string;
  readonly completionMode: "Indexed" | "NonIndexed";
  readonly completions: number;
  /** Default: the built-in controller. */
  readonly managedBy?: string;
}

const SCENARIOS: readonly Scenario[] = [
  { title: "Indexed, 1,000 pods at once", completionMode: "Indexed", completions: 1_000 },
  { title: "NonIndexed, 1,000 pods at once", completionMode: "NonIndexed", completions: 1_000 },
  { title: "Indexed, 10,000 pods at once", completionMode: "Indexed", completions: 10_000 },
];

const SIDECAR_TITLE = "the sidecar form, resident memory";
const SIDECAR_COMPLETIONS = [1_000, 10_000] as const;

interface Run {
  /** From the POST of the Job to the write that made it Complete, as a watcher sees it. */
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** Of the API server, the fake kubelet and etcd, which share the processors with the controller. */
  readonly othersCpuSeconds: number;
  readonly etcdCpuSeconds: number;
  readonly idleBytes: number;
  /** Since the process began. */
  readonly peakBytes: number;
  /** Of the API server. */
  readonly version: string;
  readonly requests: RequestCounts;
}

interface RunningController {
  readonly pid: number;
}

async function startController(controlPlane: ControlPlane, contender: Contender): Promise<RunningController> {
  if (contender === "upstream") return startUpstreamController(controlPlane, { clientQps: -1 });
  const { env } = deployedContainer("base/deployment.yaml");
  // In a container Node takes half of the limit for its old space.
  const options = `${env["NODE_OPTIONS"]} --max-old-space-size=256`;
  return startStintController(controlPlane, {
    flags: ["--default-controller", "--leader-elect=false"],
    env: { ...env, NODE_OPTIONS: options },
  });
}

function jobManifest(name: string, { completionMode, completions, managedBy }: Scenario): object {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { completionMode, completions, parallelism: completions, managedBy, template: boundTemplate() },
  };
}

/** On a fresh control plane with a fake kubelet, which end with `use`. */
async function withCluster<T>(use: (controlPlane: ControlPlane) => Promise<T>): Promise<T> {
  const controlPlane = await startControlPlane();
  try {
    await startKwok(controlPlane);
    return await use(controlPlane);
  } finally {
    await controlPlane.stop();
  }
}

function run(scenario: Scenario, start: (controlPlane: ControlPlane) => Promise<RunningController>): Promise<Run> {
  return withCluster(async (controlPlane) => {
    const others = controlPlane.processes.running;
    const controller = await start(controlPlane);
    const client = controlPlane.client();
    try {
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      const idle = usageOf(controller.pid);
      const [othersBefore, etcdBefore] = [cpuSecondsOf(others), cpuSecondsOf(others, "etcd")];
      const before = await countRequests(client);
      const beganMs = performance.now();
      await client.succeed("POST", "/apis/batch/v1/namespaces/default/jobs", jobManifest("bench", scenario));
      await client.waitFor<any>(
        "/apis/batch/v1/namespaces/default/jobs?fieldSelector=metadata.name%3Dbench",
        (job) => hasCondition(job, "Complete"),
        JOB_TIMEOUT_MS,
      );
      const wallSeconds = (performance.now() - beganMs) / 1000;
      const used = usageOf(controller.pid);
      return {
        wallSeconds,
        cpuSeconds: used.cpuSeconds - idle.cpuSeconds,
        othersCpuSeconds: cpuSecondsOf(others) - othersBefore,
        etcdCpuSeconds: cpuSecondsOf(others, "etcd") - etcdBefore,
        idleBytes: idle.residentBytes,
        peakBytes: used.peakResidentBytes,
        version: controlPlane.version,
        requests: difference(await countRequests(client), before),
      };
    } finally {
      client.close();
    }
  });
}

/** Of all of them, or of those of one name. */
function cpuSecondsOf(processes: readonly Running[], name?: string): number {
  return processes.reduce(
    (sum, running) => (name === undefined || running.name === name ? sum + usageOf(running.pid).cpuSeconds : sum),
    0,
  );
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

interface Row {
  readonly what: string;
  readonly of: (run: Run) => number;
  readonly show: (value: number) => string;
  /** What is aimed at, of Stint to upstream, by the number of pods. */
  readonly aims?: Readonly<Record<number, string>>;
}

const seconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} s`;
/** Of etcd's processor time. */
const perSecond = (value: number): string => `${value.toFixed(2)} s/s`;
const megabytes = (value: number): string => `${Math.round(value / 1e6)} MB`;
const number = (value: number): string => Math.round(value).toLocaleString("en");

const CPU_AIMS = { 1_000: "≤ 0.8", 10_000: "≤ 0.35" };

function rowsOf({ completions }: Scenario): Row[] {
  return [
    { what: "create → Complete", of: (run) => run.wallSeconds, show: seconds, aims: { 10_000: "≤ 0.8" } },
    { what: "CPU of the controller", of: (run) => run.cpuSeconds, show: seconds, aims: CPU_AIMS },
    { what: "CPU of API server, kwok, etcd", of: (run) => run.othersCpuSeconds, show: seconds },
    { what: "CPU of etcd: the machine's speed", of: (run) => run.etcdCpuSeconds, show: seconds },
    {
      what: "at one speed: create → Complete",
      of: (run) => run.wallSeconds / run.etcdCpuSeconds,
      show: perSecond,
      aims: { 10_000: "≤ 0.8" },
    },
    { what: "at one speed: CPU", of: (run) => run.cpuSeconds / run.etcdCpuSeconds, show: perSecond, aims: CPU_AIMS },
    { what: "peak memory", of: (run) => run.peakBytes, show: megabytes, aims: { 1_000: "≤ 0.75", 10_000: "≤ 0.5" } },
    { what: "idle memory", of: (run) => run.idleBytes, show: megabytes, aims: { 1_000: "≤ 0.85", 10_000: "≤ 0.85" } },
    { what: "pods created", of: (run) => run.requests.podCreations, show: number },
    { what: "pods patched", of: (run) => run.requests.podPatches, show: number },
    { what: "status writes", of: (run) => run.requests.jobStatusWrites, show: number },
    {
      what: "requests a pod, events apart",
      of: ({ requests }) =>
        (requests.podCreations + requests.podPatches + requests.podDeletions + requests.jobStatusWrites) / completions,
      show: (value) => value.toFixed(3),
      aims: { 10_000: "≤ 2.02" },
    },
    { what: "event writes of everybody", of: (run) => run.requests.eventWrites, show: number },
  ];
}

function table(scenario: Scenario, runs: Readonly<Record<Contender, readonly Run[]>>): string {
  const lines = [
    `\n${scenario.title}; kube-apiserver ${runs.upstream[0]!.version}`,
    line("", "upstream", "stint", "ratio", "aim"),
  ];
  for (const { what, of, show, aims } of rowsOf(scenario)) {
    const [theirs, ours] = [median(runs.upstream.map(of)), median(runs.stint.map(of))];
    lines.push(
      line(
        `  ${what}`,
        show(theirs),
        show(ours),
        theirs === 0 ? "" : (ours / theirs).toFixed(2),
        aims?.[scenario.completions] ?? "",
      ),
    );
  }
  return lines.join("\n");
}

/**
 * Idle, and the most until a Job of each size was complete, in a fresh process each; with the manifest's settings for
 * Node's memory, and with Node's own. Without a container's limit.
 */
async function sidecarTable(sizes: readonly number[]): Promise<string> {
  const lines = [`\n${SIDECAR_TITLE}`, line("", "as deployed", "Node's own", "ratio", "")];
  for (const completions of sizes) {
    const measure = (isAsDeployed: boolean): Promise<Run> => {
      process.stderr.write(
        `${SIDECAR_TITLE}: ${number(completions)} pods, ${isAsDeployed ? "as deployed" : "Node's own settings"}\n`,
      );
      return run(
        { title: SIDECAR_TITLE, completionMode: "Indexed", completions, managedBy: SIDECAR_MANAGER },
        (controlPlane) => startSidecar(controlPlane, { isAsDeployed }),
      );
    };
    const [deployed, plain] = [await measure(true), await measure(false)];
    const row = (what: string, of: (run: Run) => number): string =>
      line(`  ${what}`, megabytes(of(deployed)), megabytes(of(plain)), (of(deployed) / of(plain)).toFixed(2), "");
    if (completions === sizes[0]) lines.push(row("idle", ({ idleBytes }) => idleBytes));
    lines.push(row(`peak, ${number(completions)} pods at once`, ({ peakBytes }) => peakBytes));
  }
  return lines.join("\n");
}

function latencyTable(title: string, measured: Readonly<Record<Contender, Latencies>>): string {
  const { upstream, stint } = measured;
  const milliseconds = (value: number): string => `${Math.round(value)} ms`;
  const of = (what: "p50" | "p99", aim: string): string =>
    line(
      `  ${what}`,
      milliseconds(upstream[what]),
      milliseconds(stint[what]),
      (stint[what] / upstream[what]).toFixed(2),
      aim,
    );
  return [`\n${title}`, line("", "upstream", "stint", "ratio", "aim"), of("p50", "≤ 0.2"), of("p99", "")].join("\n");
}

function line(...cells: readonly [string, string, string, string, string]): string {
  const [what, ...numbers] = cells;
  return `${what.padEnd(34)}${numbers.map((cell) => cell.padStart(12)).join("")}`.trimEnd();
}

function scenariosOf(isQuick: boolean): readonly Scenario[] {
  return SCENARIOS.filter(({ completions }) => !isQuick || completions <= 1_000);
}

/** Each with the number of other Jobs that run. */
function latencyParts(isQuick: boolean): readonly { readonly title: string; readonly others: number }[] {
  return [0, isQuick ? 100 : 1_000].map((others) => ({
    others,
    title: `create → Complete of a Job of one pod that ends at once, ${others === 0 ? "idle" : `${number(others)} other Jobs running`}`,
  }));
}

function titlesOf(isQuick: boolean): string[] {
  return [...scenariosOf(isQuick), ...latencyParts(isQuick)].map(({ title }) => title).concat(SIDECAR_TITLE);
}

async function bench({ rounds, isQuick, words }: Arguments): Promise<void> {
  console.log(`medians of ${rounds} round${rounds === 1 ? "" : "s"}`);
  for (const scenario of scenariosOf(isQuick)) {
    if (!scenario.title.includes(words)) continue;
    const runs: Record<Contender, Run[]> = { upstream: [], stint: [] };
    for (let round = 1; round <= rounds; round++) {
      // A machine that becomes slower must not do so for the same one each time.
      for (const contender of round % 2 === 1 ? CONTENDERS : CONTENDERS.toReversed()) {
        const one = await run(scenario, (controlPlane) => startController(controlPlane, contender));
        runs[contender].push(one);
        const cpu = `CPU ${seconds(one.cpuSeconds)}, of etcd ${seconds(one.etcdCpuSeconds)}`;
        process.stderr.write(`${scenario.title}: round ${round}, ${contender}: ${seconds(one.wallSeconds)}, ${cpu}\n`);
      }
    }
    console.log(table(scenario, runs));
  }
  for (const { title, others } of latencyParts(isQuick)) {
    if (!title.includes(words)) continue;
    const measured = {} as Record<Contender, Latencies>;
    for (const contender of CONTENDERS) {
      process.stderr.write(`${title}: ${contender}\n`);
      measured[contender] = await withCluster(async (controlPlane) => {
        await startController(controlPlane, contender);
        return latencies(controlPlane, { others, count: isQuick ? 20 : 100 });
      });
    }
    console.log(latencyTable(title, measured));
  }
  if (SIDECAR_TITLE.includes(words))
    console.log(await sidecarTable(SIDECAR_COMPLETIONS.filter((completions) => !isQuick || completions <= 1_000)));
}

interface Arguments {
  readonly rounds: number;
  readonly isQuick: boolean;
  readonly words: string;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: "string" },
      quick: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const rounds = wholeNumber("rounds", values.rounds ?? (values.quick ? "1" : "3"), 1, MAX_ROUNDS);
  if (positionals.length > 1)
    throw new Error(`here are ${positionals.length} arguments; allowed is one, perhaps in quotes: words of a title`);
  const [words = ""] = positionals;
  const titles = titlesOf(values.quick);
  if (!titles.some((title) => title.includes(words)))
    throw new Error(`no title contains ${JSON.stringify(words)}; the titles are:\n  ${titles.join("\n  ")}`);
  return { rounds, isQuick: values.quick, words };
}

const args = toolArguments(readArguments, HELP);
if (args !== undefined) await bench(args);
