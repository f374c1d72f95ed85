/**
 * `spec.scheduling` of Jobs and CronJobs in the embedded cluster (docs/spec/api.md 2.10). The rules of Jobs, one case
 * each, are in test/vectors/admission/scheduling.json.
 */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { EmbeddedCluster } from "../../../host-node/embedded/embedded.ts";
import { buildModule } from "../../../scripts/build-engine.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
const PATH = "spec.jobTemplate.spec.scheduling";

const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
const gang = (minCount?: number) => ({ schedulingPolicy: { gang: minCount === undefined ? {} : { minCount } } });
const basic = { schedulingPolicy: { basic: {} } };

const job = (scheduling?: object) => ({
  metadata: { name: "x" },
  spec: { parallelism: 3, suspend: true, template, ...(scheduling && { scheduling }) },
});
const cronJob = (scheduling?: object) => ({
  metadata: { name: "x" },
  spec: { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec: job(scheduling).spec } },
});

let embedded: EmbeddedCluster;

async function startCluster(gangScheduling: boolean): Promise<void> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const onFatal = (error: Error): never => {
    throw error;
  };
  embedded = await EmbeddedCluster.create({ clock, nodes: [], apiOnly: true, gangScheduling, onFatal });
}

beforeAll(async () => {
  await buildModule("engine");
});

function send(method: "POST" | "PUT" | "GET", path: string, object?: object): { status: number; body: any } {
  const headers = { "content-type": "application/json" };
  const body = object === undefined ? {} : { body: JSON.stringify(object) };
  const response = embedded.cluster.handle({ method, path, headers, ...body });
  if (!("body" in response)) throw new Error("this is no stream");
  return { status: response.status, body: JSON.parse(String(response.body)) };
}

function causesOf({ status, body }: { status: number; body: any }): string[] {
  return status < 300 ? [] : body.details.causes.map(({ field, message }: any) => `${field}: ${message}`);
}

/** Creates with the first, and updates with the second. */
function update(path: string, make: (scheduling?: object) => object, before?: object, after?: object): string[] {
  expect(causesOf(send("POST", path, make(before)))).toEqual([]);
  return causesOf(send("PUT", `${path}/x`, make(after)));
}

describe("with gang scheduling", () => {
  beforeEach(() => startCluster(true));

  it("a Job is checked", () => {
    expect(causesOf(send("POST", JOBS, job(gang(4))))).toEqual([
      "spec.scheduling.schedulingPolicy.gang.minCount: Invalid value: 4: must not be greater than parallelism (3)",
    ]);
    expect(send("POST", JOBS, job(gang())).body.spec.scheduling).toEqual(gang());
  });

  it.each<[string, object, ...string[]]>([
    [
      "minCount above parallelism",
      gang(4),
      `${PATH}.schedulingPolicy.gang.minCount: Invalid value: 4: must not be greater than parallelism (3)`,
    ],
    [
      "all pods disrupted together without a gang",
      { disruptionMode: { all: {} } },
      `${PATH}.disruptionMode: Invalid value: "": the disruptionMode \`all\` is not supported with the Basic scheduling policy`,
    ],
    [
      "no policy in the policy",
      { schedulingPolicy: {} },
      `${PATH}.schedulingPolicy: Invalid value: "": must specify one of: \`basic\`, \`gang\``,
    ],
  ])("a CronJob with %s is refused", (_, scheduling, ...causes) => {
    expect(causesOf(send("POST", CRON_JOBS, cronJob(scheduling)))).toEqual(causes);
  });

  it.each<[string, object | undefined, object | undefined, ...string[]]>([
    ["set another minCount", gang(2), gang(3)],
    ["go from gang to basic", gang(2), basic],
    ["go from basic to gang", basic, gang()],
    [
      "exceed parallelism",
      gang(2),
      gang(4),
      `${PATH}.schedulingPolicy.gang.minCount: Invalid value: 4: must not be greater than parallelism (3)`,
    ],
    ["set the field", undefined, gang(), `${PATH}: Invalid value: null: field cannot be set once created`],
    ["clear the field", gang(), undefined, `${PATH}: Invalid value: null: field cannot be cleared once set`],
    ["set a policy", {}, basic, `${PATH}.schedulingPolicy: Invalid value: null: field cannot be set once created`],
    ["clear the policy", basic, {}, `${PATH}.schedulingPolicy: Invalid value: null: field cannot be cleared once set`],
    [
      "set constraints",
      {},
      { schedulingConstraints: {} },
      `${PATH}.schedulingConstraints: Invalid value: null: field is immutable`,
    ],
    [
      "change the disruption mode",
      { ...gang(), disruptionMode: { single: {} } },
      { ...gang(), disruptionMode: { all: {} } },
      `${PATH}.disruptionMode: Invalid value: null: field is immutable`,
    ],
    [
      "change the disruption mode into none, and the policy into one with no pods",
      gang(2),
      { ...gang(0), disruptionMode: {} },
      `${PATH}.schedulingPolicy.gang.minCount: Invalid value: 0: must be greater than or equal to 1`,
      `${PATH}.disruptionMode: Invalid value: null: field is immutable`,
    ],
    [
      "change the claims",
      { resourceClaims: [{ name: "a", resourceClaimName: "b" }] },
      { resourceClaims: [] },
      `${PATH}.resourceClaims: Invalid value: null: field is immutable`,
    ],
  ])("an update of a CronJob that would %s is answered so", (_, before, after, ...causes) => {
    expect(update(CRON_JOBS, cronJob, before, after)).toEqual(causes);
  });
});

describe("without gang scheduling", () => {
  beforeEach(() => startCluster(false));

  it.each([
    ["Job", JOBS, job],
    ["CronJob", CRON_JOBS, cronJob],
  ])("a %s with nonsense in the field is taken without it", (_, path, make) => {
    const made = send("POST", path, make({ schedulingPolicy: {}, disruptionMode: { all: {} } }));
    expect([made.status, JSON.stringify(made.body)]).toEqual([201, expect.not.stringContaining('"scheduling"')]);
  });
});
