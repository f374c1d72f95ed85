/**
 * `npm run bench:serve`: `stint serve` beside the real kube-apiserver with etcd, the same requests to one after the
 * other. What a test or a laptop would use in its place is compared: writes, watches, lists, memory, and Jobs end to
 * end.
 *
 * "kept" is the same with a data folder, where each write is on the disk before it is answered, as with etcd.
 *
 * The clients run on the same processors. So the processor time of the servers alone says how much a server does with a
 * core, and time on the wall what a user waits here. Nothing passes or fails.
 */
import { parseArgs } from "node:util";
import { toolArguments } from "../../../arguments.ts";
import { hasCondition } from "../../conditions.ts";
import { ApiClient } from "../../api-client.ts";
import { boundTemplate } from "../../kwok.ts";
import { Clients } from "./clients.ts";
import { type BenchServer, type Form, type Name, NAMES, startServer } from "./servers.ts";

const HELP = `\`stint serve\` beside the real kube-apiserver with etcd: writes, watches, lists, memory, Jobs.

usage: npm run bench:serve -- [--quick] [--large] [WORDS]

  WORDS     only the parts whose title contains them: "memory", "list", "completions"
  --quick   a tenth of everything
  --large   memory with 100,000 pods, too, which takes some minutes
  --help    prints this

It takes about six minutes on two cores, which should have nothing else to do; the programs are built first where they
are not cached.
`;

const PARALLEL = 16;
const LIST_ROUNDS = 5;
const SETTLE_MS = 3_000;
const JOB_TIMEOUT_MS = 10 * 60_000;
const PODS = "/api/v1/namespaces/default/pods";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** What one server was measured to do. */
interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: "/s" | "/s a core" | "s" | "MB";
  /** Of Stint to the real one. */
  readonly aim?: string;
}

interface Part {
  readonly title: string;
  readonly form: Form;
  readonly measure: (server: BenchServer, clients: Clients) => Promise<Figure[]>;
}

function pod(name: string): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { "batch.kubernetes.io/job-name": "bench" } },
    ...boundTemplate("no-node"),
  };
}

const podName = (index: number): string => `bench-${index}`;

function createPods(clients: Clients, count: number, from = 0, parallel = PARALLEL): Promise<void> {
  return clients.sendAll(count, parallel, (index) => ({
    method: "POST",
    path: PODS,
    body: pod(podName(from + index)),
  }));
}

function patchStatuses(clients: Clients, count: number): Promise<void> {
  return clients.sendAll(count, PARALLEL, (index) => ({
    method: "PATCH",
    path: `${PODS}/${podName(index)}/status`,
    body: {
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True", reason: `turn-${Date.now()}` }] },
    },
  }));
}

/** How many a second, on the wall and of processor time. */
async function rates(server: BenchServer, what: string, count: number, work: () => Promise<void>): Promise<Figure[]> {
  const [beganMs, cpuBefore] = [performance.now(), server.cpuSeconds()];
  await work();
  const wall = (performance.now() - beganMs) / 1000;
  const cpu = server.cpuSeconds() - cpuBefore;
  return [
    { what, value: count / wall, unit: "/s" },
    { what, value: count / cpu, unit: "/s a core", aim: "≥ 2" },
  ];
}

function writes(count: number): Part {
  const few = count / 5;
  return {
    title: `writes, ${number(count)} of each`,
    form: "api",
    async measure(server, clients) {
      // The first requests compile what the others use.
      await createPods(clients, Math.ceil(count / 10), count);
      return [
        ...(await rates(server, "pods created", count, () => createPods(clients, count))),
        ...(await rates(server, "pods created by one client", few, () => createPods(clients, few, 2 * count, 1))),
        ...(await rates(server, "statuses patched", count, () => patchStatuses(clients, count))),
      ];
    },
  };
}

function watches(count: number): Part {
  return {
    title: `watches, while ${number(count)} pods are patched`,
    form: "api",
    async measure(server, clients) {
      await createPods(clients, count);
      const figures: Figure[] = [];
      for (const watchers of [1, 10, 100]) {
        const ends = await clients.watch(
          `${PODS}?watch=true&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
          watchers,
          count,
        );
        const what = `events to ${watchers} watcher${watchers === 1 ? "" : "s"}, with the patches`;
        figures.push(
          ...(await rates(server, what, watchers * count, async () => {
            await patchStatuses(clients, count);
            await Promise.all(ends);
          })),
        );
      }
      return figures;
    },
  };
}

function lists(count: number): Part {
  return {
    title: `lists of ${number(count)} pods`,
    form: "api",
    async measure(server, clients) {
      await createPods(clients, count);
      const figures: Figure[] = [];
      for (const [what, accept] of [
        ["JSON", "application/json"],
        ["protobuf", PROTOBUF],
      ] as const) {
        const times: number[] = [];
        const cpuBefore = server.cpuSeconds();
        for (let round = 0; round < LIST_ROUNDS; round++) {
          const beganMs = performance.now();
          await clients.send({ method: "GET", path: PODS, accept });
          times.push((performance.now() - beganMs) / 1000);
        }
        figures.push(
          { what: `${what}, median`, value: times.toSorted((a, b) => a - b)[LIST_ROUNDS >> 1]!, unit: "s", aim: "≤ 1" },
          {
            what: `${what}, processor time`,
            value: (server.cpuSeconds() - cpuBefore) / LIST_ROUNDS,
            unit: "s",
            aim: "≤ 1",
          },
        );
      }
      return figures;
    },
  };
}

function memory(count: number): Part {
  return {
    title: `memory with ${number(count)} pods`,
    form: "api",
    async measure(server, clients) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const idle: Figure = { what: "resident, idle", value: server.residentBytes() / 1e6, unit: "MB" };
      await createPods(clients, count);
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      return [idle, { what: "resident, then", value: server.residentBytes() / 1e6, unit: "MB", aim: "≤ 0.5" }];
    },
  };
}

function completions(count: number): Part {
  return {
    title: `a Job of ${number(count)} completions, all at once`,
    form: "cluster",
    async measure(server) {
      const client = new ApiClient(server);
      try {
        const beganMs = performance.now();
        await client.succeed("POST", JOBS, {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name: "bench" },
          spec: {
            completionMode: "Indexed",
            completions: count,
            parallelism: count,
            template: await endingTemplate(client),
          },
        });
        await client.waitFor<any>(
          `${JOBS}?fieldSelector=metadata.name%3Dbench`,
          (job) => hasCondition(job, "Complete"),
          JOB_TIMEOUT_MS,
        );
        return [{ what: "create → Complete", value: (performance.now() - beganMs) / 1000, unit: "s", aim: "≤ 0.2" }];
      } finally {
        client.close();
      }
    },
  };
}

/** Pods that end at once: the simulated runtime reads the annotation, kwok needs none, and both have one node. */
async function endingTemplate(client: ApiClient): Promise<object> {
  const { items } = await client.succeed<{ items: { metadata: { name: string } }[] }>("GET", "/api/v1/nodes");
  const annotations = { "stint.dev/simulate": JSON.stringify({ startDelayMs: 0, runMs: 0 }) };
  return { metadata: { annotations }, ...boundTemplate(items[0]!.metadata.name) };
}

function partsOf({ isQuick, isLarge }: Pick<Arguments, "isQuick" | "isLarge">): Part[] {
  const scale = isQuick ? 0.1 : 1;
  return [
    writes(5_000 * scale),
    watches(1_000 * scale),
    lists(10_000 * scale),
    memory(10_000 * scale),
    ...(isLarge ? [memory(100_000 * scale)] : []),
    completions(10_000 * scale),
  ];
}

async function measure(part: Part, name: Name): Promise<Figure[]> {
  process.stderr.write(`${part.title}: ${name}\n`);
  const server = await startServer(name, part.form);
  const clients = new Clients(server);
  try {
    return await part.measure(server, clients);
  } finally {
    clients.close();
    await server.stop();
  }
}

async function bench(parts: readonly Part[]): Promise<void> {
  for (const part of parts) {
    const figures: Figure[][] = [];
    for (const name of NAMES) figures.push(await measure(part, name));
    console.log(`\n${line(part.title, ...NAMES, "stint/real", "aim", "kept/stint")}`);
    figures[0]!.forEach(({ what, unit, aim = "" }, index) => {
      const [real, stint, kept] = figures.map((of) => of[index]!.value) as [number, number, number];
      const values = [real, stint, kept].map(shown);
      console.log(line(`  ${what}, ${unit}`, ...values, (stint / real).toFixed(2), aim, (kept / stint).toFixed(2)));
    });
  }
}

function line(what: string, ...numbers: readonly string[]): string {
  return `${what.padEnd(62)}${numbers.map((cell) => cell.padStart(12)).join("")}`.trimEnd();
}

function shown(value: number): string {
  return value < 100 ? value.toPrecision(3) : number(value);
}

function number(value: number): string {
  return Math.round(value).toLocaleString("en");
}

interface Arguments {
  readonly isQuick: boolean;
  readonly isLarge: boolean;
  readonly parts: readonly Part[];
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      large: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  if (positionals.length > 1)
    throw new Error(`here are ${positionals.length} arguments; allowed is one, perhaps in quotes: words of a title`);
  const all = partsOf({ isQuick: values.quick, isLarge: values.large });
  const parts = all.filter(({ title }) => title.includes(positionals[0] ?? ""));
  if (parts.length === 0)
    throw new Error(
      `no title contains ${JSON.stringify(positionals[0])}; the titles are:\n  ${all.map(({ title }) => title).join("\n  ")}`,
    );
  return { isQuick: values.quick, isLarge: values.large, parts };
}

const args = toolArguments(readArguments, HELP);
if (args !== undefined) await bench(args.parts);
