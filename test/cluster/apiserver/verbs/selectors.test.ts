/** Label and field selectors: docs/spec/api.md 6.5. */
import { describe, expect, test } from "vitest";
import { parseFieldSelector, parseLabelSelector } from "../../../../cluster/apiserver/verbs/selectors.ts";
import type { KubeObject } from "../../../../cluster/values/types.ts";
import { configMap, configMaps, Harness, job, jobs } from "../harness.ts";

describe("label selectors", () => {
  const labels = { a: "1", b: "", n: "7" };
  const cases: readonly (readonly [string, boolean])[] = [
    ["a=1", true],
    ["a==1", true],
    ["a=2", false],
    ["a!=1", false],
    ["a!=2", true],
    ["x!=1", true],
    ["a", true],
    ["x", false],
    ["!x", true],
    ["!a", false],
    ["a in (1,2)", true],
    ["a in (2)", false],
    ["x in (1)", false],
    ["a notin (1)", false],
    ["x notin (1)", true],
    ["b=", true],
    ["a=", false],
    ["n>5", true],
    ["n<5", false],
    ["a=1,n>5", true],
    ["a=1,x", false],
    ["", true],
    [" a = 1 , ! x ", true],
    ["in=1", false],
    ["a in (1,)", true],
  ];
  for (const [selector, matches] of cases) {
    test(`"${selector}"`, () => expect(parseLabelSelector(selector)?.(labels) ?? true).toBe(matches));
  }

  const refused: readonly (readonly [string, string])[] = [
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    [",a", "found ',', expected: !, identifier, or 'end of string'"],
    ["a,", "found '', expected: identifier after ','"],
    ["a in 1", "unable to parse requirement: found '1' expected: '('"],
    [
      "a>x",
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ];
  for (const [selector, message] of refused) {
    test(`"${selector}" is refused`, () => {
      const { status, body } = new Harness().get(`${jobs}?labelSelector=${encodeURIComponent(selector)}`);
      expect([status, body.message]).toEqual([400, message]);
    });
  }

  test("a bad key", () => {
    expect(() => parseLabelSelector("-bad-")).toThrow(
      'unable to parse requirement: <nil>: Invalid value: "-bad-": name part must consist of',
    );
  });
});

describe("field selectors", () => {
  const fields = {
    labels: { "metadata.name": (object: KubeObject) => object.metadata.name },
    unsupported: (label: string) => `no ${label}`,
  };
  const named = (name: string): KubeObject => ({ metadata: { name } }) as KubeObject;

  test("equality, inequality, escapes", () => {
    expect(parseFieldSelector("metadata.name=a", fields)?.matches(named("a"))).toBe(true);
    expect(parseFieldSelector("metadata.name==a", fields)?.name).toBe("a");
    expect(parseFieldSelector("metadata.name!=a", fields)?.matches(named("a"))).toBe(false);
    expect(parseFieldSelector("metadata.name!=a", fields)?.name).toBeUndefined();
    expect(parseFieldSelector("metadata.name=a\\,b\\=c", fields)?.matches(named("a,b=c"))).toBe(true);
    expect(parseFieldSelector("metadata.name=a,metadata.name!=b", fields)?.matches(named("a"))).toBe(true);
    expect(parseFieldSelector("", fields)).toBeUndefined();
  });

  test("no operator", () => {
    const { status, body } = new Harness().get(`${jobs}?fieldSelector=foo`);
    expect([status, body.message]).toEqual([400, "invalid selector: 'foo'; can't understand 'foo'"]);
  });

  test("the text for an unsupported field depends on the kind", () => {
    const harness = new Harness();
    expect(harness.get("/api/v1/pods?fieldSelector=x%3Dy").body.message).toBe("field label not supported: x");
    expect(harness.get(`${configMaps}?fieldSelector=x%3Dy`).body.message).toBe(
      '"x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  test("select in a list", () => {
    const harness = new Harness();
    for (const name of ["a", "b"]) harness.post(jobs, job(name));
    harness.merge(`${jobs}/b/status`, { status: { succeeded: 2 } });
    const names = (query: string): string[] =>
      harness.get(`${jobs}?${query}`).body.items.map((item: KubeObject) => item.metadata.name);
    expect(names("fieldSelector=metadata.name%3Da")).toEqual(["a"]);
    expect(names("fieldSelector=status.successful%3D2")).toEqual(["b"]);
    expect(names("fieldSelector=status.successful!%3D2")).toEqual(["a"]);
    harness.post(configMaps, configMap("a"));
    expect(harness.get("/api/v1/configmaps?fieldSelector=metadata.name%3Da").body.items).toHaveLength(1);
  });
});
