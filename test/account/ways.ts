/**
 * The ways in which pods of a Job end, as data: the Job that is run, what is done to it, and the truth about the pods
 * that it concerns. A way may draw numbers, so that two runs of it differ.
 */
import type { EndCode } from "../../bindings/js/abi.ts";
import type { JsonObject, KubeObject } from "../../cluster/values/types.ts";
import type { Chance } from "../simulation/chance.ts";
import { JOBS, NODES, PODS, type World } from "./world.ts";

/** Which pods the truth is known of; undefined: not of this one. */
export type Truth = (pod: KubeObject) => EndCode | undefined;

export interface Way {
  readonly name: string;
  readonly spec: (shape: Shape, chance: Chance) => JsonObject;
  /** Called when the pods run. @returns the truth */
  readonly act: (world: World, pods: readonly KubeObject[], chance: Chance) => Truth;
}

/** What all ways may have around the container that matters. */
export interface Shape {
  readonly sidecar: boolean;
  readonly init: boolean;
  readonly restartPolicy: "Never" | "OnFailure";
}

export const JOB = "work";
const all =
  (code: EndCode): Truth =>
  () =>
    code;
const only =
  (victims: readonly KubeObject[], code: EndCode): Truth =>
  ({ metadata }) =>
    victims.some((victim) => victim.metadata.uid === metadata.uid) ? code : undefined;

function template(shape: Shape, outcome: object, main: JsonObject = {}, podSpec: JsonObject = {}): JsonObject {
  const sidecar = { name: "proxy", image: "proxy:1", restartPolicy: "Always" };
  const init = { name: "setup", image: "setup:1" };
  const inits = [...(shape.init ? [init] : []), ...(shape.sidecar ? [sidecar] : [])];
  return {
    metadata: { annotations: { "stint.dev/simulate": JSON.stringify(outcome) } },
    spec: {
      restartPolicy: "Never",
      ...(inits.length > 0 && { initContainers: inits }),
      containers: [{ name: "main", image: "main:1", resources: { requests: { cpu: "1" } }, ...main }],
      ...podSpec,
    },
  };
}

const forever = { runMs: "forever" };
const three = { parallelism: 3, completions: 3, backoffLimit: 20 };
/** A program that handles SIGTERM in one of several ways. */
const stubborn = (chance: Chance): object =>
  chance.pick([
    forever,
    { ...forever, sigterm: { exitCode: 0, afterMs: 1500 } },
    { ...forever, sigterm: { exitCode: 3, afterMs: 2500 } },
    { ...forever, ignoreSigterm: true },
  ]);

/** A Job whose pods run until something ends them. */
const lasting = (shape: Shape, chance: Chance): JsonObject => ({
  ...three,
  template: template(shape, stubborn(chance), {}, { restartPolicy: shape.restartPolicy }),
});

/** A way that the Job goes by itself. */
function byItself(name: string, code: EndCode, spec: Way["spec"], truth: Truth = all(code)): Way {
  return { name, spec, act: () => truth };
}

function evict(world: World, { metadata: { name } }: KubeObject): void {
  world.send("POST", `${PODS}/${name}/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } });
}

const indexOf = ({ metadata }: KubeObject): number =>
  Number(metadata.annotations!["batch.kubernetes.io/job-completion-index"]);

const taint = (effect: string): JsonObject => ({ key: "example.com/broken", value: "yes", effect });

export const ways: readonly Way[] = [
  byItself("succeed", "Completed", (shape, chance) => ({
    ...three,
    template: template(shape, { runMs: [500, chance.integer(600, 9000)] }),
  })),
  byItself("fail", "Exited", (shape, chance) => ({
    ...three,
    backoffLimit: chance.integer(0, 3),
    parallelism: 1,
    template: template(shape, { runMs: [500, 4000], exitCode: chance.pick([1, 2, 42, 126, 127, 139, 255]) }),
  })),
  byItself("run out of memory", "OutOfMemory", (shape) => ({
    ...three,
    parallelism: 1,
    backoffLimit: 2,
    template: template(shape, { runMs: [500, 4000], exitCode: 137, signal: 9, reason: "OOMKilled" }),
  })),
  byItself("cannot start", "CannotStart", (shape) => ({
    ...three,
    parallelism: 1,
    backoffLimit: 2,
    template: template(shape, { failReason: "StartError", failMessage: "exec: no such file" }),
  })),
  byItself("die by a signal that nothing explains", "Unknown", (shape, chance) => ({
    ...three,
    parallelism: 1,
    backoffLimit: 1,
    template: template(shape, { runMs: [500, 4000], exitCode: chance.pick([137, 143]) }),
  })),
  byItself("hang until the liveness probe fails", "LivenessProbe", (shape, chance) => ({
    ...three,
    parallelism: 1,
    backoffLimit: 1,
    template: template(
      shape,
      { ...stubborn(chance), hangsAfterMs: 3000 },
      { livenessProbe: { exec: { command: ["true"] }, periodSeconds: 2, failureThreshold: chance.integer(1, 3) } },
      { terminationGracePeriodSeconds: 5 },
    ),
  })),
  byItself("do not start before the startup probe gives up", "StartupProbe", (shape, chance) => ({
    ...three,
    parallelism: 1,
    backoffLimit: 1,
    template: template(
      shape,
      { ...stubborn(chance), readyAfterMs: 60_000 },
      { startupProbe: { exec: { command: ["true"] }, periodSeconds: 2, failureThreshold: chance.integer(1, 3) } },
      { terminationGracePeriodSeconds: 5 },
    ),
  })),
  byItself("exceed the deadline of the pod", "PodDeadline", (shape, chance) => ({
    ...three,
    parallelism: 1,
    backoffLimit: 1,
    template: template(shape, stubborn(chance), {}, { activeDeadlineSeconds: chance.integer(3, 20) }),
  })),
  byItself("exceed the deadline of the Job", "JobDeadline", (shape, chance) => ({
    ...three,
    activeDeadlineSeconds: chance.integer(5, 40),
    template: template(shape, stubborn(chance)),
  })),
  {
    name: "are stopped by a rule of the failure policy",
    spec: (shape, chance) => ({
      ...three,
      completionMode: "Indexed",
      podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }] },
      template: template(shape, { ...stubborn(chance), byIndex: { 1: { runMs: 9000, exitCode: 42 } } }),
    }),
    act: () => (pod) => (indexOf(pod) === 1 ? "Exited" : "FailurePolicy"),
  },
  {
    name: "are stopped at the end of the Job",
    spec: (shape, chance) => ({
      ...three,
      completionMode: "Indexed",
      backoffLimit: 0,
      template: template(shape, { ...stubborn(chance), byIndex: { 1: { runMs: 9000, exitCode: 4 } } }),
    }),
    act: () => (pod) => (indexOf(pod) === 1 ? "Exited" : "JobEnd"),
  },
  {
    name: "are evicted through the API",
    spec: lasting,
    act(world, pods, chance) {
      const victims = pods.slice(0, chance.integer(1, pods.length));
      for (const victim of victims) evict(world, victim);
      return only(victims, "ApiEviction");
    },
  },
  {
    name: "are evicted by a taint",
    spec: lasting,
    act(world, pods) {
      const { nodeName } = pods[0]!.spec;
      world.send("PATCH", `${NODES}/${nodeName}`, { spec: { taints: [taint("NoExecute")] } });
      return only(
        pods.filter(({ spec }) => spec.nodeName === nodeName),
        "TaintEviction",
      );
    },
  },
  {
    name: "are preempted",
    spec: lasting,
    act(world) {
      const description = { metadata: { name: "urgent" }, value: 1_000_000 };
      world.send("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", description);
      const container = { name: "c", image: "i", resources: { requests: { cpu: "7500m" } } };
      for (const name of ["urgent-0", "urgent-1"]) {
        const spec = { priorityClassName: "urgent", containers: [container] };
        world.send("POST", PODS, {
          metadata: { name, annotations: { "stint.dev/simulate": '{"runMs":60000}' } },
          spec,
        });
      }
      return ({ status }) => (status?.phase === "Failed" ? "Preempted" : undefined);
    },
  },
  {
    name: "are deleted by a user",
    // With a limit of 0 their end fails the Job at once.
    spec: (shape, chance) => ({ ...lasting(shape, chance), backoffLimit: chance.pick([0, 20]) }),
    act(world, pods, chance) {
      const victims = pods.slice(0, chance.integer(1, pods.length));
      for (const { metadata } of victims) world.send("DELETE", `${PODS}/${metadata.name}`);
      return only(victims, "Deleted");
    },
  },
  {
    name: "are on a node that is gone",
    spec: lasting,
    act(world, pods) {
      const { nodeName } = pods[0]!.spec;
      world.send("DELETE", `${NODES}/${nodeName}`);
      return only(
        pods.filter(({ spec }) => spec.nodeName === nodeName),
        "NodeLost",
      );
    },
  },
  {
    name: "end in several ways at once",
    spec: (shape, chance) => ({
      ...three,
      completionMode: "Indexed",
      template: template(shape, { ...stubborn(chance), byIndex: { 2: { runMs: 9000, exitCode: 5 } } }),
    }),
    act(world, pods) {
      const [evicted, deleted, fails] = [0, 1, 2].map((index) => pods.find((pod) => indexOf(pod) === index)!);
      evict(world, evicted!);
      world.send("DELETE", `${PODS}/${deleted!.metadata.name}`);
      const truths = new Map<string, EndCode>([
        [evicted!.metadata.uid, "ApiEviction"],
        [deleted!.metadata.uid, "Deleted"],
        [fails!.metadata.uid, "Exited"],
      ]);
      return ({ metadata }) => truths.get(metadata.uid);
    },
  },
  {
    name: "are deleted when the Job is suspended",
    spec: lasting,
    act(world, pods) {
      world.send("PATCH", `${JOBS}/${JOB}`, { spec: { suspend: true } });
      return only(pods, "Suspended");
    },
  },
  {
    name: "are deleted when the Job wants fewer pods",
    spec: (shape, chance) => ({ ...lasting(shape, chance), completions: 9 }),
    act(world, pods) {
      world.send("PATCH", `${JOBS}/${JOB}`, { spec: { parallelism: 1 } });
      const uids = new Set(pods.map(({ metadata }) => metadata.uid));
      return ({ metadata }) => (uids.has(metadata.uid) && metadata.deletionTimestamp ? "ScaledDown" : undefined);
    },
  },
  {
    name: "are deleted with the Job",
    spec: lasting,
    act(world, pods) {
      world.send("DELETE", `${JOBS}/${JOB}`, { propagationPolicy: "Foreground" });
      return only(pods, "JobDeleted");
    },
  },
];
