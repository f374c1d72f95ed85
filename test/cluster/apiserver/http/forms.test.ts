/** The forms of an answer: negotiation, tables, metadata only: docs/spec/api.md 6.4 and 7. */
import { describe, expect, test } from "vitest";
import { humanDuration } from "../../../../cluster/apiserver/tables/duration.ts";
import { configMap, configMaps, Harness, job, jobs, pod, pods } from "../harness.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const kubectl =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
const partial = (kind: string): string => `application/json;as=${kind};v=v1;g=meta.k8s.io`;

describe("negotiation", () => {
  function withJob(): Harness {
    const harness = new Harness();
    harness.post(jobs, job("j"));
    return harness;
  }

  const accepted: readonly (readonly [string, string])[] = [
    ["*/*", "Job"],
    ["application/json, */*;q=0.8", "Job"],
    ["application/vnd.kubernetes.protobuf,application/json", "Job"],
    ["text/html;q=1,application/json;q=0.5", "Job"],
    [kubectl, "Table"],
    [partial("PartialObjectMetadata"), "PartialObjectMetadata"],
    [`application/json;as=Bogus;v=v1;g=meta.k8s.io,${table}`, "Table"],
    [`${table.replace("v1", "v9")},application/json`, "Job"],
  ];
  for (const [accept, kind] of accepted)
    test(`${accept} gets a ${kind}`, () => expect(withJob().get(`${jobs}/j`, accept).body.kind).toBe(kind));

  const only =
    "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
  const refused: readonly (readonly [string, string, string])[] = [
    [
      "application/*",
      `${jobs}/j`,
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ],
    [partial("Bogus"), `${jobs}/j`, only],
    [
      "application/yaml",
      `${jobs}?watch=1`,
      "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    ],
    [
      `${partial("PartialObjectMetadata")},application/json`,
      jobs,
      "you requested PartialObjectMetadata, but the requested object is a list (*batch.JobList)",
    ],
    [
      partial("PartialObjectMetadataList"),
      `${jobs}/j`,
      "you requested PartialObjectMetadataList, but the requested object is not a list (*batch.Job)",
    ],
  ];
  for (const [accept, path, message] of refused) {
    test(`${accept} of ${path} is a 406`, () =>
      expect(withJob().get(path, accept).body).toMatchObject({ code: 406, reason: "NotAcceptable", message }));
  }

  test("metadata of a list, and of a watch", () => {
    const harness = withJob();
    expect(harness.get(jobs, partial("PartialObjectMetadataList")).body).toMatchObject({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      items: [{ kind: "PartialObjectMetadata", metadata: { name: "j" } }],
    });
    expect(harness.stream(`${jobs}?watch=1`, partial("PartialObjectMetadata")).events[0]!.object).toMatchObject({
      kind: "PartialObjectMetadata",
      metadata: { name: "j" },
    });
  });

  test("indented for people", () => {
    const harness = withJob();
    expect(harness.get(`${jobs}/j?pretty=true`).text).toContain('{\n  "kind": "Job",');
    expect(harness.send("GET", jobs, undefined, { "user-agent": "curl/8.0" }).text).toContain(
      '{\n  "kind": "JobList",',
    );
    expect(harness.get(`${jobs}/none`, table).text).toContain('{\n  "kind": "Status",');
    expect(harness.get(`${jobs}/none`, kubectl).text).toMatch(/^\{"kind":"Status"/);
  });

  test("YAML is answered as JSON, which is YAML", () => {
    const answer = withJob().get(`${jobs}/j`, "application/yaml");
    expect([answer.headers["content-type"], JSON.parse(answer.text).kind]).toEqual(["application/yaml", "Job"]);
  });
});

const cells = (harness: Harness, path: string): unknown[] =>
  harness.get(path, table).body.rows.map((row: { cells: unknown[] }) => row.cells);

describe("tables", () => {
  test("includeObject", () => {
    const harness = new Harness();
    harness.post(configMaps, configMap("a", {}, { x: "1", y: "2" }));
    expect(cells(harness, configMaps)).toEqual([["a", 2, "0s"]]);
    expect(harness.get(`${configMaps}/a?includeObject=None`, table).body.rows[0].object).toBeNull();
    expect(harness.get(`${configMaps}?includeObject=Object`, table).body.rows[0].object).toMatchObject({
      kind: "ConfigMap",
      data: { x: "1" },
    });
    expect(harness.get(`${configMaps}?includeObject=Bogus`, table).body).toMatchObject({
      code: 400,
      message: `Unable to convert to Table as requested: includeObject: Invalid value: "Bogus": must be 'Metadata', 'Object', 'None', or empty`,
    });
    expect(harness.get("/api/v1/namespaces/none/configmaps", table).body.rows).toEqual([]);
  });

  const jobStates: readonly (readonly [object, object, string, string, string])[] = [
    [{}, {}, "Running", "0/1", ""],
    [{ parallelism: 3 }, { succeeded: 2 }, "Running", "2/1 of 3", ""],
    [{ parallelism: 1 }, { succeeded: 1 }, "Running", "1/1", ""],
    [{ completions: 5, parallelism: 2 }, { succeeded: 4, startTime: "2026-11-21T09:43:50Z" }, "Running", "4/5", "5m"],
    [
      {},
      {
        conditions: [
          { type: "Failed", status: "True" },
          { type: "FailureTarget", status: "True" },
        ],
      },
      "Failed",
      "0/1",
      "",
    ],
    [{}, { conditions: [{ type: "SuccessCriteriaMet", status: "True" }] }, "SuccessCriteriaMet", "0/1", ""],
    [{}, { conditions: [{ type: "Suspended", status: "False" }] }, "Running", "0/1", ""],
  ];
  jobStates.forEach(([spec, status, ...expected], index) => {
    test(`Job ${index}: ${expected.join(" ")}`, () => {
      const harness = new Harness();
      harness.post(jobs, job("j", spec));
      harness.merge(`${jobs}/j/status`, { status });
      expect((cells(harness, `${jobs}/j`) as unknown[][])[0]!.slice(1, 4)).toEqual(expected);
    });
  });
});

describe("tables of Pods", () => {
  const waiting = (reason: string): object => ({ waiting: { reason } });
  const exited = (exitCode: number, reason?: string): object => ({
    terminated: { exitCode, ...(reason && { reason }) },
  });
  const main = (state: object, rest: object = {}): object => ({
    name: "c",
    state,
    ready: false,
    restartCount: 0,
    image: "",
    imageID: "",
    ...rest,
  });
  const ready = { running: {} };
  const podStates: readonly (readonly [string, object, object, unknown[]])[] = [
    ["pending", {}, { phase: "Pending" }, ["0/1", "Pending", "0"]],
    ["running", {}, { phase: "Running", containerStatuses: [main(ready, { ready: true })] }, ["1/1", "Running", "0"]],
    [
      "crashing",
      {},
      {
        phase: "Running",
        containerStatuses: [
          main(waiting("CrashLoopBackOff"), {
            restartCount: 3,
            lastState: { terminated: { exitCode: 1, finishedAt: "2026-11-21T08:45:50Z" } },
          }),
        ],
      },
      ["0/1", "CrashLoopBackOff", "3 (63m ago)"],
    ],
    ["evicted", {}, { phase: "Failed", reason: "Evicted" }, ["0/1", "Evicted", "0"]],
    [
      "completed",
      {},
      { phase: "Succeeded", containerStatuses: [main(exited(0, "Completed"))] },
      ["0/1", "Completed", "0"],
    ],
    [
      "an exit code without a reason",
      {},
      { phase: "Failed", containerStatuses: [main(exited(3))] },
      ["0/1", "ExitCode:3", "0"],
    ],
    [
      "one failed, one completed",
      {
        containers: [
          { name: "c", image: "b" },
          { name: "d", image: "b" },
        ],
      },
      { phase: "Failed", containerStatuses: [main(exited(0, "Completed")), main(exited(1, "Error"), { name: "d" })] },
      ["0/2", "Error", "0"],
    ],
    [
      "init 0 of 2",
      {
        initContainers: [
          { name: "i", image: "b" },
          { name: "k", image: "b" },
        ],
      },
      {
        phase: "Pending",
        initContainerStatuses: [main(ready, { name: "i" })],
        containerStatuses: [main(waiting("PodInitializing"))],
      },
      ["0/1", "Init:0/2", "0"],
    ],
    [
      "init failed",
      { initContainers: [{ name: "i", image: "b" }] },
      { phase: "Failed", initContainerStatuses: [main(exited(1, "Error"), { name: "i", restartCount: 2 })] },
      ["0/1", "Init:Error", "2"],
    ],
    ["gated", { schedulingGates: [{ name: "g" }] }, {}, ["0/1", "SchedulingGated", "0"]],
    [
      "a sidecar counts",
      { initContainers: [{ name: "s", image: "b", restartPolicy: "Always" }] },
      {
        phase: "Running",
        initContainerStatuses: [main(ready, { name: "s", ready: true, started: true, restartCount: 1 })],
        containerStatuses: [main(ready, { ready: true })],
      },
      ["2/2", "Running", "1"],
    ],
  ];
  for (const [name, spec, status, expected] of podStates) {
    test(`Pod ${name}`, () => {
      const harness = new Harness();
      harness.post(pods, pod("p", spec));
      harness.merge(`${pods}/p/status`, { status });
      expect((cells(harness, pods) as unknown[][])[0]!.slice(1, 4)).toEqual(expected);
    });
  }

  test("a deleted pod is Terminating; the wide columns", () => {
    const harness = new Harness();
    harness.post(pods, pod("p"));
    harness.post(`${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "n1" } });
    harness.merge(`${pods}/p/status`, { status: { phase: "Running", podIP: "10.0.0.1" } });
    harness.delete(`${pods}/p`);
    expect(cells(harness, pods)).toEqual([
      ["p", "0/1", "Terminating", "0", "0s", "10.0.0.1", "n1", "<none>", "<none>"],
    ]);
  });

  test("a finished pod's row has a condition", () => {
    const harness = new Harness();
    harness.post(pods, pod("p"));
    harness.merge(`${pods}/p/status`, { status: { phase: "Failed" } });
    expect(harness.get(pods, table).body.rows[0].conditions).toEqual([
      { type: "Completed", status: "True", reason: "Failed", message: "The pod failed." },
    ]);
  });
});

describe("tables of other kinds", () => {
  test("events of both groups have one table", () => {
    const harness = new Harness();
    const events = "/api/v1/namespaces/default/events";
    harness.post(events, {
      metadata: { name: "e" },
      involvedObject: { kind: "Job", namespace: "default", name: "j" },
      type: "Normal",
      reason: "R",
      message: " M\n",
      source: { component: "c", host: "h" },
      firstTimestamp: "2026-11-21T09:38:50Z",
      lastTimestamp: "2026-11-21T09:48:40Z",
      count: 4,
    });
    const row = [["10s", "Normal", "R", "job/j", "", "c, h", "M", "10m", 4, "e"]];
    expect(cells(harness, events)).toEqual(row);
    expect(cells(harness, "/apis/events.k8s.io/v1/namespaces/default/events")).toEqual(row);
  });

  test("namespaces, nodes and leases", () => {
    const harness = new Harness();
    expect(cells(harness, "/api/v1/namespaces/default")).toEqual([["default", "Active", "0s"]]);
    harness.post("/api/v1/nodes", {
      metadata: { name: "n", labels: { "node-role.kubernetes.io/worker": "" } },
      spec: { unschedulable: true },
      status: { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { kubeletVersion: "v1.36.3" } },
    });
    expect(cells(harness, "/api/v1/nodes")).toEqual([
      [
        "n",
        "Ready,SchedulingDisabled",
        "worker",
        "0s",
        "v1.36.3",
        "<none>",
        "<none>",
        "<unknown>",
        "<unknown>",
        "<unknown>",
      ],
    ]);
    harness.post("/apis/coordination.k8s.io/v1/namespaces/default/leases", {
      metadata: { name: "l" },
      spec: { holderIdentity: "h" },
    });
    expect(cells(harness, "/apis/coordination.k8s.io/v1/leases")).toEqual([["l", "h", "0s"]]);
  });
});

test("humanDuration() writes durations as kubectl does", () => {
  const minute = 60,
    hour = 3600,
    day = 86_400;
  const cases: readonly (readonly [number, string])[] = [
    [-2, "<invalid>"],
    [-1, "0s"],
    [0, "0s"],
    [119, "119s"],
    [120, "2m"],
    [125, "2m5s"],
    [10 * minute, "10m"],
    [3 * hour - 1, "179m"],
    [3 * hour, "3h"],
    [3 * hour + 5 * minute, "3h5m"],
    [8 * hour, "8h"],
    [2 * day - 1, "47h"],
    [2 * day, "2d"],
    [3 * day + hour, "3d1h"],
    [8 * day, "8d"],
    [2 * 365 * day, "2y"],
    [3 * 365 * day + day, "3y1d"],
    [8 * 365 * day, "8y"],
  ];
  for (const [seconds, text] of cases) expect([seconds, humanDuration(seconds * 1000)]).toEqual([seconds, text]);
});
