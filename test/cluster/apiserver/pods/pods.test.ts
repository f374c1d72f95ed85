/** What the API server does with pods: docs/spec/api.md 5.1, 5.2, 5.3, 5.8, 5.9. */
import { describe, expect, test } from "vitest";
import type { KubeletApi, LogOptions } from "../../../../cluster/index.ts";
import { Harness, pod, pods } from "../harness.ts";

function withPod(spec: object = {}, metadata: object = {}): Harness {
  const harness = new Harness();
  harness.post(pods, pod("p", spec, metadata));
  return harness;
}
const container = (name: string, resources: object = {}, image = "b"): object => ({ name, image, resources });

describe("create", () => {
  test("default admission", () => {
    const { body } = new Harness().post(
      pods,
      pod("p", {
        tolerations: [
          { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
        ],
      }),
    );
    expect(body.spec).toMatchObject({
      serviceAccountName: "default",
      serviceAccount: "default",
      priority: 0,
      preemptionPolicy: "PreemptLowerPriority",
      enableServiceLinks: true,
    });
    expect(body.spec.tolerations.map((toleration: any) => [toleration.key, toleration.tolerationSeconds])).toEqual([
      ["node.kubernetes.io/not-ready", 5],
      ["node.kubernetes.io/unreachable", 300],
    ]);
    expect(body.status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
  });

  const classes: readonly (readonly [string, object[]])[] = [
    [
      "Guaranteed",
      [container("a", { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1000m", memory: "1024Mi" } })],
    ],
    ["Burstable", [container("a", { limits: { cpu: "1", memory: "1Gi" } }), container("b")]],
    ["Burstable", [container("a", { requests: { cpu: "1" } })]],
    ["Burstable", [container("a", { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } })]],
    ["BestEffort", [container("a", { limits: { "nvidia.com/gpu": "1" } })]],
    ["BestEffort", [container("a", { requests: { cpu: "0" } })]],
  ];
  classes.forEach(([expected, containers], index) => {
    test(`qosClass ${expected} (${index})`, () =>
      expect(new Harness().post(pods, pod("p", { containers })).body.status.qosClass).toBe(expected));
  });

  test("scheduling gates", () => {
    const { body } = new Harness().post(pods, pod("p", { schedulingGates: [{ name: "g" }] }));
    expect(body.status.conditions).toEqual([
      {
        type: "PodScheduled",
        status: "False",
        lastProbeTime: null,
        lastTransitionTime: "2026-11-21T09:48:50Z",
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ]);
  });

  test("a name with dots warns", () => {
    expect(new Harness().post(pods, pod("p.q")).headers["warning"]).toEqual([
      '299 - "metadata.name: this is used in the Pod\'s hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"',
    ]);
  });
});

describe("update", () => {
  const allowed: readonly (readonly [string, object, unknown])[] = [
    ["an image", {}, { spec: { containers: [{ name: "c", image: "other" }] } }],
    ["a first activeDeadlineSeconds", {}, { spec: { activeDeadlineSeconds: 5 } }],
    ["a lower activeDeadlineSeconds", { activeDeadlineSeconds: 9 }, { spec: { activeDeadlineSeconds: 5 } }],
    [
      "fewer scheduling gates",
      { schedulingGates: [{ name: "a" }, { name: "b" }] },
      { spec: { schedulingGates: [{ name: "a", $patch: "delete" }] } },
    ],
    [
      "a tighter nodeSelector of a gated pod",
      { schedulingGates: [{ name: "a" }] },
      { spec: { nodeSelector: { disk: "ssd" } } },
    ],
  ];
  for (const [name, spec, patch] of allowed) {
    test(`${name} may change, and counts as a generation`, () => {
      const { status, body } = withPod(spec).strategic(`${pods}/p`, patch);
      expect([status, body.metadata?.generation]).toEqual([200, 2]);
    });
  }

  const forbidden: readonly (readonly [string, object, unknown, string])[] = [
    [
      "a command",
      {},
      { spec: { containers: [{ name: "c", command: ["x"] }] } },
      "spec: Forbidden: pod updates may not change fields other than",
    ],
    ["another container", {}, { spec: { containers: [{ name: "d", image: "b" }] } }, "spec: Forbidden"],
    ["the node", {}, { spec: { nodeName: "n" } }, "spec: Forbidden"],
    ["a nodeSelector without gates", {}, { spec: { nodeSelector: { disk: "ssd" } } }, "spec: Forbidden"],
    ["a new gate", {}, { spec: { schedulingGates: [{ name: "a" }] } }, "spec: Forbidden"],
    [
      "a higher deadline",
      { activeDeadlineSeconds: 5 },
      { spec: { activeDeadlineSeconds: 9 } },
      "spec.activeDeadlineSeconds: Invalid value: 9: must be less than or equal to previous value",
    ],
  ];
  for (const [name, spec, patch, message] of forbidden) {
    test(`${name} may not change`, () => {
      const { status, body } = withPod(spec).strategic(`${pods}/p`, patch);
      expect(status).toBe(422);
      expect(body.message).toContain(`Pod "p" is invalid: ${message}`);
    });
  }

  test("tolerations may be added, not removed", () => {
    const harness = withPod();
    const { tolerations } = harness.get(`${pods}/p`).body.spec;
    expect(
      harness.merge(`${pods}/p`, { spec: { tolerations: [...tolerations, { key: "x", operator: "Exists" }] } }).status,
    ).toBe(200);
    expect(harness.merge(`${pods}/p`, { spec: { tolerations } }).status).toBe(422);
  });
});

describe("status", () => {
  test("the spec, the owners and qosClass stay; podIP fills podIPs", () => {
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u" };
    const harness = withPod({}, { ownerReferences: [owner] });
    const { body } = harness.merge(`${pods}/p/status`, {
      metadata: { ownerReferences: null, labels: { a: "b" } },
      spec: { priority: 5 },
      status: { phase: "Running", podIP: "10.0.0.1", qosClass: null },
    });
    expect(body.metadata).toMatchObject({ ownerReferences: [owner], labels: { a: "b" }, generation: 1 });
    expect(body.spec.priority).toBe(0);
    expect(body.status).toEqual({
      phase: "Running",
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }],
      qosClass: "BestEffort",
    });
  });

  test("qosClass cannot change, IPs must be IPs", () => {
    const harness = withPod();
    expect(harness.merge(`${pods}/p/status`, { status: { qosClass: "Burstable" } }).body.message).toBe(
      'Pod "p" is invalid: status.qosClass: Invalid value: "Burstable": field is immutable',
    );
    expect(harness.merge(`${pods}/p/status`, { status: { podIPs: [{ ip: "x" }] } }).body.message).toBe(
      'Pod "p" is invalid: status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    );
    expect(harness.merge(`${pods}/p/status`, { status: { podIPs: [{ ip: "2001:db8::ffff" }] } }).status).toBe(200);
  });

  const terminated = (exitCode: number): object => ({
    status: { containerStatuses: [{ name: "c", state: { terminated: { exitCode } } }] },
  });
  const running = { status: { containerStatuses: [{ name: "c", state: { running: {} } }] } };
  const restarts: readonly (readonly [string, number, boolean])[] = [
    ["Never", 1, false],
    ["OnFailure", 1, true],
    ["OnFailure", 0, false],
    ["Always", 0, true],
  ];
  for (const [restartPolicy, exitCode, isAllowed] of restarts) {
    test(`a container that exited ${exitCode} ${isAllowed ? "may" : "may not"} run again under ${restartPolicy}`, () => {
      const harness = withPod({ restartPolicy });
      harness.merge(`${pods}/p/status`, terminated(exitCode));
      const { status, body } = harness.merge(`${pods}/p/status`, running);
      expect(status).toBe(isAllowed ? 200 : 422);
      if (!isAllowed)
        expect(body.details.causes).toEqual([
          {
            reason: "FieldValueForbidden",
            message: "Forbidden: may not be transitioned to non-terminated state",
            field: "status.containerStatuses[0].state",
          },
        ]);
    });
  }
});

describe("binding", () => {
  const bind = (harness: Harness, binding: object = {}) =>
    harness.post(`${pods}/p/binding`, { metadata: { name: "p" }, target: { kind: "Node", name: "n" }, ...binding });

  test("sets the node and the condition, merges annotations, leaves the generation", () => {
    const harness = withPod({}, { annotations: { a: "1" } });
    bind(harness, { metadata: { name: "p", annotations: { b: "2" } } });
    const { body } = harness.get(`${pods}/p`);
    expect(body.spec.nodeName).toBe("n");
    expect(body.metadata).toMatchObject({ annotations: { a: "1", b: "2" }, generation: 1 });
    expect(body.status.conditions).toEqual([
      { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: "2026-11-21T09:48:50Z" },
    ]);
  });

  test("also through the bindings collection", () => {
    const harness = withPod();
    expect(
      harness.post("/api/v1/namespaces/default/bindings", { metadata: { name: "p" }, target: { name: "n" } }).status,
    ).toBe(201);
    expect(harness.get(`${pods}/p`).body.spec.nodeName).toBe("n");
  });

  const refused: readonly (readonly [string, (harness: Harness) => { body: any }, number, string])[] = [
    [
      "bound already",
      (harness) => (bind(harness), bind(harness)),
      409,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    ],
    [
      "another name",
      (harness) => bind(harness, { metadata: { name: "q" } }),
      400,
      "name in URL does not match name in Binding object",
    ],
    [
      "another kind",
      (harness) => bind(harness, { target: { kind: "Foo", name: "n" } }),
      500,
      'target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>"',
    ],
    ["no node", (harness) => bind(harness, { target: {} }), 500, "target.name: Required value"],
    [
      "a missing pod",
      (harness) => harness.post(`${pods}/zz/binding`, { metadata: { name: "zz" }, target: { name: "n" } }),
      404,
      'pods "zz" not found',
    ],
  ];
  for (const [name, act, code, message] of refused) {
    test(`refuses ${name}`, () => {
      const { body } = act(withPod());
      expect([body.code, body.message]).toEqual([code, message]);
    });
  }

  test("refuses gated and deleted pods, and another uid", () => {
    expect(bind(withPod({ schedulingGates: [{ name: "g" }] })).body.message).toContain(
      "pod p has non-empty .spec.schedulingGates",
    );
    const deleted = withPod({}, { finalizers: ["a/b"] });
    deleted.delete(`${pods}/p`);
    expect(bind(deleted).body.details).toEqual({ name: "p", kind: "pods/binding" });
    expect(bind(withPod(), { metadata: { name: "p", uid: "x" } }).body.message).toContain(
      'Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, Key: /registry/pods/default/p, ResourceVersion: 0',
    );
  });
});

describe("eviction", () => {
  test("says why and deletes gracefully", () => {
    const harness = withPod();
    harness.post(`${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "n" } });
    const { status, body } = harness.post(`${pods}/p/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "p" },
      deleteOptions: { gracePeriodSeconds: 5 },
    });
    expect([status, body]).toEqual([
      201,
      { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
    ]);
    const evicted = harness.get(`${pods}/p`).body;
    expect(evicted.metadata.deletionGracePeriodSeconds).toBe(5);
    expect(evicted.status.conditions.at(-1)).toEqual({
      type: "DisruptionTarget",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: "2026-11-21T09:48:50Z",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    });
  });

  test("an unbound pod is gone at once; older and missing versions decode", () => {
    for (const head of [{}, { apiVersion: "policy/v1beta1", kind: "Eviction" }]) {
      const harness = withPod();
      expect(harness.post(`${pods}/p/eviction`, { ...head, metadata: { name: "p" } }).status).toBe(201);
      expect(harness.get(`${pods}/p`).status).toBe(404);
    }
  });

  test("refuses another name and a missing pod", () => {
    expect(withPod().post(`${pods}/p/eviction`, { metadata: { name: "q" } }).body).toMatchObject({
      code: 400,
      message: "name in URL does not match name in Eviction object",
    });
    expect(withPod().post(`${pods}/q/eviction`, { metadata: { name: "q" } }).body).toMatchObject({
      code: 404,
      message: 'pods "q" not found',
    });
  });
});

describe("log", () => {
  function onNode(kubelet?: KubeletApi, spec: object = {}): Harness {
    const harness = withPod(spec);
    harness.post("/api/v1/nodes", { metadata: { name: "n" } });
    if (kubelet) harness.cluster.registerKubelet("n", kubelet);
    harness.post(`${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "n" } });
    return harness;
  }

  test("passes the options to the kubelet and its text back", () => {
    const asked: [string, LogOptions][] = [];
    const harness = onNode({
      readLogs(_pod, container, options) {
        asked.push([container, options]);
        return {
          subscribe(sink) {
            sink.data("one\n");
            sink.data("two\n");
            sink.end();
            return () => {};
          },
        };
      },
    });
    const answer = harness.get(`${pods}/p/log?tailLines=5&timestamps=true&sinceTime=2026-01-01T00%3A00%3A00Z`);
    expect([answer.status, answer.headers["content-type"], answer.text]).toEqual([200, "text/plain", "one\ntwo\n"]);
    expect(asked).toEqual([
      [
        "c",
        {
          follow: false,
          previous: false,
          timestamps: true,
          tailLines: 5,
          sinceTime: Date.parse("2026-01-01T00:00:00Z"),
        },
      ],
    ]);
    const followed = harness.stream(`${pods}/p/log?follow=true`);
    expect([followed.text(), followed.hasEnded()]).toEqual(["one\ntwo\n", true]);
  });

  test("passes on that the beginning is gone, as a warning, which kubectl shows", () => {
    const warning = "the first 5 lines of this log are gone";
    const harness = onNode({
      readLogs: () => ({
        warning,
        subscribe(sink) {
          sink.data("6\n");
          sink.end();
          return () => {};
        },
      }),
    });
    expect(harness.get(`${pods}/p/log`)).toMatchObject({ text: "6\n", headers: { warning: [`299 - "${warning}"`] } });
    expect(
      harness.cluster.handle({ method: "GET", path: `${pods}/p/log?follow=true`, headers: {} }).headers,
    ).toMatchObject({ warning: [`299 - "${warning}"`] });
  });

  test("what the kubelet refuses is a 400", () => {
    const message = 'container "c" in pod "p" is waiting to start: ContainerCreating';
    expect(onNode({ readLogs: () => ({ message }) }).get(`${pods}/p/log`).body).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message,
    });
  });

  test("containers must be named and known", () => {
    const harness = onNode(undefined, {
      initContainers: [container("init1")],
      containers: [container("c1"), container("c2")],
    });
    expect(harness.get(`${pods}/p/log`).body.message).toBe(
      "a container name must be specified for pod p, choose one of: [init1 c1 c2]",
    );
    expect(harness.get(`${pods}/p/log?container=x`).body.message).toBe("container x is not valid for pod p");
  });

  test("no kubelet, no node", () => {
    expect(onNode().get(`${pods}/p/log`).body).toMatchObject({
      code: 500,
      message: "no preferred addresses found; known addresses: []",
    });
    const harness = withPod();
    harness.post(`${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "gone" } });
    expect(harness.get(`${pods}/p/log`).body).toMatchObject({ code: 404, message: 'pods "gone" not found' });
  });

  const refused: readonly (readonly [string, string])[] = [
    ["tailLines=-1", 'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0'],
    ["limitBytes=0", 'PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0'],
    [
      "sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z",
      'PodLogOptions "p" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    ["stream=All", 'PodLogOptions "p" is invalid: stream: Forbidden: may not be specified'],
    ["tailLines=x", 'strconv.ParseInt: parsing "x": invalid syntax'],
  ];
  for (const [query, message] of refused)
    test(`refuses ${query}`, () => expect(onNode().get(`${pods}/p/log?${query}`).body.message).toBe(message));
});
