/** ValidatingAdmissionPolicies: where they hold, what they may ask, and what comes of an objection. */
import { beforeEach, describe, expect, test } from "vitest";
import { chain } from "../../../../cluster/apiserver/admission-plugins/chain.ts";
import { validatingPolicies } from "../../../../cluster/apiserver/admission-plugins/policies.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { configMap, configMaps, Harness } from "../harness.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const rule = { operations: ["*"], apiGroups: [""], apiVersions: ["*"], resources: ["configmaps"] };

let harness: Harness;
beforeEach(() => {
  harness = new Harness({ moreResources, plugins: chain([validatingPolicies]) });
});

function policy(spec: object, binding: object = {}, name = "p"): void {
  const made = harness.post(`${GROUP}/validatingadmissionpolicies`, {
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [rule] }, ...spec },
  });
  expect(made.body).toMatchObject({ metadata: { name } });
  const bound = harness.post(`${GROUP}/validatingadmissionpolicybindings`, {
    metadata: { name: `${name}-b` },
    spec: { policyName: name, validationActions: ["Deny"], ...binding },
  });
  expect(bound.body).toMatchObject({ metadata: { name: `${name}-b` } });
}

const never = { validations: [{ expression: "false" }] };
const refused = (message: string): object => ({
  status: 422,
  body: {
    reason: "Invalid",
    message: `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: ${message}`,
  },
});
const post = (metadata: object = {}, data?: Record<string, string>): any =>
  harness.post(configMaps, configMap("c", metadata, data));

test("an expression that costs too much objects; when nothing is left for the others, that is all they say", () => {
  const data = { list: Array.from({ length: 400 }, () => "x").join(",") };
  const loop = "object.data.list.split(',')";
  policy({ validations: [{ expression: `${loop}.all(a, ${loop}.all(b, ${loop}.all(c, a == c)))` }] });
  expect(post({}, data).body.message).toContain("resulted in error: operation cancelled: actual cost limit exceeded");
  const costly = { expression: `${loop}.all(a, ${loop}.all(b, a == b || a != ''))` };
  policy({ validations: Array.from({ length: 40 }, () => costly) }, {}, "o");
  expect(post({}, data).body.message).toBe(
    "configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'o' with binding 'o-b' denied request: " +
      "validation failed due to running out of cost budget, no further validation rules will be run",
  );
});

describe("an objection", () => {
  const texts: Readonly<Record<string, readonly [validation: object, message: string]>> = {
    "says the expression": [{ expression: " 1 == 2 " }, "failed expression: 1 == 2"],
    "says the message": [{ expression: "false", message: " no! " }, "no!"],
    "says what an expression makes": [
      { expression: "false", message: "no!", messageExpression: "'no ' + object.metadata.name" },
      "no c",
    ],
    "falls back from an expression that fails": [
      { expression: "false", message: "no!", messageExpression: "string(object.none)" },
      "no!",
    ],
    "falls back from a text of two lines": [
      { expression: "false", message: "no!", messageExpression: "'a\\nb'" },
      "no!",
    ],
    "falls back from a text that is too long": [
      { expression: "false", message: "no!", messageExpression: `'${"x".repeat(5121)}'` },
      "no!",
    ],
  };
  test.each(Object.entries(texts))("%s", (_name, [validation, message]) => {
    policy({ validations: [validation] });
    expect(post()).toMatchObject(refused(message));
    expect(harness.get(`${configMaps}/c`).status).toBe(404);
  });

  test("has a reason, and the code of that", () => {
    policy({ validations: [{ expression: "false", reason: "Forbidden" }] });
    expect(post()).toMatchObject({ status: 403, body: { reason: "Forbidden", code: 403 } });
  });

  test("only warns, or is not reported", () => {
    policy(never, { validationActions: ["Warn", "Audit"] });
    policy(never, { validationActions: ["Audit"] }, "q");
    const { status, headers } = post();
    expect([status, headers["warning"]]).toEqual([
      201,
      [`299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-b': failed expression: false"`],
    ]);
  });

  test("does not come from a policy without a binding", () => {
    policy(never, { policyName: "other" });
    expect(post().status).toBe(201);
  });
});

describe("what cannot be evaluated", () => {
  const broken = { validations: [{ expression: "object.data.k == 'v'" }] };
  test("refuses", () => {
    policy(broken);
    expect(post()).toMatchObject(refused("expression 'object.data.k == 'v'' resulted in error: no such key: data"));
  });
  test("or is ignored", () => {
    policy({ ...broken, failurePolicy: "Ignore" });
    expect(post().status).toBe(201);
    // But what can be evaluated still counts.
    expect(harness.merge(`${configMaps}/c`, { data: { k: "w" } }).status).toBe(422);
  });
  test("a condition that fails counts only if no other one does not hold", () => {
    const failing = { name: "f", expression: "object.none == 1" };
    policy({ ...never, matchConditions: [failing, { name: "n", expression: "object.metadata.name != 'c'" }] });
    expect(post().status).toBe(201);
    policy({ ...never, matchConditions: [failing] }, {}, "q");
    expect(harness.post(configMaps, configMap("d")).body.message).toContain(
      "expression 'object.none == 1' resulted in error: no such key: none",
    );
  });
});

describe("expressions may ask", () => {
  const asked: Readonly<Record<string, string>> = {
    "the object": "object.metadata.name == 'c' && oldObject == null",
    "the request": "request.operation == 'CREATE' && request.resource.resource == 'configmaps' && !request.dryRun",
    "the namespace": "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'default'",
    variables: "variables.twice == 'cc' && variables.name == 'c'",
  };
  test.each(Object.entries(asked))("%s", (_name, expression) => {
    const variables = [
      { name: "name", expression: "object.metadata.name" },
      { name: "twice", expression: "variables.name + variables.name" },
      { name: "unused", expression: "object.none" },
    ];
    policy({ variables, validations: [{ expression }, { expression: `!(${expression})`, message: "it holds" }] });
    expect(post()).toMatchObject(refused("it holds"));
  });

  test("a variable that fails says which one", () => {
    policy({
      variables: [{ name: "v", expression: "object.none" }],
      validations: [{ expression: "variables.v == 1" }],
    });
    const why = `composited variable "v" fails to evaluate: no such key: none`;
    expect(post()).toMatchObject(refused(`expression 'variables.v == 1' resulted in error: ${why}`));
  });

  test("the object before an update, and a deleted one", () => {
    policy({ validations: [{ expression: "oldObject == null || 'free' in oldObject.metadata.labels" }] });
    post({ labels: { a: "b" } });
    expect(harness.merge(`${configMaps}/c`, { data: { k: "v" } }).status).toBe(422);
    expect(harness.delete(`${configMaps}/c`).status).toBe(422);
    harness.post(configMaps, configMap("d", { labels: { free: "yes" } }));
    expect(harness.delete(`${configMaps}/d`).status).toBe(200);
  });
});

describe("a policy is about", () => {
  const other = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "other" } } };
  const places: Readonly<Record<string, readonly [constraints: object, binding: object, holds: boolean]>> = {
    "all of a resource": [{}, {}, true],
    "not what is left out": [{ excludeResourceRules: [rule] }, {}, false],
    "objects of a name": [{ resourceRules: [{ ...rule, resourceNames: ["c"] }] }, {}, true],
    "not objects of other names": [{ resourceRules: [{ ...rule, resourceNames: ["d"] }] }, {}, false],
    "not another namespace": [other, {}, false],
    "what its binding says": [{}, { matchResources: { resourceRules: [rule] } }, true],
    "not another namespace, by its binding": [{}, { matchResources: other }, false],
    "not what its binding leaves out": [{}, { matchResources: { excludeResourceRules: [rule] } }, false],
    "not another label": [{ objectSelector: { matchLabels: { a: "b" } } }, {}, false],
  };
  test.each(Object.entries(places))("%s", (_name, [constraints, binding, holds]) => {
    policy({ ...never, matchConstraints: { resourceRules: [rule], ...constraints } }, binding);
    expect(post().status).toBe(holds ? 422 : 201);
  });

  test("never policies", () => {
    policy({ ...never, matchConstraints: { resourceRules: [{ ...rule, apiGroups: ["*"], resources: ["*"] }] } });
    expect(harness.delete(`${GROUP}/validatingadmissionpolicies/p`).status).toBe(200);
  });
});

describe("parameters", () => {
  const limit = {
    matchConstraints: { resourceRules: [{ ...rule, operations: ["CREATE"] }] },
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    validations: [{ expression: "object.metadata.name in params.data", message: "not in the list" }],
    matchConditions: [{ name: "no-params", expression: "!has(object.metadata.labels)" }],
  };
  const param = (name: string, data: Record<string, string>): unknown =>
    harness.post(configMaps, configMap(name, { labels: { list: "yes" } }, data));
  const denied = { parameterNotFoundAction: "Deny" };

  test("are found by name, in the namespace of the object", () => {
    policy(limit, { paramRef: { name: "list", ...denied } });
    expect(post()).toMatchObject(
      refused("failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"),
    );
  });
  test("decide", () => {
    param("list", { d: "" });
    policy(limit, { paramRef: { name: "list", namespace: "default", ...denied } });
    expect(post()).toMatchObject(refused("not in the list"));
    expect(harness.post(configMaps, configMap("d")).status).toBe(201);
  });
  test("found by labels, each has to agree", () => {
    param("one", { c: "" });
    param("two", { d: "" });
    policy(limit, { paramRef: { selector: { matchLabels: { list: "yes" } }, ...denied } });
    expect(post()).toMatchObject(refused("not in the list"));
    harness.delete(`${configMaps}/two`);
    expect(post().status).toBe(201);
  });
  test("that may be missing are no error", () => {
    policy(limit, { paramRef: { name: "list", parameterNotFoundAction: "Allow" } });
    expect(post().status).toBe(201);
  });
  test("that a binding does not name are null", () => {
    policy({ ...limit, validations: [{ expression: "params != null", message: "none" }] });
    expect(post()).toMatchObject(refused("none"));
  });
  test("of a kind that is not served", () => {
    policy(
      { ...limit, paramKind: { apiVersion: "example.com/v1", kind: "List" } },
      { paramRef: { name: "list", ...denied } },
    );
    expect(post().body.message).toBe(
      `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=List'`,
    );
  });
});
