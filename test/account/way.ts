/**
 * What a way is in which pods of a Job end, and the parts that ways are made of: templates, programs, truths. Leaves
 * out the ways (ways.ts).
 */
import type { EndCode } from "../../bindings/js/abi.ts";
import type { JsonObject, KubeObject } from "../../cluster/values/types.ts";
import type { Chance } from "../simulation/chance.ts";

/** Which pods the truth is known of; undefined: not of this one. */
export type Truth = (pod: KubeObject) => EndCode | undefined;

/** What a way may do to the cluster in which its Job is. */
export interface Stage {
  /** Paths of the Jobs and of the pods of its namespace. */
  readonly jobs: string;
  readonly pods: string;
  nowMs(): number;
  send(method: "POST" | "PATCH" | "DELETE", path: string, body?: object): unknown;
  /** The machine of a node is gone: nothing runs there any more, and nothing reports it. */
  loseNode(name: string): void;
}

interface WayBase {
  readonly name: string;
  readonly spec: (shape: Shape, chance: Chance) => JsonObject;
  /** It does something to nodes, or fills them: no other Job may be there. */
  readonly needsNodes?: boolean;
}

/** The Job goes it alone. */
export interface AloneWay extends WayBase {
  readonly truth: Truth;
}

/** Something is done to the Job, its pods or their nodes. */
export interface DoneWay<On = Stage> extends WayBase {
  /** The phase in which the pods have to be; `Running` unless given. */
  readonly phase?: "Pending";
  /** Called when the pods are in that phase. @returns the truth */
  readonly act: (stage: On, pods: readonly KubeObject[], chance: Chance) => Truth;
}

export type Way<On = Stage> = AloneWay | DoneWay<On>;

/** What all ways may have around the container that matters. */
export interface Shape {
  readonly sidecar: boolean;
  readonly init: boolean;
  readonly restartPolicy: "Never" | "OnFailure";
}

export const JOB = "work";
export const NODES = "/api/v1/nodes";

export const only =
  (victims: readonly KubeObject[], code: EndCode): Truth =>
  ({ metadata }) =>
    victims.some((victim) => victim.metadata.uid === metadata.uid) ? code : undefined;

export function template(shape: Shape, outcome: object, main: JsonObject = {}, podSpec: JsonObject = {}): JsonObject {
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

/** A class of priority, which belongs to the whole cluster. */
export const URGENT = { metadata: { name: "urgent" }, value: 1_000_000 };
export const PRIORITY_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";

const forever = { runMs: "forever" };
export const three = { parallelism: 3, completions: 3, backoffLimit: 20 };
/** A program that handles SIGTERM in one of several ways. */
export const stubborn = (chance: Chance): object =>
  chance.pick([
    forever,
    { ...forever, sigterm: { exitCode: 0, afterMs: 1500 } },
    { ...forever, sigterm: { exitCode: 3, afterMs: 2500 } },
    { ...forever, ignoreSigterm: true },
  ]);

/** A Job whose pods run until something ends them. */
export const lasting = (shape: Shape, chance: Chance, podSpec: JsonObject = {}): JsonObject => ({
  ...three,
  podReplacementPolicy: chance.pick(["TerminatingOrFailed", "Failed"]),
  template: template(shape, stubborn(chance), {}, { restartPolicy: shape.restartPolicy, ...podSpec }),
});

/** A way that the Job goes alone, and on which all its pods end alike. */
export function byItself(name: string, code: EndCode, spec: AloneWay["spec"]): AloneWay {
  return { name, spec, truth: () => code };
}

export function evict(stage: Stage, { metadata: { name } }: KubeObject): void {
  stage.send("POST", `${stage.pods}/${name}/eviction`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name },
  });
}

export const indexOf = ({ metadata }: KubeObject): number =>
  Number(metadata.annotations!["batch.kubernetes.io/job-completion-index"]);

/** Those on the same node as the first of them. */
export function onOneNode(pods: readonly KubeObject[]): { readonly nodeName: string; readonly victims: KubeObject[] } {
  const nodeName = pods[0]!.spec.nodeName as string;
  return { nodeName, victims: pods.filter(({ spec }) => spec.nodeName === nodeName) };
}

/**
 * Ends the pods of a node as its kubelet does, which sends nothing more.
 * @param said reason and message of their status
 * @param why message of the condition DisruptionTarget
 * @returns them
 */
export function endByKubelet(
  stage: Stage,
  pods: readonly KubeObject[],
  said: { readonly reason: string; readonly message: string },
  why = said.message,
): KubeObject[] {
  const { nodeName, victims } = onOneNode(pods);
  stage.loseNode(nodeName);
  const now = new Date(stage.nowMs()).toISOString().replace(/\.\d+/, "");
  const ended = (statuses: JsonObject[] = []): object[] =>
    statuses.map(({ state, ...rest }) => {
      const { running, terminated } = state as Record<string, JsonObject | undefined>;
      if (running === undefined) return { ...rest, state: { terminated } };
      const end = { ...running, exitCode: 137, reason: "Error", finishedAt: now, containerID: rest["containerID"] };
      return { ...rest, ready: false, started: false, state: { terminated: end } };
    });
  const target = { type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet", message: why };
  for (const { metadata, status } of victims) {
    const conditions = [...status!.conditions, { ...target, lastTransitionTime: now }];
    const containerStatuses = ended(status!.containerStatuses);
    const initContainerStatuses = ended(status!.initContainerStatuses);
    stage.send("PATCH", `${stage.pods}/${metadata.name}/status`, {
      metadata: { uid: metadata.uid },
      status: { phase: "Failed", ...said, conditions, containerStatuses, initContainerStatuses },
    });
  }
  return victims;
}
