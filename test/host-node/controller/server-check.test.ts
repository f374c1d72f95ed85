/** What the API server drops from a Job: told by its version, by a Job that is tried, or not at all. */
import { describe, expect, it } from "vitest";
import type { ApiRequest, ApiResponse, Transport } from "../../../bindings/js/host.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { checkServer } from "../../../host-node/controller/server-check.ts";

const NO_ANSWER: ApiResponse = { status: 0, headers: {}, body: "" };
const json = (status: number, body: object): ApiResponse => ({ status, headers: {}, body: JSON.stringify(body) });
const version = (gitVersion: string): ApiResponse => json(200, { gitVersion });
const FORBIDDEN = json(403, { kind: "Status", message: "jobs is forbidden" });

/** What is found out of a server with these answers, in their order, and what it was asked. */
async function check(...answers: ApiResponse[]) {
  const asked: ApiRequest[] = [];
  const clock = new VirtualClock(0);
  const transport = {
    send: (request: ApiRequest, done: (response: ApiResponse) => void) => {
      asked.push(request);
      done(answers.shift()!);
      // What comes next waits for a timer, if it was no answer.
      setImmediate(() => clock.advance(10_000));
    },
  } as unknown as Transport;
  const options = { transport, clock, userAgent: "stint/0", namespace: "team", isOver: () => answers.length === 0 };
  return { facts: await checkServer(options), asked };
}

const tried = (...fields: readonly string[]): ApiResponse =>
  json(201, { spec: Object.fromEntries(fields.map((name) => [name, "…"])) });

describe("by its version alone", () => {
  it("1.35 and later keep everything, and nothing more is asked", async () => {
    const { facts, asked } = await check(version("v1.36.3"));
    expect(facts).toEqual({
      dropsManagedBy: false,
      isDoubtful: false,
      sentence: "Kubernetes v1.36.3 keeps managedBy, successPolicy, podReplacementPolicy",
    });
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /version"]);
  });

  it("a server that behaves like an earlier version has the gates of that one", async () => {
    const emulating = json(200, { gitVersion: "v1.36.3", emulationMajor: "1", emulationMinor: "34" });
    expect((await check(emulating, FORBIDDEN)).facts!.sentence).toBe(
      "Kubernetes v1.36.3 keeps successPolicy, podReplacementPolicy; whether Kubernetes v1.36.3 keeps managedBy is unknown (403: jobs is forbidden); by default it keeps managedBy",
    );
  });

  it("1.27 has none of the fields", async () => {
    const { facts } = await check(version("v1.27.1"));
    expect(facts).toMatchObject({ dropsManagedBy: true, isDoubtful: true });
    expect(facts!.sentence).toContain("drops managedBy: the built-in controller runs every Job, whomever it names; ");
  });
});

describe("by a Job that is tried", () => {
  it("it is never stored, and what comes back is kept", async () => {
    const { facts, asked } = await check(version("v1.34.4+k3s1"), tried("managedBy", "podReplacementPolicy"));
    expect(facts).toEqual({
      dropsManagedBy: false,
      isDoubtful: true,
      sentence:
        "Kubernetes v1.34.4+k3s1 keeps managedBy, podReplacementPolicy; Kubernetes v1.34.4+k3s1 drops successPolicy: a Job is complete only when all its completions have succeeded",
    });
    expect(asked[1]!.path).toBe("/apis/batch/v1/namespaces/team/jobs?dryRun=All&fieldValidation=Ignore");
    const { spec } = JSON.parse(String(asked[1]!.body)) as { spec: object };
    expect(spec).toMatchObject({ managedBy: "stint.dev/check", podReplacementPolicy: "Failed" });
  });

  it("a gate that is off drops managedBy for certain", async () => {
    const { facts } = await check(version("v1.34.4"), tried("successPolicy", "podReplacementPolicy"));
    expect(facts).toMatchObject({ dropsManagedBy: true, isDoubtful: true });
  });

  it("where that is not allowed, the default is reported as a default", async () => {
    const { facts } = await check(version("v1.33.1"), FORBIDDEN);
    expect(facts).toEqual({
      dropsManagedBy: false,
      isDoubtful: true,
      sentence:
        "Kubernetes v1.33.1 keeps successPolicy; whether Kubernetes v1.33.1 keeps managedBy, podReplacementPolicy is unknown (403: jobs is forbidden); by default it keeps managedBy; by default it keeps podReplacementPolicy",
    });
    expect((await check(version("v1.31.0"), FORBIDDEN)).facts).toMatchObject({
      dropsManagedBy: false,
      sentence: expect.stringContaining(
        "; by default it drops managedBy; by default it keeps successPolicy; ",
      ) as string,
    });
  });

  it("a server that does not tell its version is tried", async () => {
    const all = tried("managedBy", "successPolicy", "podReplacementPolicy");
    expect((await check(FORBIDDEN, all)).facts).toEqual({
      dropsManagedBy: false,
      isDoubtful: false,
      sentence: "the API server keeps managedBy, successPolicy, podReplacementPolicy",
    });
    expect((await check(FORBIDDEN, FORBIDDEN)).facts).toMatchObject({
      dropsManagedBy: false,
      sentence:
        "whether the API server keeps managedBy, successPolicy, podReplacementPolicy is unknown (403: jobs is forbidden)",
    });
  });
});

it("the check of the server asks again until there is an answer, or it is over", async () => {
  const { facts, asked } = await check(NO_ANSWER, json(503, {}), json(429, {}), version("v1.36.0"), NO_ANSWER);
  expect(facts).toMatchObject({ isDoubtful: false });
  expect(asked).toHaveLength(4);
  expect((await check(NO_ANSWER)).facts).toBeUndefined();
});
