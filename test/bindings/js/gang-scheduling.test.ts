/**
 * What the vectors cannot say of gang scheduling: which configurations are refused, and the sentences of its decisions.
 * What is created when is in test/vectors/engine/gang-scheduling.json.
 */
import { describe, expect, test } from "vitest";
import {
  type Decision,
  type Engine,
  type EngineConfiguration,
  type EngineRequest,
  IngestKind,
} from "../../../bindings/js/engine.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { newEngine } from "./vector-files.ts";

const JOBS = { id: 0, resource: "jobs" } as const;
const PODS = { id: 1, resource: "pods" } as const;
const WORKLOADS = { id: 2, resource: "workloads" } as const;
const POD_GROUPS = { id: 3, resource: "podgroups" } as const;
const ALL = [JOBS, PODS, WORKLOADS, POD_GROUPS];

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** By source. */
const LIST_KINDS = ["JobList", "PodList", "WorkloadList", "PodGroupList"];

const job: JsonObject = {
  kind: "Job",
  metadata: { name: "j", namespace: "default", uid: "uid-j", resourceVersion: "5", generation: 1 },
  spec: {
    parallelism: 2,
    completions: 2,
    completionMode: "Indexed",
    scheduling: { schedulingPolicy: { gang: {} } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [] } },
  },
};

const spec = job["spec"] as JsonObject;

const workload = (templates: JsonObject[], resourceVersion = "4"): JsonObject => ({
  kind: "Workload",
  metadata: {
    name: "w",
    namespace: "default",
    uid: "uid-w",
    resourceVersion,
    ownerReferences: [{ kind: "Job", name: "j", uid: "uid-j", controller: true }],
  },
  spec: { controllerRef: { apiGroup: "batch", kind: "Job", name: "j" }, podGroupTemplates: templates },
});

/** The object of a creation, as the API server answers. */
function stored({ body }: EngineRequest, resourceVersion: string): Uint8Array {
  const object = JSON.parse(new TextDecoder().decode(body)) as { metadata: JsonObject };
  return encode({ ...object, metadata: { ...object.metadata, uid: "stored", resourceVersion } });
}

async function listed(workloads: JsonObject[], jobSpec = spec): Promise<Engine> {
  const engine = await newEngine();
  engine.configure({ instance: "test", sources: ALL, gangScheduling: true });
  for (const { id, resource } of ALL) {
    const items = resource === "jobs" ? [{ ...job, spec: jobSpec }] : resource === "workloads" ? workloads : [];
    engine.ingest(id, IngestKind.listBegin, "", 0);
    engine.ingest(id, IngestKind.page, encode({ kind: LIST_KINDS[id]!, metadata: { resourceVersion: "9" }, items }), 0);
    engine.ingest(id, IngestKind.listEnd, "", 0);
  }
  return engine;
}

const told = ({ code, message, numbers }: Decision) => ({ code, message, numbers });

describe("configure", () => {
  test.each<[string, Partial<EngineConfiguration> | { gangScheduling: unknown }, RegExp]>([
    [
      "no source of Workloads",
      { gangScheduling: true, sources: [JOBS, PODS, POD_GROUPS] },
      /^sources: with gangScheduling, at least one source of workloads and one of podgroups are needed$/,
    ],
    [
      "no source of PodGroups",
      { gangScheduling: true, sources: [JOBS, PODS, WORKLOADS] },
      /^sources: with gangScheduling/,
    ],
    [
      "a source of Workloads without the switch",
      { sources: [JOBS, PODS, WORKLOADS] },
      /^sources\[\]\.resource: "workloads" and "podgroups" are for gangScheduling, which is false$/,
    ],
    [
      "the switch off, and a source of PodGroups",
      { gangScheduling: false, sources: [JOBS, PODS, POD_GROUPS] },
      /which is false$/,
    ],
    [
      "a switch that is no boolean",
      { gangScheduling: "yes" },
      /^the configuration cannot be read: expected true or false/,
    ],
    [
      "another resource",
      { sources: [JOBS, PODS, { id: 4, resource: "nodes" as "pods" }] },
      /must be "jobs", "pods", "workloads" or "podgroups"$/,
    ],
  ])("refuses %s", async (_, own, message) => {
    const engine = await newEngine();
    expect(() => engine.configure({ instance: "test", sources: [JOBS, PODS], ...own } as EngineConfiguration)).toThrow(
      message,
    );
  });
});

test("each of hundreds of Jobs finds its own Workload and PodGroup, as long as a list shows them", async () => {
  const COUNT = 300;
  const numbers = Array.from({ length: COUNT }, (_, i) => i);
  const named = (object: JsonObject, name: string, owner: string): JsonObject => ({
    ...object,
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "5",
      generation: 1,
      ownerReferences: [{ kind: "Job", name: owner, uid: `uid-${owner}`, controller: true }],
    },
  });
  const engine = await newEngine();
  engine.configure({ instance: "test", sources: ALL, gangScheduling: true });
  const list = (id: number, items: JsonObject[], resourceVersion: string) => {
    engine.ingest(id, IngestKind.listBegin, "", 0);
    engine.ingest(id, IngestKind.page, encode({ kind: LIST_KINDS[id]!, metadata: { resourceVersion }, items }), 0);
    engine.ingest(id, IngestKind.listEnd, "", 0);
  };
  const workloads = numbers.map((i) =>
    named(
      {
        spec: { controllerRef: { apiGroup: "batch", kind: "Job", name: `j${i}` }, podGroupTemplates: [{ name: "t" }] },
      },
      `w${i}`,
      `j${i}`,
    ),
  );
  const groups = numbers.map((i) => named({ spec: { workloadRef: { workloadName: `w${i}` } } }, `g${i}`, `j${i}`));
  list(2, workloads, "9");
  list(3, groups, "9");
  // What the second list does not show is gone: the PodGroups with an odd number.
  list(
    3,
    groups.filter((_, i) => i % 2 === 0),
    "10",
  );
  list(1, [], "9");
  list(
    0,
    numbers.map((i) => {
      const own = named({ spec: job["spec"]! }, `j${i}`, "");
      return { ...own, metadata: { ...(own["metadata"] as JsonObject), ownerReferences: [] } };
    }),
    "9",
  );
  const seen = engine.poll(1000, 4096).requests.map(({ path, body }) => {
    const { metadata, spec } = JSON.parse(new TextDecoder().decode(body)) as {
      metadata: { ownerReferences: { name: string }[] };
      spec: any;
    };
    const asked = path.endsWith("/pods")
      ? spec.schedulingGroup.podGroupName
      : `POST of ${spec.workloadRef.workloadName}`;
    return `${metadata.ownerReferences[0]!.name} ${asked}`;
  });
  expect(seen.toSorted()).toEqual(numbers.map((i) => (i % 2 === 0 ? `j${i} g${i}` : `j${i} POST of w${i}`)).toSorted());
});

describe("decisions", () => {
  test("a creation that was refused, and the next try", async () => {
    const engine = await listed([]);
    const [request] = engine.poll(1000, 10).requests;
    engine.settle(request!.id, 403, -1, encode({ kind: "Status", message: "no quota" }), 1000);
    expect(engine.poll(1000, 10).decisions.map(told)).toEqual([
      {
        code: "GangFailed",
        message: "creating pods was not possible: ensuring Workload and PodGroup for Job default/j: no quota",
        numbers: { status: 403 },
      },
      { code: "Retry", message: "trying again in 1 s, after 1 failure", numbers: { delayMs: 1000, failures: 1 } },
    ]);
  });

  test("a Workload that was created, and comes back without templates", async () => {
    const engine = await listed([]);
    const [request] = engine.poll(1000, 10).requests;
    const name = (JSON.parse(new TextDecoder().decode(request!.body)) as { metadata: { name: string } }).metadata.name;
    const answer = workload([]);
    engine.settle(
      request!.id,
      201,
      -1,
      encode({ ...answer, metadata: { ...(answer["metadata"] as JsonObject), name, resourceVersion: "12" } }),
      1000,
    );
    expect(engine.poll(1000, 10).decisions.map(told).slice(0, 2)).toEqual([
      {
        code: "WorkloadCreated",
        message: `created Workload ${name}: a gang of at least 2 pods`,
        numbers: { minCount: 2 },
      },
      {
        code: "GangFailed",
        message: `creating pods was not possible: ensuring Workload and PodGroup for Job default/j: workload default/${name} for job default/j has 0 PodGroupTemplates, want exactly 1`,
        numbers: {},
      },
    ]);
  });

  test("a name that stays taken", async () => {
    const engine = await listed([]);
    const [post] = engine.poll(1000, 10).requests;
    engine.settle(post!.id, 409, -1, encode({ message: "taken" }), 1000);
    const [get] = engine.poll(1000, 10).requests;
    const name = get!.path.split("/").at(-1)!;
    const other = {
      kind: "Workload",
      metadata: { name, namespace: "default", uid: "x", resourceVersion: "12" },
      spec: {},
    };
    engine.settle(get!.id, 200, -1, encode(other), 1000);
    expect(engine.poll(1000, 10).decisions[0]!.message).toBe(
      `creating pods was not possible: ensuring Workload and PodGroup for Job default/j: workloads.scheduling.k8s.io "${name}" already exists`,
    );
  });

  test("the objects of a Job that asks for no gang, and what is created of a gang that grows", async () => {
    const basic = await listed([], { ...spec, scheduling: null });
    const [post] = basic.poll(1000, 10).requests;
    basic.settle(post!.id, 201, -1, stored(post!, "12"), 1000);
    const next = basic.poll(1000, 10);
    const second = next.requests.find(({ path }) => path.endsWith("/podgroups"))!;
    basic.settle(second.id, 201, -1, stored(second, "13"), 1000);
    const [made, ...grouped] = [...next.decisions, ...basic.poll(1000, 10).decisions].map(({ message }) => message);
    expect(made).toMatch(/^created Workload j-\w+$/);
    expect(grouped[0]).toMatch(/^created PodGroup j-\w+-j-pgt-0-\w+$/);

    const gang = await listed([workload([{ name: "t", schedulingPolicy: { gang: { minCount: 1 } } }])]);
    const [group] = gang.poll(1000, 10).requests;
    gang.settle(group!.id, 201, -1, stored(group!, "12"), 1000);
    const patch = gang.poll(1000, 10).requests.find(({ path }) => path.endsWith("/workloads/w"));
    gang.settle(
      patch!.id,
      200,
      -1,
      encode(workload([{ name: "t", schedulingPolicy: { gang: { minCount: 2 } } }], "13")),
      1000,
    );
    expect(told(gang.poll(1000, 10).decisions[0]!)).toEqual({
      code: "GangResized",
      message: "resized w: a gang of at least 2 pods",
      numbers: { minCount: 2 },
    });
  });

  test("why pods get no PodGroup is reported once", async () => {
    const twice = workload([{ name: "t" }]);
    const engine = await listed([
      twice,
      { ...twice, metadata: { ...(twice["metadata"] as JsonObject), name: "v", uid: "uid-v" } },
    ]);
    const { requests, decisions } = engine.poll(1000, 10);
    expect(decisions.map(told)).toEqual([
      {
        code: "GangFallback",
        message: "pods are created without a PodGroup: the Job has more than one Workload",
        numbers: {},
      },
      {
        code: "Creating",
        message: "creating 2 pods: 0 of 2 wanted active, 0 succeeded",
        numbers: { pods: 2, active: 0, wanted: 2, succeeded: 0 },
      },
    ]);
    engine.settle(requests[0]!.id, 403, -1, "", 1000);
    // The status and an Event.
    for (const { id } of engine.poll(1000, 10).requests) engine.settle(id, 500, -1, "", 1000);
    expect(engine.poll(1000, 10).decisions.at(-1)!.code).toBe("Retry");
    const again = engine.poll(2000, 10);
    expect(again.requests).toHaveLength(1);
    expect(again.decisions.map(({ code }) => code)).toEqual(["Creating"]);
  });
});
