/**
 * The policies of `stint lint --emit-policy` say of each vector of their rules what lint says of it: the in-memory API
 * server creates the Job or the CronJob with the policies in place, and its warnings are looked at.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { LintCode } from "../../../../bindings/js/abi.ts";
import { chain } from "../../../../cluster/apiserver/admission-plugins/chain.ts";
import { validatingPolicies } from "../../../../cluster/apiserver/admission-plugins/policies.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { policiesOf, type PolicyOptions, unsaidRules } from "../../../../host-node/cli/lint/policy/policies.ts";
import { POLICY_RULES } from "../../../../host-node/cli/lint/policy/rules.ts";
import { newEngine } from "../../../bindings/js/vector-files.ts";
import { Harness } from "../../../cluster/apiserver/harness.ts";
import { codesIn, policyPath, policyVectors, strayNames, type PolicyVector } from "./policy-vectors.ts";

const DEFAULT: PolicyOptions = { rule: {}, managers: undefined, gitOps: false };

let engine: Awaited<ReturnType<typeof newEngine>>;
beforeAll(async () => {
  engine = await newEngine();
});

/** The codes that the API server names when it creates the object. */
function spokenOf({ object, resource, options }: PolicyVector): readonly string[] {
  const harness = new Harness({
    moreResources,
    plugins: chain([validatingPolicies]),
    admission: (review) => engine.review(review),
  });
  for (const policy of policiesOf(options) as any[])
    expect(harness.post(policyPath(policy.kind), policy)).toMatchObject({ status: 201 });
  const { status, headers, body } = harness.post(`/apis/batch/v1/namespaces/default/${resource}`, object);
  const spoken = codesIn([headers["warning"] ?? [], status === 201 ? [] : String(body.message)].flat());
  if (spoken.length === 0) expect([status, body]).toMatchObject([201, {}]);
  return spoken;
}

describe.each(Object.keys(POLICY_RULES))("%s", (code) => {
  const vectors = policyVectors.filter((vector) => vector.code === code);
  test("has vectors in which it speaks, and others", () => {
    expect(new Set(vectors.map(({ speaks }) => speaks)).size).toBe(2);
  });
  test.each(vectors)("$name", (vector) => {
    expect(spokenOf(vector).includes(code)).toBe(vector.speaks);
  });
});

test("each exception is a vector", () => {
  expect(strayNames).toEqual([]);
});

test("each rule has an expression, or is named as one that has none", () => {
  expect([...Object.keys(POLICY_RULES), ...unsaidRules].toSorted()).toEqual(Object.values(LintCode).toSorted());
});

describe("policies", () => {
  const namesOf = (options: PolicyOptions): readonly string[] =>
    policiesOf(options).map(({ kind, metadata }: any) => `${kind} ${metadata.name}`);

  test("are made for each kind and severity that has a rule, each with its binding", () => {
    expect(namesOf(DEFAULT)).toEqual([
      "ValidatingAdmissionPolicy stint-lint-jobs-warn",
      "ValidatingAdmissionPolicyBinding stint-lint-jobs-warn",
      "ValidatingAdmissionPolicy stint-lint-cronjobs-warn",
      "ValidatingAdmissionPolicyBinding stint-lint-cronjobs-warn",
      "ValidatingAdmissionPolicy stint-lint-cronjobs-deny",
      "ValidatingAdmissionPolicyBinding stint-lint-cronjobs-deny",
    ]);
  });

  test("leave out what is off, and deny what the settings deny", () => {
    const off = Object.fromEntries(Object.keys(POLICY_RULES).map((code) => [code, "off"]));
    expect(namesOf({ ...DEFAULT, rule: off })).toEqual([]);
    const [policy, binding] = policiesOf({ ...DEFAULT, rule: { ...off, NoTimeToLive: "deny" } }) as any[];
    expect(policy.spec.validations.map(({ message }: any) => message)).toEqual([
      expect.stringMatching(/^NoTimeToLive: /),
    ]);
    expect(policy.spec.variables.map(({ name }: any) => name)).toEqual([
      "spec",
      "labels",
      "annotations",
      "isHelmHook",
      "isArgoHook",
      "isUnderGitOps",
    ]);
    expect([policy.spec.failurePolicy, binding.spec.validationActions]).toEqual(["Fail", ["Deny"]]);
  });
});
