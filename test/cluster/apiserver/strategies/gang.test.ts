/**
 * Workloads, PodGroups and what ties pods to them (docs/spec/controller.md section 11), served only where gang
 * scheduling is on.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { Harness, job, jobs, pod, pods } from "../harness.ts";

const GROUP = "/apis/scheduling.k8s.io/v1beta1";
const WORKLOADS = `${GROUP}/namespaces/default/workloads`;
const POD_GROUPS = `${GROUP}/namespaces/default/podgroups`;
const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";

const other = (path: string): string => path.replace("v1beta1", "v1alpha3");
const gang = (minCount: unknown) => ({ gang: { minCount } });
const template = (more: object = {}) => ({ name: "t", schedulingPolicy: gang(2), ...more });
const workload = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { controllerRef: { apiGroup: "batch", kind: "Job", name: "j" }, podGroupTemplates: [template()], ...spec },
});
const podGroup = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { workloadRef: { workloadName: "w", templateName: "t" }, schedulingPolicy: gang(2), ...spec },
});

let h: Harness;
beforeEach(() => {
  h = new Harness({ gangScheduling: true, moreResources });
});

/** The causes of a refusal, `field: message`. */
const causesOf = ({ body }: { readonly body: any }): string[] =>
  body.details.causes.map(({ field, message }: any) => `${field}: ${message}`);

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
    const created = h.post(
      jobs,
      job("j", {
        template: {
          spec: {
            containers: [{ name: "c", image: "i" }],
            restartPolicy: "Never",
            schedulingGroup: { podGroupName: "g" },
          },
        },
      }),
    );
    expect(created.body.spec.template.spec).not.toHaveProperty("schedulingGroup");
    expect(created.headers["warning"]).toEqual([
      '299 - "spec.template.spec.schedulingGroup: dropped, for gang scheduling is off"',
    ]);
  });
});

describe("templates of kinds that keep pods alive", () => {
  const labels = { a: "b" };
  const deployment = {
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "c", image: "i" }], schedulingGroup: { podGroupName: "G" } },
      },
    },
  };
  const create = () => h.post("/apis/apps/v1/namespaces/default/deployments", deployment);

  test("may name a PodGroup that could be there", () => {
    expect(causesOf(create())[0]).toMatch(
      /^spec\.template\.spec\.schedulingGroup\.podGroupName: Invalid value: "G": a lowercase RFC 1123 subdomain/,
    );
  });

  test("lose the field while gang scheduling is off", () => {
    h = new Harness({ moreResources });
    expect(create().body.spec.template.spec).not.toHaveProperty("schedulingGroup");
  });
});

describe("discovery", () => {
  test("has both kinds in both versions, and no earlier one", () => {
    expect(h.get("/apis").body.groups.find(({ name }: any) => name === "scheduling.k8s.io")).toMatchObject({
      versions: [{ version: "v1" }, { version: "v1beta1" }, { version: "v1alpha3" }],
      preferredVersion: { version: "v1" },
    });
    for (const path of [GROUP, other(GROUP)])
      expect(h.get(path).body.resources.map(({ name, kind, namespaced }: any) => [name, kind, namespaced])).toEqual([
        ["podgroups", "PodGroup", true],
        ["podgroups/status", "PodGroup", true],
        ["workloads", "Workload", true],
      ]);
    expect(h.get("/apis/scheduling.k8s.io/v1alpha2").status).toBe(404);
    expect(Object.keys(h.get("/openapi/v3/apis/scheduling.k8s.io/v1beta1").body.paths)).toHaveLength(7);
  });
});

describe("objects", () => {
  test("are written, read, listed, watched and deleted", () => {
    const lines = h.stream(`${POD_GROUPS}?watch=true`);
    expect(h.post(WORKLOADS, workload("w")).text).toContain(
      '"spec":{"controllerRef":{"apiGroup":"batch","kind":"Job","name":"j"},"podGroupTemplates":[{"name":"t","schedulingPolicy":{"gang":{"minCount":2}},"schedulingConstraints":null}]}}',
    );
    const { body } = h.post(POD_GROUPS, { ...podGroup("g"), status: { conditions: [] } });
    expect(body).toMatchObject({ apiVersion: "scheduling.k8s.io/v1beta1", kind: "PodGroup", status: {} });
    expect(body.spec.disruptionMode).toEqual({ single: {} });
    expect(body.metadata).not.toHaveProperty("generation");
    expect(h.get(`${POD_GROUPS}/g`).body).toEqual(body);
    expect(h.get(WORKLOADS).body).toMatchObject({ kind: "WorkloadList", items: [{ metadata: { name: "w" } }] });
    const conditions = [
      {
        type: "PodGroupInitiallyScheduled",
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

  test("of one version are read, written and watched in the other", () => {
    const lines = h.stream(`${other(POD_GROUPS)}?watch=true`);
    const { uid } = h.post(POD_GROUPS, podGroup("g")).body.metadata;
    const seen = h.get(`${other(POD_GROUPS)}/g`).body;
    expect(seen).toMatchObject({ apiVersion: "scheduling.k8s.io/v1alpha3", metadata: { uid } });
    expect(h.merge(`${other(POD_GROUPS)}/g`, { spec: { schedulingPolicy: gang(3) } }).status).toBe(200);
    expect(h.get(`${POD_GROUPS}/g`).body).toMatchObject({
      apiVersion: "scheduling.k8s.io/v1beta1",
      spec: { schedulingPolicy: gang(3) },
    });
    expect(lines.events.map(({ object }: any) => object.apiVersion)).toEqual(
      Array(2).fill("scheduling.k8s.io/v1alpha3"),
    );
    h.post(other(WORKLOADS), workload("w"));
    expect(h.get(`${WORKLOADS}/w`).body.apiVersion).toBe("scheduling.k8s.io/v1beta1");
  });

  test("lose the fields of feature gates that are off, without a warning", () => {
    const gated = {
      schedulingConstraints: { topology: [{ key: "zone" }] },
      resourceClaims: [{ name: "c", resourceClaimName: "c" }],
      preemptionPolicy: "Never",
    };
    const made = h.post(
      `${WORKLOADS}?fieldValidation=Strict`,
      workload("w", {
        podGroupTemplates: [template(gated)],
        compositePodGroupTemplates: [{ name: "c", schedulingPolicy: { basic: {} } }],
      }),
    );
    expect([made.status, made.headers["warning"]]).toEqual([201, undefined]);
    expect(made.body.spec).toEqual({
      controllerRef: { apiGroup: "batch", kind: "Job", name: "j" },
      podGroupTemplates: [{ ...template(), schedulingConstraints: null }],
    });
    const group = podGroup("g", { ...gated, parentCompositePodGroupName: "p" });
    const grouped = h.post(`${POD_GROUPS}?fieldValidation=Strict`, group);
    expect([grouped.status, grouped.headers["warning"]]).toEqual([201, undefined]);
    expect(grouped.body.spec).toEqual({ ...podGroup("g").spec, disruptionMode: { single: {} } });
    const status = { resourceClaimStatuses: [{ name: "c", resourceClaimName: "c" }] };
    expect(h.merge(`${POD_GROUPS}/g/status`, { status }).body.status).toEqual({});
  });

  test("need a resource version for an update", () => {
    h.post(POD_GROUPS, podGroup("g"));
    expect(h.put(`${POD_GROUPS}/g`, podGroup("g")).body.message).toContain("must be specified for an update");
  });

  test("are shown as tables", () => {
    h.post(WORKLOADS, workload("w"));
    h.post(POD_GROUPS, podGroup("g"));
    h.post(POD_GROUPS, podGroup("h", { workloadRef: undefined, schedulingPolicy: { basic: {} } }));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    for (const path of [WORKLOADS, other(WORKLOADS)])
      expect(h.get(path, accept).body.rows.map(({ cells }: any) => cells)).toEqual([["w", "0s"]]);
    for (const path of [POD_GROUPS, other(POD_GROUPS)]) {
      const table = h.get(path, accept).body;
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
    }
  });

  test.each([
    ["Scheduled", [{ type: "PodGroupInitiallyScheduled", status: "True", reason: "Scheduled" }]],
    ["Unschedulable", [{ type: "PodGroupInitiallyScheduled", status: "False", reason: "Unschedulable" }]],
    [
      "PreemptionByScheduler",
      [
        { type: "PodGroupInitiallyScheduled", status: "True", reason: "Scheduled" },
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
});

describe("a new Workload", () => {
  const templates = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ name: `t${index}`, schedulingPolicy: gang(1) }));
  const ONE_OF = "must specify one of: `podGroupTemplates`, `compositePodGroupTemplates`";

  test.each<[string, object, ...string[]]>([
    ["no templates", { podGroupTemplates: [] }, `spec: Invalid value: "": ${ONE_OF}`],
    ["no list of templates", { podGroupTemplates: undefined }, `spec: Invalid value: "": ${ONE_OF}`],
    [
      "nine templates",
      { podGroupTemplates: templates(9) },
      "spec.podGroupTemplates: Too many: 9: must have at most 8 items",
    ],
    [
      "a template without a name",
      { podGroupTemplates: [{ schedulingPolicy: gang(1) }] },
      "spec.podGroupTemplates[0].name: Required value",
    ],
    [
      "a long name of a template",
      { podGroupTemplates: [template({ name: "a".repeat(64) })] },
      `spec.podGroupTemplates[0].name: Invalid value: "${"a".repeat(64)}": must be no more than 63 bytes`,
    ],
    [
      "two templates of one name",
      { podGroupTemplates: [template(), template()] },
      'spec.podGroupTemplates[1]: Duplicate value: {"name":"t","schedulingPolicy":{"gang":{"minCount":2}},"schedulingConstraints":null}',
    ],
    [
      "no policy",
      { podGroupTemplates: [{ name: "t" }] },
      'spec.podGroupTemplates[0].schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`',
    ],
    [
      "minCount 0",
      { podGroupTemplates: [template({ schedulingPolicy: gang(0) })] },
      "spec.podGroupTemplates[0].schedulingPolicy.gang.minCount: Required value",
    ],
    [
      "a negative minCount",
      { podGroupTemplates: [template({ schedulingPolicy: gang(-1) })] },
      "spec.podGroupTemplates[0].schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1",
    ],
    [
      "two priorities",
      { podGroupTemplates: [template(), template({ name: "u", priority: 1 })] },
      "spec: Invalid value: null: detected multiple priority configurations",
    ],
    [
      "two disruption modes",
      { podGroupTemplates: [template({ disruptionMode: { single: {}, all: {} } })] },
      'spec.podGroupTemplates[0].disruptionMode: Invalid value: "{single, all}": must specify exactly one of: `single`, `all`',
    ],
    [
      "too high a priority",
      { podGroupTemplates: [template({ priority: 1_000_000_001 })] },
      "spec.podGroupTemplates[0].priority: Invalid value: 1000000001: must be less than or equal to 1000000000",
    ],
    [
      "half a controllerRef",
      { controllerRef: { kind: "a/b" } },
      `spec.controllerRef.kind: Invalid value: "a/b": may not contain '/'`,
      "spec.controllerRef.name: Required value",
    ],
  ])("with %s is refused", (_, spec, ...causes) => {
    expect(causesOf(h.post(WORKLOADS, workload("w", spec)))).toEqual(causes);
  });
});

test.each<[string, object, ...string[]]>([
  [
    "both policies",
    { schedulingPolicy: { basic: {}, ...gang(1) } },
    'spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
  ],
  [
    "half a reference, and no minCount",
    { workloadRef: { workloadName: "w" }, schedulingPolicy: { gang: {} } },
    "spec.workloadRef.templateName: Required value",
    "spec.schedulingPolicy.gang.minCount: Required value",
  ],
])("a new PodGroup with %s is refused", (_, spec, ...causes) => {
  expect(causesOf(h.post(POD_GROUPS, podGroup("g", spec)))).toEqual(causes);
});

describe("an update of a Workload", () => {
  const update = (spec: object) => {
    h.post(WORKLOADS, workload("w"));
    return h.merge(`${WORKLOADS}/w`, { spec });
  };

  test("may change minCount", () => {
    const { body } = update({ podGroupTemplates: [template({ schedulingPolicy: gang(5) })] });
    expect(body.spec.podGroupTemplates[0].schedulingPolicy).toEqual(gang(5));
  });

  test.each<[string, object, ...string[]]>([
    [
      "a new template",
      { podGroupTemplates: [template(), template({ name: "u" })] },
      "spec.podGroupTemplates[1]: Forbidden: item may not be added",
    ],
    [
      "another name of a template",
      { podGroupTemplates: [template({ name: "u" })] },
      "spec.podGroupTemplates[0]: Forbidden: item may not be added",
      "spec.podGroupTemplates: Forbidden: item may not be removed",
    ],
    [
      "the other policy",
      { podGroupTemplates: [template({ schedulingPolicy: { basic: {} } })] },
      "spec.podGroupTemplates[0].schedulingPolicy.basic: Invalid value: null: field is immutable",
      "spec.podGroupTemplates[0].schedulingPolicy.gang: Invalid value: null: field cannot be cleared once set",
    ],
    [
      "another disruption mode",
      { podGroupTemplates: [template({ disruptionMode: { all: {} } })] },
      "spec.podGroupTemplates[0].disruptionMode: Invalid value: null: field is immutable",
    ],
    [
      "another controller",
      { controllerRef: { name: "k" } },
      "spec.controllerRef: Invalid value: null: field is immutable",
    ],
  ])("with %s is refused", (_, spec, ...causes) => {
    expect(causesOf(update(spec))).toEqual(causes);
  });
});

describe("an update of a PodGroup", () => {
  const update = (spec: object) => {
    h.post(POD_GROUPS, podGroup("g"));
    return h.merge(`${POD_GROUPS}/g`, { spec });
  };

  test("may change minCount and metadata", () => {
    expect(update({ schedulingPolicy: gang(3) }).body.spec.schedulingPolicy).toEqual(gang(3));
    expect(h.merge(`${POD_GROUPS}/g`, { metadata: { labels: { a: "b" } } }).status).toBe(200);
  });

  test.each<[string, object, ...string[]]>([
    ["no reference", { workloadRef: null }, "spec.workloadRef: Invalid value: null: field is immutable"],
    [
      "a basic policy, too",
      { schedulingPolicy: { basic: {} } },
      'spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
      "spec.schedulingPolicy.basic: Invalid value: null: field is immutable",
    ],
    [
      "another disruption mode",
      { disruptionMode: { single: null, all: {} } },
      "spec.disruptionMode: Invalid value: null: field is immutable",
    ],
    ["a priority", { priority: 1 }, "spec.priority: Invalid value: null: field is immutable"],
    ["a class", { priorityClassName: "c" }, "spec.priorityClassName: Invalid value: null: field is immutable"],
  ])("with %s is refused", (_, spec, ...causes) => {
    expect(causesOf(update(spec))).toEqual(causes);
  });
});

describe("the status of a PodGroup", () => {
  const condition = (more: object) => ({
    type: "PodGroupInitiallyScheduled",
    status: "True",
    reason: "Scheduled",
    message: "",
    lastTransitionTime: "2026-11-21T09:00:00Z",
    ...more,
  });
  const write = (...conditions: object[]) => h.merge(`${POD_GROUPS}/g/status`, { status: { conditions } });
  beforeEach(() => void h.post(POD_GROUPS, podGroup("g")));

  test("may say again that the group is not scheduled", () => {
    expect(write(condition({})).status).toBe(200);
    expect(write(condition({ status: "False" })).status).toBe(200);
  });

  test.each<[string, object[], ...string[]]>([
    [
      "an empty condition",
      [{ message: "", lastTransitionTime: null }],
      "status.conditions[0].type: Required value: is required",
      "status.conditions[0].status: Required value",
      "status.conditions[0].lastTransitionTime: Required value",
      "status.conditions[0].reason: Required value",
    ],
    [
      "two of a type",
      [condition({}), condition({})],
      'status.conditions[1]: Duplicate value: "PodGroupInitiallyScheduled"',
    ],
    [
      "an unknown status",
      [condition({ status: "Yes" })],
      'status.conditions[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
    ],
    [
      "a negative generation",
      [condition({ observedGeneration: -1 })],
      "status.conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero",
    ],
  ])("with %s is refused", (_, conditions, ...causes) => {
    expect(causesOf(write(...conditions))).toEqual(causes);
  });
});

describe("pods", () => {
  test("keep the PodGroup that they name, if that is a name", () => {
    expect(h.post(pods, pod("p", { schedulingGroup: { podGroupName: "g" } })).body.spec.schedulingGroup).toEqual({
      podGroupName: "g",
    });
    expect(h.post(pods, pod("q", { schedulingGroup: {} })).body.message).toBe(
      'Pod "q" is invalid: spec.schedulingGroup.podGroupName: Invalid value: null: must specify one of: `podGroupName`',
    );
    expect(h.post(pods, pod("q", { schedulingGroup: { podGroupName: "A" } })).body.message).toMatch(
      /spec\.schedulingGroup\.podGroupName: Invalid value: "A"/,
    );
  });

  test("of Jobs and CronJobs do so, too", () => {
    const spec = (schedulingGroup: object) => ({
      template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never", schedulingGroup } },
    });
    const cronJob = (group: object) => ({
      metadata: { name: "c" },
      spec: { schedule: "0 0 * * *", jobTemplate: { spec: spec(group) } },
    });
    const cause = "podGroupName: Invalid value: null: must specify one of: `podGroupName`";
    expect(causesOf(h.post(jobs, job("j", spec({}))))).toEqual([`spec.template.spec.schedulingGroup.${cause}`]);
    expect(causesOf(h.post(CRON_JOBS, cronJob({})))).toEqual([
      `spec.jobTemplate.spec.template.spec.schedulingGroup.${cause}`,
    ]);
    expect(h.post(CRON_JOBS, cronJob({ podGroupName: "g" })).status).toBe(201);
  });
});
