/** Questions about users, and acting as another user. The expected answers are upstream's. */
import { describe, expect, test } from "vitest";
import { alwaysAllow, type Authorizer } from "../../../../cluster/apiserver/access/authorizer.ts";
import { authorizeBy } from "../../../../cluster/apiserver/access/authorize.ts";
import { reviewResources } from "../../../../cluster/apiserver/access/reviews.ts";
import type { User } from "../../../../cluster/index.ts";
import type { Method } from "../../../../bindings/js/host.ts";
import { Harness } from "../harness.ts";

const anna: User = { name: "anna", groups: ["team", "system:authenticated"], uid: "u-1" };
/** Everybody may ask who one is; anna may act as bob, and as the service account of a namespace. */
const few: Authorizer = {
  decide: ({ user, verb, target }) => ({
    isAllowed:
      (verb === "create" && typeof target === "object" && target.resource.startsWith("self")) ||
      (user.name === "anna" && verb === "impersonate" && typeof target === "object" && target.name !== "carl"),
    reason: "",
  }),
  rulesFor: () => ({
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
    errors: ["more may be there"],
  }),
};

function ask(
  authorizer: Authorizer,
  [method, path, body]: readonly [Method, string, object?],
  user: User = anna,
  headers: Record<string, string> = {},
): any {
  const tokens = new Map([["annas-token", anna]]);
  const access = { authorizer, tokenOwner: (token: string) => ({ user: tokens.get(token), audiences: ["here"] }) };
  const { cluster } = new Harness({ moreResources: reviewResources(access), authorize: authorizeBy(authorizer) });
  const response = cluster.handle({ method, path, headers, user, body: JSON.stringify(body ?? {}) });
  if (!("body" in response)) throw new Error(`${path} is answered with a stream`);
  return { status: response.status, ...JSON.parse(String(response.body)), code: response.status };
}

const AUTHENTICATION = "/apis/authentication.k8s.io/v1";
const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
const whoAmI = ["POST", `${AUTHENTICATION}/selfsubjectreviews`] as const;
const podsOfA = { verb: "list", resource: "pods", namespace: "a" };

describe("SelfSubjectReview and TokenReview", () => {
  test("SelfSubjectReview answers with the caller", () =>
    expect(ask(alwaysAllow, whoAmI)).toMatchObject({
      code: 201,
      kind: "SelfSubjectReview",
      status: { userInfo: { username: "anna", uid: "u-1", groups: ["team", "system:authenticated"] } },
    }));
  test("TokenReview answers with the owner of a token", () =>
    expect(
      ask(alwaysAllow, ["POST", `${AUTHENTICATION}/tokenreviews`, { spec: { token: "annas-token" } }]).status,
    ).toEqual({ authenticated: true, user: expect.objectContaining({ username: "anna" }), audiences: ["here"] }));
  test("TokenReview of an unknown token has an error", () =>
    expect(ask(alwaysAllow, ["POST", `${AUTHENTICATION}/tokenreviews`, { spec: { token: "x" } }]).status).toEqual({
      user: {},
      error: "invalid bearer token",
    }));
  test("TokenReview without a token is refused", () =>
    expect(ask(alwaysAllow, ["POST", `${AUTHENTICATION}/tokenreviews`, { spec: {} }])).toMatchObject({
      code: 400,
      message: "token is required for TokenReview in authentication",
    }));
});

describe("an access review", () => {
  const decided = (kind: string, spec: object, authorizer = few): any =>
    ask(authorizer, ["POST", `${AUTHORIZATION}/${kind.toLowerCase()}s`, { spec }]).status;

  test("SelfSubjectAccessReview decides for the caller", () => {
    expect(decided("SelfSubjectAccessReview", { resourceAttributes: podsOfA })).toEqual({ allowed: false });
    expect(decided("SelfSubjectAccessReview", { resourceAttributes: podsOfA }, alwaysAllow)).toEqual({ allowed: true });
  });
  test("SubjectAccessReview decides for another user", () =>
    expect(decided("SubjectAccessReview", { user: "bob", resourceAttributes: podsOfA }, alwaysAllow)).toEqual({
      allowed: true,
    }));
  test("SelfSubjectRulesReview lists what the caller may do", () =>
    expect(decided("SelfSubjectRulesReview", { namespace: "a" })).toEqual({
      resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
      nonResourceRules: [],
      incomplete: false,
      evaluationError: "more may be there",
    }));
  test("an access review without attributes is refused", () =>
    expect(ask(alwaysAllow, ["POST", `${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: {} }])).toMatchObject({
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    }));
  test("an access review without a subject is refused", () =>
    expect(
      ask(alwaysAllow, ["POST", `${AUTHORIZATION}/subjectaccessreviews`, { spec: { resourceAttributes: podsOfA } }])
        .message,
    ).toContain('spec.user: Invalid value: "": at least one of user or group must be specified'));
  test("access reviews are not stored", () =>
    expect(ask(alwaysAllow, ["GET", `${AUTHORIZATION}/selfsubjectaccessreviews`]).code).toBe(405));
});

describe("who may not", () => {
  const cases: readonly (readonly [Method, string, string])[] = [
    [
      "GET",
      "/api/v1/pods",
      'pods is forbidden: User "anna" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    [
      "GET",
      "/apis/batch/v1/namespaces/y/jobs",
      'jobs.batch is forbidden: User "anna" cannot list resource "jobs" in API group "batch" in the namespace "y"',
    ],
    [
      "GET",
      "/api/v1/namespaces/y/pods/p/log",
      'pods "p" is forbidden: User "anna" cannot get resource "pods/log" in API group "" in the namespace "y"',
    ],
    [
      "GET",
      "/api/v1/namespaces/y",
      'namespaces "y" is forbidden: User "anna" cannot get resource "namespaces" in API group "" in the namespace "y"',
    ],
    [
      "DELETE",
      "/api/v1/namespaces/y/pods",
      'pods is forbidden: User "anna" cannot deletecollection resource "pods" in API group "" in the namespace "y"',
    ],
    [
      "GET",
      "/apis/nothing.dev/v1/things?watch=1",
      'things.nothing.dev is forbidden: User "anna" cannot watch resource "things" in API group "nothing.dev" at the cluster scope',
    ],
    [
      "GET",
      "/api/v1/namespaces/y/pods?fieldSelector=metadata.name%3Dp",
      'pods "p" is forbidden: User "anna" cannot list resource "pods" in API group "" in the namespace "y"',
    ],
    ["GET", "/metrics", 'forbidden: User "anna" cannot get path "/metrics"'],
  ];
  test.each(cases)("%s %s", (method, path, message) =>
    expect(ask(few, [method, path])).toMatchObject({ code: 403, reason: "Forbidden", message }),
  );
});

describe("impersonation", () => {
  const as = (headers: Record<string, string>, user = anna): any => ask(few, whoAmI, user, headers);
  test("impersonation takes a user and groups", () =>
    expect(
      as({ "impersonate-user": "bob", "impersonate-group": "a, b", "impersonate-extra-scope": "x" }).status.userInfo,
    ).toEqual({ username: "bob", groups: ["a", "b", "system:authenticated"], extra: { scope: ["x"] } }));
  test("an impersonated service account has its groups", () =>
    expect(as({ "impersonate-user": "system:serviceaccount:n:s" }).status.userInfo.groups).toEqual([
      "system:serviceaccounts",
      "system:serviceaccounts:n",
      "system:authenticated",
    ]));
  test("system:anonymous is impersonated as unauthenticated", () =>
    expect(as({ "impersonate-user": "system:anonymous" }).status.userInfo.groups).toEqual(["system:unauthenticated"]));
  test("impersonation without the right to it is refused", () =>
    expect(as({ "impersonate-user": "carl" })).toMatchObject({
      code: 403,
      message:
        'selfsubjectreviews.authentication.k8s.io is forbidden: User "anna" cannot impersonate-on:user-info:create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope',
    }));
  test("impersonation of a group without a user is refused", () =>
    expect(as({ "impersonate-group": "g" })).toMatchObject({
      code: 400,
      message:
        'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
    }));
});
