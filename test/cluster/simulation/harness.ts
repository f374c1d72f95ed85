/** Worlds for tests: scenarios, a recorder that keeps what it receives, and a run to the end. */
import { readFileSync } from "node:fs";
import type { Decision } from "../../../bindings/js/engine.ts";
import type { ApiRequest, ApiResponse } from "../../../bindings/js/host.ts";
import type { Write } from "../../../cluster/apiserver/server.ts";
import type { KubeObject } from "../../../cluster/values/types.ts";
import type { FlagRecord, RunRecorder } from "../../../cluster/simulation/recorder.ts";
import { DEFAULT_NODES, type Input, type Scenario } from "../../../cluster/simulation/scenario.ts";
import { World } from "../../../cluster/simulation/world.ts";
import { modulePath } from "../../../scripts/build-engine.ts";
import { allTools } from "./tools.ts";

export const engineModule = await WebAssembly.compile(readFileSync(modulePath("core")));

/** More callbacks than any of these runs needs. */
const MAX_CALLBACKS = 200_000;

export function scenarioOf(yaml: string, rest: Partial<Scenario> = {}): Scenario {
  return { yaml, seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [], ...rest };
}

/** An Indexed Job whose pods run two seconds, unless its spec says otherwise. */
export function jobYaml(spec = "", annotation = '{ "runMs": 2000 }', name = "pi"): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
spec:
${spec.replace(/^(?=.)/gm, "  ")}
  template:
    metadata:
      annotations:
        stint.dev/simulate: '${annotation}'
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: example.com/main
`;
}

/** Keeps the latest objects, and everything that it receives. */
export class TestRecorder implements RunRecorder {
  readonly objects = new Map<string, KubeObject>();
  readonly decisions: Decision[] = [];
  readonly flags: FlagRecord[] = [];
  readonly requests: { readonly request: ApiRequest; readonly atMs: number; status?: number }[] = [];
  readonly instants: number[] = [];
  /** When a pod reached a phase: `pi-0/Running`, for Indexed Jobs. */
  readonly phases: { readonly atMs: number; readonly pod: string; readonly phase: string }[] = [];

  onWrite({ resource, type, object, previous }: Write, nowMs: number): void {
    const key = `${resource}/${object.metadata.name}`;
    if (type === "DELETED") this.objects.delete(key);
    else this.objects.set(key, object);
    if (resource !== "pods") return;
    const phase = type === "DELETED" ? "Gone" : object["status"]?.phase;
    if (type === "DELETED" || previous?.["status"]?.phase !== phase)
      this.phases.push({ atMs: nowMs, pod: object.metadata.name, phase });
  }

  onDecisions(decisions: readonly Decision[]): void {
    this.decisions.push(...decisions);
  }

  onRequest(id: number, request: ApiRequest, atMs: number): void {
    this.requests[id] = { request, atMs };
  }

  onSent(): void {}

  onAnswer(id: number, response: ApiResponse): void {
    this.requests[id]!.status = response.status;
  }

  onFlag(flag: FlagRecord): void {
    this.flags.push(flag);
  }

  onInstant(nowMs: number): void {
    this.instants.push(nowMs);
  }

  job(name = "pi"): KubeObject {
    return this.objects.get(`jobs/${name}`)!;
  }

  pods(): KubeObject[] {
    return [...this.objects].filter(([key]) => key.startsWith("pods/")).map(([, pod]) => pod);
  }

  condition(name = "pi"): string {
    const conditions: { type: string; status: string; reason?: string }[] = this.job(name)["status"]?.conditions ?? [];
    const last = conditions.filter(({ status }) => status === "True").at(-1);
    return last === undefined ? "" : [last.type, last.reason].filter(Boolean).join(" ");
  }
}

export interface Ran {
  readonly world: World;
  readonly recorder: TestRecorder;
}

export function create(scenario: Scenario): Ran {
  const recorder = new TestRecorder();
  return { world: new World(engineModule, scenario, recorder, allTools), recorder };
}

/** Everything up to and with an instant. */
export function runTo(world: World, untilMs: number): void {
  for (let ran = 0; world.nextAt() <= untilMs && !world.isFinished(); ran++) {
    if (ran > MAX_CALLBACKS) throw new Error(`the run has not ended after ${MAX_CALLBACKS} callbacks`);
    world.runNext();
  }
}

/** A run to its end. */
export function run(yaml: string, inputs: readonly Input[] = [], rest: Partial<Scenario> = {}): Ran {
  const ran = create(scenarioOf(yaml, { inputs, ...rest }));
  const errors = ran.world.problems(allTools.lazyParts()).filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  runTo(ran.world, Infinity);
  return ran;
}
