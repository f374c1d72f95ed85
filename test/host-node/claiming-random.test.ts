/**
 * Claiming under random actions: Jobs with overlapping selectors come and go, and a user changes labels, removes
 * owners, adds orphan pods and deletes others, at random moments. When that has stopped, every pod must belong to the
 * Job that its labels match, whatever the order of events was. Leaves out lost requests, which test/simulation/ has.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { Method } from "../../bindings/js/host.ts";
import type { Json, JsonObject } from "../../cluster/values/types.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { SimulatedRuntime } from "../../cluster/kubelet/simulated-runtime.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { buildModule } from "../../scripts/build-engine.ts";
import { seeded } from "../cluster/component-harness.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const FINALIZER = "batch.kubernetes.io/job-tracking";
const UID_LABEL = "batch.kubernetes.io/controller-uid";
const SEEDS = 15;
const ACTIONS = 40;
/** Longer than the longest delay of a retry. */
const SETTLE_MS = 150_000;

interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly { readonly name: string; readonly uid: string; readonly controller?: boolean }[];
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Requirement[];
}

interface Stored {
  readonly metadata: Metadata;
  readonly spec: { readonly selector: Selector; readonly parallelism: number };
  readonly status: { readonly active?: number };
}

/** Selectors that overlap, each with labels that it matches. */
const CHOICES: readonly { readonly selector: Selector; readonly labels: Readonly<Record<string, string>> }[] = [
  { selector: { matchLabels: { app: "x" } }, labels: { app: "x" } },
  {
    selector: {
      matchExpressions: [
        { key: "app", operator: "In", values: ["x", "y"] },
        { key: "tier", operator: "NotIn", values: ["b"] },
      ],
    },
    labels: { app: "y" },
  },
  {
    selector: {
      matchExpressions: [
        { key: "tier", operator: "Exists" },
        { key: "app", operator: "DoesNotExist" },
      ],
    },
    labels: { tier: "a" },
  },
];

// The slow twin of the engine's comparison.
function selects(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const asExpressions = Object.entries(matchLabels).map(([key, value]): Requirement => ({
    key,
    operator: "In",
    values: [value],
  }));
  return [...asExpressions, ...matchExpressions].every(({ key, operator, values = [] }) => {
    const value = labels[key];
    if (operator === "In") return value !== undefined && values.includes(value);
    if (operator === "NotIn") return value === undefined || !values.includes(value);
    return (value !== undefined) === (operator === "Exists");
  });
}

class World {
  readonly #random: () => number;
  readonly #clock = new VirtualClock(Date.UTC(2026, 0, 1));
  #cluster!: EmbeddedCluster;
  #names = 0;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  async start(): Promise<void> {
    const runtime = new SimulatedRuntime({ clock: this.#clock, random: this.#random });
    this.#cluster = await EmbeddedCluster.create({
      clock: this.#clock,
      nodes: [{ nodeName: "n", runtime }],
      onProblem: expect.fail,
      onFatal: (error) => {
        throw error;
      },
    });
    this.#cluster.start();
  }

  stop(): void {
    this.#cluster.stop();
  }

  async pass(ms: number): Promise<void> {
    this.#clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  }

  list(path: string): readonly Stored[] {
    return this.#send("GET", path)["items"] as unknown as readonly Stored[];
  }

  async act(): Promise<void> {
    const actions = [
      () => this.#createJob(),
      () => this.#createPod(),
      () => this.#relabel(),
      () => this.#relabel(),
      () => this.#disown(),
      () => this.#deleteJob(),
      () => this.#deletePod(),
    ];
    this.#pick(actions)!();
    // Often before the engine has looked, rarely after a back-off.
    await this.pass(this.#pick([0, 0, 1, 20, 500, 3000])!);
  }

  #createJob(): void {
    const { selector, labels } = this.#pick(CHOICES)!;
    const spec = this.#random() < 0.3 ? {} : { manualSelector: true, selector: selector as unknown as JsonObject };
    const template = {
      metadata: { labels, annotations: { "stint.dev/simulate": '{"runMs":"forever"}' } },
      spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
    };
    this.#send("POST", JOBS, {
      metadata: { name: `j${this.#names++}` },
      spec: { ...spec, template, parallelism: this.#pick([0, 1, 2])!, completions: 5 },
    });
  }

  #createPod(): void {
    const finalizers = this.#random() < 0.5 ? [FINALIZER] : [];
    this.#send("POST", PODS, {
      metadata: {
        name: `b${this.#names++}`,
        labels: this.#labels(),
        finalizers,
        annotations: { "stint.dev/simulate": '{"runMs":"forever"}' },
      },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
  }

  #relabel(): void {
    const uid = this.#pick(this.list(JOBS))?.metadata.uid ?? null;
    const labels = {
      app: null,
      tier: null,
      ...this.#labels(),
      ...(this.#random() < 0.5 ? { [UID_LABEL]: this.#random() < 0.5 ? uid : null } : {}),
    };
    this.#patchPod({ metadata: { labels } });
  }

  #disown(): void {
    this.#patchPod({ metadata: { ownerReferences: null } });
  }

  #deleteJob(): void {
    const job = this.#pick(this.list(JOBS));
    if (job !== undefined)
      this.#send("DELETE", `${JOBS}/${job.metadata.name}`, {
        propagationPolicy: this.#pick(["Orphan", "Orphan", "Background", "Foreground"])!,
      });
  }

  #deletePod(): void {
    const pod = this.#pick(this.list(PODS));
    if (pod !== undefined) this.#send("DELETE", `${PODS}/${pod.metadata.name}`);
  }

  #labels(): Record<string, string> {
    const labels: Record<string, string> = {};
    if (this.#random() < 0.7) labels["app"] = this.#pick(["x", "y", "z"])!;
    if (this.#random() < 0.5) labels["tier"] = this.#pick(["a", "b"])!;
    return labels;
  }

  #patchPod(patch: Json): void {
    const pod = this.#pick(this.list(PODS).filter(({ metadata }) => metadata.deletionTimestamp === undefined));
    if (pod !== undefined) this.#send("PATCH", `${PODS}/${pod.metadata.name}`, patch, "application/merge-patch+json");
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }

  #send(method: Method, path: string, body?: Json, contentType = "application/json"): JsonObject {
    const request = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = this.#cluster.cluster.handle({
      method,
      path,
      headers: { "content-type": contentType },
      ...request,
    });
    if (!("body" in response) || response.status >= 300)
      throw new Error(`${method} ${path}: ${"body" in response ? String(response.body) : "a stream"}`);
    return JSON.parse(response.body as string) as JsonObject;
  }
}

/** What is wrong with where the pods are, one sentence each. */
function misplaced(jobs: readonly Stored[], pods: readonly Stored[]): string[] {
  const wrong: string[] = [];
  for (const { metadata } of pods) {
    const { name, labels = {}, ownerReferences = [], finalizers = [] } = metadata;
    const owner = jobs.find((job) =>
      ownerReferences.some(({ uid, controller }) => controller === true && uid === job.metadata.uid),
    );
    const held = finalizers.includes(FINALIZER);
    if (owner !== undefined) {
      if (!selects(owner.spec.selector, labels))
        wrong.push(`${name} is not released by ${owner.metadata.name}: ${JSON.stringify(labels)}`);
      if (!held) wrong.push(`${name} of ${owner.metadata.name} has no finalizer`);
      continue;
    }
    const adopter = jobs.find((job) => selects(job.spec.selector, labels));
    if (adopter !== undefined)
      wrong.push(`${name} is not adopted by ${adopter.metadata.name}: ${JSON.stringify(labels)}`);
    if (held) wrong.push(`${name} has no owner and keeps its finalizer`);
  }
  for (const { metadata, spec, status } of jobs) {
    const own = pods.filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid)).length;
    if (own !== spec.parallelism || (status.active ?? 0) !== own)
      wrong.push(`${metadata.name} has ${own} pods, ${spec.parallelism} wanted, and says ${status.active ?? 0}`);
  }
  return wrong;
}

beforeAll(async () => {
  await buildModule("engine");
});

describe("random hands", () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    "leave every pod where its labels say, seed %i",
    async (seed) => {
      const world = new World(seed);
      await world.start();
      await world.pass(1000);
      for (let action = 0; action < ACTIONS; action++) await world.act();
      await world.pass(SETTLE_MS);
      const [jobs, pods] = [world.list(JOBS), world.list(PODS)];
      world.stop();
      expect(misplaced(jobs, pods)).toEqual([]);
    },
  );
});
