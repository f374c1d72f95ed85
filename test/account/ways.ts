/**
 * The ways in which pods of a Job end, as data: the Job that is run, what is done to it, and the truth about the pods
 * that it concerns. A way may draw numbers, so that two runs of it differ. The truth is what the agent did, but where
 * nothing in the objects can tell: then it is the code that says so.
 *
 * Leaves out which cluster it is: one on virtual time (world.ts), or a real one (test/kubernetes/account/).
 */
import type { EndCode } from "../../bindings/js/abi.ts";
import {
  byItself,
  endByKubelet,
  evict,
  indexOf,
  JOB,
  lasting,
  NODES,
  only,
  onOneNode,
  stubborn,
  template,
  three,
  URGENT,
  type Way,
} from "./way.ts";

const OUT_OF_SERVICE = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };
const BROKEN = { key: "example.com/broken", value: "yes", effect: "NoExecute" };
/** A node that does not report gets taints with these keys, and pods tolerate them for five minutes by default. */
const impatience = ["not-ready", "unreachable"].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 2,
}));

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
    truth: (pod) => (indexOf(pod) === 1 ? "Exited" : "FailurePolicy"),
  },
  {
    name: "are stopped at the end of the Job",
    spec: (shape, chance) => ({
      ...three,
      completionMode: "Indexed",
      backoffLimit: 0,
      template: template(shape, { ...stubborn(chance), byIndex: { 1: { runMs: 9000, exitCode: 4 } } }),
    }),
    truth: (pod) => (indexOf(pod) === 1 ? "Exited" : "JobEnd"),
  },
  {
    name: "are evicted through the API",
    spec: lasting,
    act(stage, pods, chance) {
      const victims = pods.slice(0, chance.integer(1, pods.length));
      for (const victim of victims) evict(stage, victim);
      return only(victims, "ApiEviction");
    },
  },
  {
    name: "are evicted by a taint",
    spec: lasting,
    needsNodes: true,
    act(stage, pods) {
      const { nodeName, victims } = onOneNode(pods);
      stage.send("PATCH", `${NODES}/${nodeName}`, { spec: { taints: [BROKEN] } });
      return only(victims, "TaintEviction");
    },
  },
  {
    name: "are preempted",
    spec: lasting,
    needsNodes: true,
    act(stage) {
      const container = { name: "c", image: "i", resources: { requests: { cpu: "7500m" } } };
      for (const name of ["urgent-0", "urgent-1"]) {
        const spec = { priorityClassName: URGENT.metadata.name, containers: [container] };
        stage.send("POST", stage.pods, {
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
    act(stage, pods, chance) {
      const victims = pods.slice(0, chance.integer(1, pods.length));
      const options = chance.pick([{}, { gracePeriodSeconds: 0 }, { gracePeriodSeconds: 2 }]);
      for (const { metadata } of victims) stage.send("DELETE", `${stage.pods}/${metadata.name}`, options);
      return only(victims, "Deleted");
    },
  },
  {
    name: "are on a node that is gone",
    spec: lasting,
    needsNodes: true,
    act(stage, pods, chance) {
      const { nodeName, victims } = onOneNode(pods);
      if (chance.isHit(0.5)) stage.loseNode(nodeName);
      stage.send("DELETE", `${NODES}/${nodeName}`);
      return only(victims, "NodeLost");
    },
  },
  {
    name: "end in several ways at once",
    spec: (shape, chance) => ({
      ...three,
      completionMode: "Indexed",
      template: template(shape, { ...stubborn(chance), byIndex: { 2: { runMs: 15_000, exitCode: 5 } } }),
    }),
    act(stage, pods) {
      const [evicted, deleted, fails] = [0, 1, 2].map((index) => pods.find((pod) => indexOf(pod) === index)!);
      evict(stage, evicted!);
      stage.send("DELETE", `${stage.pods}/${deleted!.metadata.name}`);
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
    act(stage, pods) {
      stage.send("PATCH", `${stage.jobs}/${JOB}`, { spec: { suspend: true } });
      return only(pods, "Suspended");
    },
  },
  {
    name: "are deleted when the Job wants fewer pods",
    spec: (shape, chance) => ({ ...lasting(shape, chance), completions: 9 }),
    act(stage, pods) {
      stage.send("PATCH", `${stage.jobs}/${JOB}`, { spec: { parallelism: 1 } });
      const uids = new Set(pods.map(({ metadata }) => metadata.uid));
      return ({ metadata }) => (uids.has(metadata.uid) && metadata.deletionTimestamp ? "ScaledDown" : undefined);
    },
  },
  {
    name: "are deleted with the Job",
    spec: lasting,
    act(stage, pods) {
      stage.send("DELETE", `${stage.jobs}/${JOB}`, { propagationPolicy: "Foreground" });
      return only(pods, "JobDeleted");
    },
  },
  byItself("fail in an init container", "Exited", (shape) => ({
    ...three,
    parallelism: 1,
    backoffLimit: 1,
    template: template({ ...shape, init: true }, { byContainer: { setup: { runMs: 2000, exitCode: 7 } } }),
  })),
  byItself("succeed when the kubelet has started them again", "Completed", (shape) => ({
    ...three,
    completionMode: "Indexed",
    template: template(shape, { runMs: 2000, exitCodes: [3, 0] }, {}, { restartPolicy: "OnFailure" }),
  })),
  byItself("are started again until the Job has failed", "JobEnd", (shape) => ({
    ...three,
    parallelism: 1,
    completions: 1,
    backoffLimit: 1,
    // Long enough for a busy controller to delete the pod before its second run ends.
    template: template(shape, { runMs: 20_000, exitCode: 3 }, {}, { restartPolicy: "OnFailure" }),
  })),
  {
    name: "are stopped when the Job has succeeded",
    spec: (shape, chance) => ({
      ...three,
      completionMode: "Indexed",
      successPolicy: { rules: [{ succeededIndexes: "1" }] },
      template: template(shape, { ...stubborn(chance), byIndex: { 1: { runMs: 9000 } } }),
    }),
    truth: (pod) => (indexOf(pod) === 1 ? "Completed" : "JobEnd"),
  },
  {
    name: "are stopped when too many indexes have failed",
    spec: (shape, chance) => ({
      parallelism: 3,
      completions: 3,
      completionMode: "Indexed",
      backoffLimitPerIndex: 0,
      maxFailedIndexes: 0,
      template: template(shape, { ...stubborn(chance), byIndex: { 1: { runMs: 9000, exitCode: 4 } } }),
    }),
    truth: (pod) => (indexOf(pod) === 1 ? "Exited" : "JobEnd"),
  },
  {
    name: "are evicted by the kubelet",
    spec: lasting,
    needsNodes: true,
    act(stage, pods, chance) {
      const message = chance.pick([
        "The node was low on resource: memory. Threshold quantity: 100Mi, available: 78124Ki. ",
        "The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: 900Mi. ",
        'Container main exceeded its local ephemeral storage limit "1Gi". ',
      ]);
      return only(endByKubelet(stage, pods, { reason: "Evicted", message }), "KubeletEviction");
    },
  },
  {
    name: "end with the shutdown of their node",
    spec: lasting,
    needsNodes: true,
    act(stage, pods) {
      const message = "Pod was terminated in response to imminent node shutdown.";
      return only(endByKubelet(stage, pods, { reason: "Terminated", message }), "NodeShutdown");
    },
  },
  {
    name: "make room for a critical pod on their node",
    spec: lasting,
    needsNodes: true,
    act(stage, pods) {
      const said = { reason: "Preempting", message: "Preempted in order to admit critical pod" };
      const why = "Pod was preempted by Kubelet to accommodate a critical pod.";
      return only(endByKubelet(stage, pods, said, why), "KubeletPreemption");
    },
  },
  {
    name: "are evicted by a taint that they tolerate for a time",
    spec: (shape, chance) =>
      lasting(shape, chance, {
        tolerations: [
          { key: BROKEN.key, operator: "Exists", effect: "NoExecute", tolerationSeconds: chance.integer(1, 5) },
        ],
      }),
    needsNodes: true,
    act(stage, pods) {
      const { nodeName, victims } = onOneNode(pods);
      stage.send("PATCH", `${NODES}/${nodeName}`, { spec: { taints: [BROKEN] } });
      return only(victims, "TaintEviction");
    },
  },
  {
    name: "are on a machine that no longer reports",
    spec: (shape, chance) => lasting(shape, chance, { tolerations: impatience }),
    needsNodes: true,
    act(stage, pods) {
      const { nodeName, victims } = onOneNode(pods);
      stage.loseNode(nodeName);
      return only(victims, "TaintEviction");
    },
  },
  {
    name: "are on a machine that is out of service",
    spec: lasting,
    needsNodes: true,
    act(stage, pods) {
      const { nodeName, victims } = onOneNode(pods);
      stage.loseNode(nodeName);
      stage.send("PATCH", `${NODES}/${nodeName}`, { spec: { taints: [OUT_OF_SERVICE] } });
      return only(victims, "TaintEviction");
    },
  },
  {
    name: "are deleted before they have a node",
    spec: (shape, chance) => lasting(shape, chance, { nodeSelector: { "example.com/disk": "none" } }),
    phase: "Pending",
    act(stage, pods, chance) {
      const victims = pods.slice(0, chance.integer(1, pods.length));
      for (const { metadata } of victims) stage.send("DELETE", `${stage.pods}/${metadata.name}`);
      return only(victims, "Deleted");
    },
  },
  {
    name: "are deleted when the Job wants no pods",
    spec: lasting,
    act(stage, pods) {
      stage.send("PATCH", `${stage.jobs}/${JOB}`, { spec: { parallelism: 0 } });
      return only(pods, "ScaledDown");
    },
  },
  {
    // A Job that is deleted in the background never says so: it is there, and then it is gone.
    name: "are deleted after the Job",
    spec: lasting,
    act(stage, pods) {
      stage.send("DELETE", `${stage.jobs}/${JOB}`, { propagationPolicy: "Background" });
      return only(pods, "Deleted");
    },
  },
];
