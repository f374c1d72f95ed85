/** Decoding of bodies: docs/spec/api.md 1.8, 6.6 and 6.7. */
import { describe, expect, test } from "vitest";
import { conform, normalize } from "../../../../cluster/apiserver/schema/decode.ts";
import { structType } from "../../../../cluster/apiserver/schema/schema.ts";
import { Harness, job, jobs } from "../harness.ts";

const send = (body: unknown, query = ""): { status: number; message: string } => {
  const { status, body: answer } = new Harness().post(`${jobs}${query}`, body);
  return { status, message: answer.message };
};

describe("bodies that are no Job", () => {
  const refused: readonly (readonly [string, string, string])[] = [
    [
      "empty",
      "",
      "the object provided is unrecognized (must be of type Job): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    ],
    [
      "long",
      `{"a": "0123456789012345678901234567890", x}`,
      `the object provided is unrecognized (must be of type Job): couldn't get version/kind; json parse error: invalid character 'x' looking for beginning of object key string ({"a": "01234567890123456789012 ...)`,
    ],
    [
      "long, and no object",
      " ".repeat(3_000_000),
      `the object provided is unrecognized (must be of type Job): couldn't get version/kind; json parse error: unexpected end of JSON input (${"20".repeat(30)} ...)`,
    ],
    [
      "characters of several bytes",
      "ü".repeat(16),
      `the object provided is unrecognized (must be of type Job): couldn't get version/kind; json parse error: invalid character 'Ã' looking for beginning of value (${"c3bc".repeat(15)} ...)`,
    ],
    [
      "no object",
      "abc",
      "the object provided is unrecognized (must be of type Job): couldn't get version/kind; json parse error: invalid character 'a' looking for beginning of value (616263)",
    ],
    [
      "another version",
      `{"apiVersion":"batch/v2","kind":"Job"}`,
      'Job in version "v2" cannot be handled as a Job: no kind "Job" is registered for version "batch/v2" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      "another kind",
      `{"apiVersion":"v1","kind":"Pod"}`,
      'Pod in version "v1" cannot be handled as a Job: converting (v1.Pod) to (batch.Job): unknown conversion',
    ],
  ];
  for (const [name, body, message] of refused) test(name, () => expect(send(body)).toEqual({ status: 400, message }));
});

test("a body that is nested too deep", () => {
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const) {
    const body = `{"spec":${open.repeat(200_000)}1${close.repeat(200_000)}}`;
    expect(send(body).message).toContain("exceeded max depth");
  }
});

describe("values of the wrong type", () => {
  const prefix = 'Job in version "v1" cannot be handled as a Job: ';
  const refused: readonly (readonly [object, string])[] = [
    [{ parallelism: "x" }, "json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32"],
    [
      { parallelism: 1.5 },
      "json: cannot unmarshal number 1.5 into Go struct field JobSpec.spec.parallelism of type int32",
    ],
    [
      { parallelism: 3000000000 },
      "json: cannot unmarshal number 3000000000 into Go struct field JobSpec.spec.parallelism of type int32",
    ],
    [{ suspend: "yes" }, "json: cannot unmarshal string into Go struct field JobSpec.spec.suspend of type bool"],
    [
      { template: { spec: { containers: {} } } },
      "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
    ],
    [
      { template: { spec: { containers: [{ image: 1 }] } } },
      "json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.image of type string",
    ],
    [
      { template: { spec: { restartPolicy: 1, containers: [] } } },
      "json: cannot unmarshal number into Go struct field PodSpec.spec.template.spec.restartPolicy of type v1.RestartPolicy",
    ],
    [
      { template: { metadata: { labels: { a: 1 } } } },
      "json: cannot unmarshal number into Go struct field ObjectMeta.spec.template.metadata.labels of type string",
    ],
    [
      { template: { spec: { containers: [{ resources: { limits: { cpu: "x" } } }] } } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ];
  for (const [spec, message] of refused)
    test(message, () => expect(send(job("j", spec))).toEqual({ status: 400, message: prefix + message }));

  test("a time", () => {
    const { body } = new Harness().post(jobs, job("j", {}, { creationTimestamp: "nope" }));
    expect(body.message).toBe(
      `${prefix}parsing time "nope" as "2006-01-02T15:04:05Z07:00": cannot parse "nope" as "2006"`,
    );
  });
});

describe("fieldValidation", () => {
  const text = `{"metadata":{"name":"j"},"spec":{"parallelism":1,"parallelism":3,"template":{"spec":{"containers":[{"name":"c","image":"b","imagee":"x"}],"restartPolicy":"Never"}}}}`;

  test("Warn is the default: one warning for each problem, the last duplicate counts", () => {
    const { status, headers, body } = new Harness().post(jobs, text);
    expect(status).toBe(201);
    expect(headers["warning"]).toEqual([
      '299 - "duplicate field \\"spec.parallelism\\""',
      '299 - "unknown field \\"spec.template.spec.containers[0].imagee\\""',
    ]);
    expect(body.spec.parallelism).toBe(3);
    expect(body.spec.template.spec.containers[0]).not.toHaveProperty("imagee");
  });

  test("Ignore says nothing", () => {
    expect(new Harness().post(`${jobs}?fieldValidation=Ignore`, text).headers).not.toHaveProperty("warning");
  });

  test("Strict refuses", () => {
    expect(send(text, "?fieldValidation=Strict")).toEqual({
      status: 400,
      message:
        'Job in version "v1" cannot be handled as a Job: strict decoding error: duplicate field "spec.parallelism", unknown field "spec.template.spec.containers[0].imagee"',
    });
  });

  test("unknown fields are named in the order of the document", () => {
    const spec = { one: 1, template: { spec: { two: 2 }, three: 3 }, four: 4 };
    expect(send({ ...job("j"), spec }, "?fieldValidation=Strict").message).toMatch(
      /: unknown field "spec\.one", unknown field "spec\.template\.spec\.two", unknown field "spec\.template\.three", unknown field "spec\.four"$/,
    );
  });

  test("names are case-sensitive", () => {
    expect(send({ ...job("j"), Spec: {} }, "?fieldValidation=Strict").message).toContain('unknown field "Spec"');
  });

  test("another level", () => {
    expect(send(job("j"), "?fieldValidation=Bogus")).toEqual({
      status: 422,
      message:
        'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Bogus": supported values: "", "Ignore", "Strict", "Warn"',
    });
  });
});

describe("the written form", () => {
  const podSpec = structType("PodSpec");

  test("null is unset; empty optional fields and zero values that mean unset are dropped", () => {
    const given = {
      volumes: [],
      nodeSelector: {},
      hostNetwork: false,
      hostname: "",
      subdomain: null,
      containers: [{ name: "c", image: "b", resources: {}, stdin: false }],
      activeDeadlineSeconds: 0,
    };
    expect(normalize(given, podSpec)).toEqual({
      containers: [{ name: "c", image: "b", resources: {} }],
      activeDeadlineSeconds: 0,
    });
  });

  test("members come in Go's order, maps sorted", () => {
    const given = { restartPolicy: "Never", nodeSelector: { b: "1", a: "2" }, containers: [{ image: "b", name: "c" }] };
    expect(JSON.stringify(normalize(given, podSpec))).toBe(
      '{"containers":[{"name":"c","image":"b","resources":{}}],"restartPolicy":"Never","nodeSelector":{"a":"2","b":"1"}}',
    );
  });

  test("an object in written form comes back as the same object", () => {
    const given = normalize({ containers: [{ name: "c", image: "b" }], restartPolicy: "Never" }, podSpec);
    expect(normalize(given, podSpec)).toBe(given);
  });

  test("pointers keep their zero and empty values", () => {
    const status = { ready: 0, terminating: 0, active: 0, failedIndexes: "", completedIndexes: "" };
    expect(conform(status, structType("JobStatus")).object).toEqual({ terminating: 0, failedIndexes: "", ready: 0 });
    expect(conform({ succeededIndexes: "" }, structType("SuccessPolicyRule")).object).toEqual({ succeededIndexes: "" });
  });

  test("times become UTC, MicroTimes need six digits", () => {
    const time = conform({ startTime: "2026-01-01T02:00:00.5+02:00" }, structType("JobStatus")).object;
    expect(time).toEqual({ startTime: "2026-01-01T00:00:00Z" });
    expect(() => conform({ renewTime: "2026-01-01T00:00:00Z" }, structType("LeaseSpec"))).toThrow(
      'parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    );
  });
});
