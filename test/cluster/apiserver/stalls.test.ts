/**
 * Requests that would block the server, each of which took seconds to hours once: what they get, and that they get it.
 * None of these tests looks at a clock; one that is not answered is ended by the time limit of every test.
 */
import { describe, expect, test } from "vitest";
import { trackFields } from "../../../cluster/apiserver/apply/tracking.ts";
import { MAX_OBJECT_BYTES } from "../../../cluster/apiserver/verbs/object-size.ts";
import { configMap, configMaps, Harness, job, jobs } from "./harness.ts";

const list = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
const members = (length: number, make: (n: number) => [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(list(length, make));

/** A server with the Job `a`. */
function populated(): Harness {
  const harness = new Harness();
  harness.post(jobs, job("a"));
  return harness;
}

test("nested copies of a JSON patch get what the API server answers", () => {
  const copies = list(44, (n) => ({
    op: "copy",
    from: n % 2 === 0 ? "/spec" : "/metadata/annotations",
    path: `/metadata/annotations/c${n}`,
  }));
  expect(
    populated().jsonPatch(`${jobs}/a`, [{ op: "add", path: "/metadata/annotations", value: {} }, ...copies]).text,
  ).toBe(
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server rejected our request due to an error in our request","reason":"Invalid","details":{},"code":422}\n',
  );
});

describe("many", () => {
  test("owners are compared once each", () => {
    const owner = (n: number): object => ({ apiVersion: "v1", kind: "A", name: "b", uid: `u${n}` });
    const { status, headers, body } = new Harness().post(
      configMaps,
      configMap("a", { ownerReferences: list(20_000, (n) => owner(n % 10_000)) }),
    );
    expect(status).toBe(201);
    expect(body.metadata.ownerReferences).toHaveLength(10_000);
    expect(headers["warning"]).toEqual([expect.stringContaining("contains duplicate entries")]);
  });

  test("owned fields are found fast, and count for the size of the object", () => {
    const harness = new Harness({ fieldOwners: trackFields });
    const finalizers = list(15_000, (n) => `a.b/c${n}`);
    expect(harness.post(configMaps, configMap("a", { finalizers })).status).toBe(201);
    const apply = (manager: string): string =>
      harness.send(
        "PATCH",
        `${configMaps}/a?fieldManager=${manager}`,
        configMap("a", { finalizers: finalizers.toReversed() }),
        { "content-type": "application/apply-patch+yaml" },
      ).text;
    expect(apply("me")).toContain('"kind":"ConfigMap"');
    expect(list(5, (n) => apply(`m${n}`))[4]).toContain("etcdserver: request is too large");
  });

  test("finalizers of an object that is being deleted are looked up", () => {
    const harness = new Harness();
    const finalizers = list(40_000, (n) => `a.b/c${n}`);
    harness.post(configMaps, configMap("a", { finalizers }));
    harness.delete(`${configMaps}/a`);
    expect(harness.merge(`${configMaps}/a`, { metadata: { finalizers: finalizers.toReversed() } }).status).toBe(200);
    expect(
      harness.merge(`${configMaps}/a`, { metadata: { finalizers: [...finalizers, "a.b/new"] } }).body.message,
    ).toContain('found new finalizers []string{"a.b/new"}');
  });

  test.each([
    [
      "elements with keys",
      { spec: { template: { spec: { volumes: list(20_000, (n) => ({ name: `v${n}`, emptyDir: {} })) } } } },
    ],
    [
      "elements to delete",
      { metadata: { ownerReferences: list(40_000, (n) => ({ uid: `u${n}`, $patch: "delete" })) } },
    ],
    ["values to delete", { metadata: { "$deleteFromPrimitiveList/finalizers": list(60_000, (n) => `a.b/c${n}`) } }],
    [
      "keys to retain",
      {
        metadata: { labels: { $retainKeys: list(50_000, (n) => `k${n}`), ...members(50_000, (n) => [`k${n}`, "v"]) } },
      },
    ],
    ["elements whose keys are objects", { metadata: { ownerReferences: list(20_000, (n) => ({ uid: { n } })) } }],
  ])("%s of a strategic merge patch are found at once", (_name, patch) => {
    const harness = populated();
    harness.merge(`${jobs}/a`, {
      metadata: {
        finalizers: list(30_000, (n) => `a.b/c${n}`),
        ownerReferences: list(4_000, (n) => ({ apiVersion: "v1", kind: "A", name: "b", uid: `u${n}` })),
      },
    });
    expect([200, 422]).toContain(harness.strategic(`${jobs}/a`, patch).status);
  });

  test("wrong labels are reported up to the limit of admission's errors", () => {
    const { status, body } = new Harness().post(
      configMaps,
      configMap("a", { labels: members(5_000, (n) => [`!${n}`, "v"]) as never }),
    );
    expect(status).toBe(422);
    expect(body.details.causes).toHaveLength(256);
  });

  test("owners without anything are no stack overflow", () => {
    expect(
      new Harness().post(configMaps, configMap("a", { ownerReferences: list(30_000, () => ({ name: "" })) })).status,
    ).toBe(422);
  });

  test("unknown members are reported a hundred times at most, as by the API server", () => {
    const unknown = members(40_000, (n) => [`u${n}`, 1]);
    expect(new Harness().post(configMaps, { ...configMap("a"), ...unknown }).headers["warning"]).toHaveLength(100);
    expect(
      new Harness()
        .post(`${configMaps}?fieldValidation=Strict`, { ...configMap("a"), ...unknown })
        .body.message.split(", "),
    ).toHaveLength(100);
  });

  test("repeated members are reported once each, however long their path is", () => {
    const post = (member: string, key = "data"): string =>
      new Harness().post(
        `${configMaps}?fieldValidation=Strict`,
        `{"metadata":{"name":"a"},"${key}":{${list(40_000, () => member).join()}}}`,
      ).body.message;
    expect(post('"u":"1"')).toContain('strict decoding error: duplicate field "data.u"');
    expect(post('"u":"1"')).not.toContain(",");
    expect(post('"u":1,"u":{"v":1,"v":2}', "k".repeat(300_000))).toContain("duplicate field");
  });

  test("warnings stay within their budget, each cut", () => {
    const warnings = new Harness().post(configMaps, {
      ...configMap("a"),
      ...members(60, (n) => [`${"x".repeat(400)}${n}`, 1]),
    }).headers["warning"] as string[];
    // As upstream: sixteen of 256 characters fill it; the one that went over it before the cutting is among them.
    expect(warnings).toHaveLength(16);
    expect(warnings[0]).toHaveLength('299 - ""'.length + 256 + '\\"'.length - 1);
  });
});

describe("texts that patterns find hard", () => {
  test("a base of a name with dashes in its middle", () => {
    expect(new Harness().post(configMaps, { metadata: { generateName: `${"-".repeat(200_000)}x` } }).status).toBe(422);
    expect(new Harness().post(configMaps, { metadata: { generateName: "good-" } }).status).toBe(201);
  });

  test("a continue token with padding in its middle", () => {
    expect(new Harness().get(`${configMaps}?continue=${"=".repeat(60_000)}x`).status).toBe(400);
  });

  test.each([
    "1e999999999",
    "1e-999999999",
    "1e99999999999999999999",
    "9".repeat(100_000),
    `0.${"0".repeat(100_000)}1`,
  ])("the quantity %.20s", (cpu) => {
    const { status, body } = new Harness().post("/api/v1/nodes", {
      metadata: { name: "a" },
      status: { capacity: { cpu } },
    });
    expect(status).toBe(400);
    expect(body.message).toContain("quantities must match the regular expression");
  });
});

describe("nesting", () => {
  const nested = (depth: number): string =>
    `{"metadata":{"name":"a"},"x":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`;

  test("is followed to a thousand levels, and refused in the words of the API server beyond", () => {
    expect(new Harness().post(configMaps, nested(999)).status).toBe(201);
    for (const depth of [1_000, 9_990, 100_000])
      expect(new Harness().post(configMaps, nested(depth)).body.message).toContain(
        "json parse error: invalid character '{' exceeded max depth",
      );
    expect(populated().merge(`${jobs}/a`, nested(5_000)).body).toMatchObject({
      code: 400,
      message: "invalid JSON patch",
    });
  });

  test("of what is written into managedFields does no harm", () => {
    const fieldsV1 = JSON.parse(`${'{"a":'.repeat(990)}1${"}".repeat(990)}`) as object;
    expect(new Harness().post(configMaps, configMap("a", { managedFields: [{ fieldsV1 }] })).status).toBe(201);
  });
});

describe("an object that is larger than etcd takes", () => {
  const annotated = (bytes: number): object => ({
    spec: {
      template: {
        spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox", args: ["x".repeat(bytes)] }] },
      },
    },
  });
  const refusal = { status: "Failure", message: "etcdserver: request is too large", code: 500 };

  test("is refused as the API server refuses it", () => {
    expect(new Harness().post(jobs, { ...job("a"), ...annotated(MAX_OBJECT_BYTES) }).body).toMatchObject(refusal);
    expect(new Harness().post(jobs, { ...job("a"), ...annotated(MAX_OBJECT_BYTES - 10_000) }).status).toBe(201);
  });

  test("does not grow by patches either", () => {
    const harness = populated();
    const add = (name: string): number =>
      harness.merge(`${jobs}/a`, { metadata: { finalizers: list(20_000, (n) => `a.b/${name}-${"x".repeat(30)}${n}`) } })
        .status;
    expect(add("first")).toBe(200);
    expect(
      harness.strategic(`${jobs}/a`, {
        metadata: { finalizers: list(20_000, (n) => `a.b/second-${"x".repeat(30)}${n}`) },
      }).body,
    ).toMatchObject(refusal);
  });
});
