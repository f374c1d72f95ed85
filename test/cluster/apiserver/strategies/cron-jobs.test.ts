/** CronJobs in the API: defaults, what is refused, the table, and that other servers do not have them. */
import { beforeEach, expect, test } from "vitest";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { Harness } from "../harness.ts";

const path = "/apis/batch/v1/namespaces/default/cronjobs";
const template = { spec: { containers: [{ name: "c", image: "busybox" }], restartPolicy: "Never" } };
const cronJob = (spec: object = {}, name = "c"): object => ({
  metadata: { name },
  spec: { schedule: "0 * * * *", jobTemplate: { spec: { template } }, ...spec },
});
let harness: Harness;
beforeEach(() => {
  harness = new Harness({ moreResources });
});
const refusal = (spec: object, name?: string): string[] =>
  harness.post(path, cronJob(spec, name)).body.details.causes.map(({ field, message }: any) => `${field}: ${message}`);

test("a CronJob gets its defaults; its Jobs get only those of their pods", () => {
  const { status, body } = harness.post(path, cronJob());
  expect(status).toBe(201);
  expect(body.spec).toMatchObject({
    concurrencyPolicy: "Allow",
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  expect(Object.keys(body.spec.jobTemplate.spec)).toEqual(["template"]);
  expect(body.spec.jobTemplate.spec.template.spec.dnsPolicy).toBe("ClusterFirst");
  expect(body.status).toEqual({});
  expect(body.metadata.generation).toBe(1);
});

test.each([
  [{ schedule: "" }, "spec.schedule: Required value"],
  [{ schedule: "1 2 3" }, 'spec.schedule: Invalid value: "1 2 3": expected exactly 5 fields, found 3: [1 2 3]'],
  [{ timeZone: "" }, 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
  [{ timeZone: "Mars/Olympus" }, 'spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus'],
  [
    { startingDeadlineSeconds: -1 },
    "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
  ],
  [
    { concurrencyPolicy: "Never" },
    'spec.concurrencyPolicy: Unsupported value: "Never": supported values: "Allow", "Forbid", "Replace"',
  ],
])("%j is refused", (spec, message) => {
  expect(refusal(spec)).toEqual([message]);
});

test("a name must leave room for the time of a start", () => {
  expect(harness.post(path, cronJob({}, "n".repeat(52))).status).toBe(201);
  expect(refusal({}, "n".repeat(53))).toEqual([
    `metadata.name: Invalid value: "${"n".repeat(53)}": must be no more than 52 characters`,
  ]);
});

test("the status is a subresource", () => {
  harness.post(path, cronJob());
  harness.merge(`${path}/c/status`, { spec: { suspend: true }, status: { lastScheduleTime: "2026-11-21T09:00:00Z" } });
  const { body } = harness.get(`${path}/c`);
  expect(body.spec.suspend).toBe(false);
  expect(body.status).toEqual({ lastScheduleTime: "2026-11-21T09:00:00Z" });
});

test("the table is kubectl's", () => {
  harness.post(path, cronJob({ timeZone: "Europe/Berlin" }));
  const { body } = harness.get(path, "application/json;as=Table;v=v1;g=meta.k8s.io");
  expect(body.rows[0].cells.slice(0, 7)).toEqual(["c", "0 * * * *", "Europe/Berlin", "False", 0, "<none>", "0s"]);
});

test("a cluster without them does not serve them", () => {
  expect(new Harness().get(path).status).toBe(404);
});
