/**
 * Workloads, PodGroups and what ties pods and Jobs to them (docs/spec/controller.md section 11), served only where gang
 * scheduling is on.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { Harness, job, jobs, pod, pods } from "../harness.ts";

const GROUP = "/apis/scheduling.k8s.io/v1alpha2";
const WORKLOADS = `${GROUP}/namespaces/default/workloads`;
const POD_GROUPS = `${GROUP}/namespaces/default/podgroups`;

const gang = (minCount: unknown) => ({ gang: { minCount } });
const workload = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: {
    controllerRef: { apiGroup: "batch", kind: "Job", name: "j" },
    podGroupTemplates: [{ name: "t", schedulingPolicy: gang(2) }],
    ...spec,
  },
});
const podGroup = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: {
    podGroupTemplateRef: { workload: { workloadName: "w", podGroupTemplateName: "t" } },
    schedulingPolicy: gang(2),
    ...spec,
  },
});

let h: Harness;
beforeEach(() => {
  h = new Harness({ gangScheduling: true });
});

describe("while it is off", () => {
  beforeEach(() => {
    h = new Harness();
  });

  test("the group is not there", () => {
    expect(h.get(GROUP).status).toBe(404);
    expect(h.post(WORKLOADS, workload("w")).status).toBe(404);
    expect(h.get("/apis").body.groups.map(({ name }: any) => name)).not.toContain("scheduling.k8s.io");
  });

  test("the field of pods and templates is dropped, with a warning to the client", () => {
    const answer = h.post(pods, pod("p", { schedulingGroup: { podGroupName: "g" } }));
    expect(answer.body.spec).not.toHaveProperty("schedulingGroup");
    expect(answer.headers["warning"]).toEqual(['299 - "spec.schedulingGroup: dropped, for gang scheduling is off"']);
    const template = {
      spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never", schedulingGroup: { podGroupName: "g" } },
    };
    const created = h.post(jobs, job("j", { template }));
    expect(created.body.spec.template.spec).not.toHaveProperty("schedulingGroup");
    expect(created.headers["warning"]).toEqual([
      '299 - "spec.template.spec.schedulingGroup: dropped, for gang scheduling is off"',
    ]);
  });

  test("the parallelism of a Job may change", () => {
    h.post(jobs, job("j", { parallelism: 2 }));
    expect(h.merge(`${jobs}/j`, { spec: { parallelism: 3 } }).status).toBe(200);
  });
});

describe("discovery", () => {
  test("has both kinds in their own version", () => {
    expect(h.get("/apis").body.groups.find(({ name }: any) => name === "scheduling.k8s.io")).toMatchObject({
      versions: [{ groupVersion: "scheduling.k8s.io/v1alpha2", version: "v1alpha2" }],
      preferredVersion: { groupVersion: "scheduling.k8s.io/v1alpha2", version: "v1alpha2" },
    });
    expect(h.get("/apis/scheduling.k8s.io").body.preferredVersion.version).toBe("v1alpha2");
    const { groupVersion, resources } = h.get(GROUP).body;
    expect([groupVersion, resources.map(({ name, kind, namespaced }: any) => [name, kind, namespaced])]).toEqual([
      "scheduling.k8s.io/v1alpha2",
      [
        ["podgroups", "PodGroup", true],
        ["podgroups/status", "PodGroup", true],
        ["workloads", "Workload", true],
      ],
    ]);
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    expect(
      h.get("/apis", accept).body.items.find(({ metadata }: any) => metadata.name === "scheduling.k8s.io").versions[0]
        .version,
    ).toBe("v1alpha2");
    expect(Object.keys(h.get("/openapi/v3/apis/scheduling.k8s.io/v1alpha2").body.paths)).toHaveLength(7);
  });
});

describe("objects", () => {
  test("are written, read, listed, watched and deleted", () => {
    const lines = h.stream(`${POD_GROUPS}?watch=true`);
    expect(h.post(WORKLOADS, workload("w")).text).toContain(
      '"spec":{"controllerRef":{"apiGroup":"batch","kind":"Job","name":"j"},"podGroupTemplates":[{"name":"t","schedulingPolicy":{"gang":{"minCount":2}},"schedulingConstraints":null}]}}',
    );
    const { body } = h.post(POD_GROUPS, { ...podGroup("g"), status: { conditions: [] } });
    expect(body).toMatchObject({
      apiVersion: "scheduling.k8s.io/v1alpha2",
      kind: "PodGroup",
      metadata: { generation: 1 },
      status: {},
    });
    expect(h.get(`${POD_GROUPS}/g`).body).toEqual(body);
    expect(h.get(WORKLOADS).body).toMatchObject({ kind: "WorkloadList", items: [{ metadata: { name: "w" } }] });
    const conditions = [
      {
        type: "PodGroupScheduled",
        status: "True",
        reason: "Scheduled",
        message: "",
        lastTransitionTime: "2026-11-21T09:00:00Z",
      },
    ];
    expect(h.merge(`${POD_GROUPS}/g/status`, { status: { conditions } }).body.status.conditions).toEqual(conditions);
    expect(h.delete(`${POD_GROUPS}/g`).status).toBe(200);
    expect(lines.events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });

  test("are shown as tables", () => {
    h.post(WORKLOADS, workload("w"));
    h.post(POD_GROUPS, podGroup("g"));
    h.post(POD_GROUPS, podGroup("h", { podGroupTemplateRef: undefined, schedulingPolicy: { basic: {} } }));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    expect(h.get(WORKLOADS, accept).body.rows.map(({ cells }: any) => cells)).toEqual([["w", "0s"]]);
    const table = h.get(POD_GROUPS, accept).body;
    expect(table.columnDefinitions.map(({ name }: any) => name)).toEqual([
      "Name",
      "Policy",
      "Workload",
      "Status",
      "Age",
    ]);
    expect(table.rows.map(({ cells }: any) => cells)).toEqual([
      ["g", "Gang", "w", "Pending", "0s"],
      ["h", "Basic", "<none>", "Pending", "0s"],
    ]);
  });

  test.each([
    ["Scheduled", [{ type: "PodGroupScheduled", status: "True", reason: "Scheduled" }]],
    ["Unschedulable", [{ type: "PodGroupScheduled", status: "False", reason: "Unschedulable" }]],
    [
      "PreemptionByScheduler",
      [
        { type: "PodGroupScheduled", status: "True", reason: "Scheduled" },
        { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" },
      ],
    ],
  ])("have the status %s by their conditions", (status, facts) => {
    h.post(POD_GROUPS, podGroup("g"));
    const conditions = facts.map((fact) => ({ ...fact, message: "", lastTransitionTime: "2026-11-21T09:00:00Z" }));
    expect(h.merge(`${POD_GROUPS}/g/status`, { status: { conditions } }).status).toBe(200);
    const table = h.get(POD_GROUPS, "application/json;as=Table;v=v1;g=meta.k8s.io").body;
    expect(table.rows[0].cells[3]).toBe(status);
  });

  test.each([
    ["no templates", { podGroupTemplates: [] }, "spec.podGroupTemplates: Required value: must have at least one item"],
    [
      "nine templates",
      { podGroupTemplates: Array.from({ length: 9 }, (_, i) => ({ name: `t${i}`, schedulingPolicy: gang(1) })) },
      "spec.podGroupTemplates: Invalid value: 9: must have at most 8 items",
    ],
    [
      "a template without a name",
      { podGroupTemplates: [{ schedulingPolicy: gang(1) }] },
      "spec.podGroupTemplates[0].name: Required value",
    ],
    [
      "two templates of one name",
      {
        podGroupTemplates: [
          { name: "t", schedulingPolicy: gang(1) },
          { name: "t", schedulingPolicy: gang(1) },
        ],
      },
      'spec.podGroupTemplates[1]: Duplicate value: "t"',
    ],
    [
      "no policy",
      { podGroupTemplates: [{ name: "t" }] },
      "spec.podGroupTemplates[0].schedulingPolicy: Invalid value: {}: must specify exactly one of: `basic`, `gang`",
    ],
    [
      "minCount 0",
      { podGroupTemplates: [{ name: "t", schedulingPolicy: gang(0) }] },
      "spec.podGroupTemplates[0].schedulingPolicy.gang.minCount: Invalid value: 0: must be greater than 0",
    ],
    ["a controllerRef without a name", { controllerRef: { kind: "Job" } }, "spec.controllerRef.name: Required value"],
  ])("refuses a Workload with %s", (_, spec, message) => {
    const { status, body } = h.post(WORKLOADS, workload("w", spec));
    expect([status, body.message]).toEqual([422, `Workload.scheduling.k8s.io "w" is invalid: ${message}`]);
  });

  test.each([
    [
      "both policies",
      { schedulingPolicy: { basic: {}, ...gang(1) } },
      'spec.schedulingPolicy: Invalid value: {"basic":{},"gang":{"minCount":1}}: must specify exactly one of: `basic`, `gang`',
    ],
    ["a reference to nothing", { podGroupTemplateRef: {} }, "spec.podGroupTemplateRef.workload: Required value"],
    [
      "half a reference",
      { podGroupTemplateRef: { workload: { workloadName: "w" } } },
      "spec.podGroupTemplateRef.workload.podGroupTemplateName: Required value",
    ],
  ])("refuses a PodGroup with %s", (_, spec, message) => {
    const { status, body } = h.post(POD_GROUPS, podGroup("g", spec));
    expect([status, body.message]).toEqual([422, `PodGroup.scheduling.k8s.io "g" is invalid: ${message}`]);
  });

  test("do not change", () => {
    h.post(WORKLOADS, workload("w"));
    h.post(POD_GROUPS, podGroup("g"));
    expect(h.merge(`${WORKLOADS}/w`, { spec: { podGroupTemplates: [] } }).body.message).toMatch(
      /spec\.podGroupTemplates: Invalid value: .*: field is immutable$/,
    );
    expect(h.merge(`${POD_GROUPS}/g`, { spec: { schedulingPolicy: gang(3) } }).body.message).toMatch(
      /spec\.schedulingPolicy: Invalid value: .*: field is immutable$/,
    );
    expect(h.merge(`${POD_GROUPS}/g`, { metadata: { labels: { a: "b" } } }).status).toBe(200);
  });
});

describe("pods and Jobs", () => {
  test("keep the PodGroup that they name, if that is a name", () => {
    expect(h.post(pods, pod("p", { schedulingGroup: { podGroupName: "g" } })).body.spec.schedulingGroup).toEqual({
      podGroupName: "g",
    });
    expect(h.post(pods, pod("q", { schedulingGroup: {} })).body.message).toBe(
      'Pod "q" is invalid: spec.schedulingGroup.podGroupName: Required value',
    );
    expect(h.post(pods, pod("q", { schedulingGroup: { podGroupName: "A" } })).body.message).toMatch(
      /spec\.schedulingGroup\.podGroupName: Invalid value: "A"/,
    );
  });

  test("a Job whose pods belong to a gang keeps its parallelism", () => {
    const { uid } = h.post(jobs, job("j", { parallelism: 2 })).body.metadata;
    const resize = (name: string, spec: object = { parallelism: 3 }) => h.merge(`${jobs}/${name}`, { spec });
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid, controller: true };
    h.post(POD_GROUPS, podGroup("a", { schedulingPolicy: { basic: {} } }, { ownerReferences: [owner] }));
    h.post(POD_GROUPS, podGroup("b", {}, { ownerReferences: [{ ...owner, controller: false }] }));
    expect(resize("j", { parallelism: 4 }).status).toBe(200);
    h.post(POD_GROUPS, podGroup("c", {}, { ownerReferences: [owner] }));
    expect(resize("j")).toMatchObject({
      status: 403,
      body: {
        message:
          'jobs.batch "j" is forbidden: cannot change parallelism for a Job referencing gang-scheduled PodGroup "c"',
        reason: "Forbidden",
      },
    });
    expect(resize("j", { suspend: false }).status).toBe(200);
    expect(h.merge(`${jobs}/j/status`, { status: { active: 1 } }).status).toBe(200);
  });

  test("so does one whose template names a gang, and not one whose template names none that is there", () => {
    const template = (podGroupName: string) => ({
      spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never", schedulingGroup: { podGroupName } },
    });
    h.post(POD_GROUPS, podGroup("g"));
    h.post(jobs, job("j", { parallelism: 2, template: template("g") }));
    h.post(jobs, job("k", { parallelism: 2, template: template("missing") }));
    expect(h.merge(`${jobs}/j`, { spec: { parallelism: 1 } }).status).toBe(403);
    expect(h.merge(`${jobs}/k`, { spec: { parallelism: 1 } }).status).toBe(200);
  });
});
