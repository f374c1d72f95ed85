/**
 * Who may do what, on a real API server and on the in-memory one: the same users ask both for the same, one request
 * after another, and get the same answers. Both begin with the same roles and bindings.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Method } from "../../bindings/js/host.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import type { Cluster, User } from "../../cluster/index.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { ApiClient } from "./api-client.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { comparable } from "./both-servers.ts";
import { ADMIN, type ControlPlane, startControlPlane } from "./control-plane.ts";
import { TESTED_VERSION } from "./tested-version.ts";

const USERS: Readonly<Record<string, readonly string[]>> = {
  anna: ["team"],
  bob: [],
  carl: ["team", "others"],
};
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const RBAC_GROUP = "rbac.authorization.k8s.io";
const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
const AUTHENTICATION = "/apis/authentication.k8s.io/v1";

type Step = readonly [
  user: string,
  method: Method,
  path: string,
  body?: object | undefined,
  impersonation?: Readonly<Record<string, string>>,
];

const role = (name: string, rules: readonly object[], metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  rules,
});
const binding = (name: string, roleRef: object, subjects: readonly object[]): object => ({
  metadata: { name },
  roleRef,
  subjects,
});
const user = (name: string): object => ({ kind: "User", name });
const clusterRole = (name: string): object => ({ apiGroup: RBAC_GROUP, kind: "ClusterRole", name });
const ownRole = (name: string): object => ({ apiGroup: RBAC_GROUP, kind: "Role", name });
const jobs = { apiGroups: ["batch"], resources: ["jobs"] };

const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const CLUSTER_ROLES = `${RBAC}/clusterroles`;
const CLUSTER_BINDINGS = `${RBAC}/clusterrolebindings`;
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

const list = (verb: string, resource: string, namespace?: string): object => ({ verb, resource, namespace });
const mayI = (attributes: object): readonly ["POST", string, object] => [
  "POST",
  `${AUTHORIZATION}/selfsubjectaccessreviews`,
  { spec: { resourceAttributes: attributes } },
];
const sar = (spec: object, metadata?: object): Step => [
  ADMIN,
  "POST",
  `${AUTHORIZATION}/subjectaccessreviews`,
  { spec, ...(metadata && { metadata }) },
];
const local = (spec: object, namespace?: string): Step => [
  ADMIN,
  "POST",
  `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`,
  { spec, ...(namespace !== undefined && { metadata: { namespace } }) },
];

const SEQUENCES: Readonly<Record<string, readonly Step[]>> = {
  "a user without a role": [
    ["bob", "GET", "/version"],
    ["bob", "GET", "/healthz"],
    ["bob", "GET", "/metrics"],
    ["bob", "GET", JOBS],
    ["bob", "GET", `${JOBS}?watch=1`],
    ["bob", "GET", "/apis/batch/v1/jobs"],
    ["bob", "GET", `${JOBS}/j/status`],
    ["bob", "POST", JOBS, {}],
    ["bob", "PATCH", `${JOBS}/j`, {}],
    ["bob", "PUT", `${JOBS}/j`, {}],
    ["bob", "DELETE", JOBS],
    ["bob", "DELETE", `${JOBS}/j`],
    ["bob", "GET", "/api/v1/namespaces/default"],
    ["bob", "GET", "/api/v1/namespaces"],
    ["bob", "PUT", "/api/v1/namespaces/default/finalize", {}],
    ["bob", "GET", "/api/v1/nodes/n"],
    ["bob", "GET", "/api/v1/pods?fieldSelector=metadata.name%3Dp"],
    ["bob", "GET", "/apis/none.dev/v1/things"],
    ["bob", "GET", "/none/<such>"],
    ["bob", ...mayI(list("list", "pods"))],
    ["bob", "POST", `${AUTHORIZATION}/subjectaccessreviews`, { spec: { user: "x" } }],
  ],
  "who one is": [
    ["anna", "POST", `${AUTHENTICATION}/selfsubjectreviews`, {}],
    [ADMIN, "POST", `${AUTHENTICATION}/tokenreviews`, { spec: {} }],
    [ADMIN, "POST", `${AUTHENTICATION}/tokenreviews`, { spec: { token: "nobody's" } }],
    ["anna", "POST", `${AUTHENTICATION}/tokenreviews`, { spec: { token: "x" } }],
  ],
  "a role in a namespace": [
    [ADMIN, "POST", ROLES, role("reader", [{ ...jobs, verbs: ["get", "list"] }])],
    [ADMIN, "POST", BINDINGS, binding("readers", ownRole("reader"), [user("anna"), { kind: "Group", name: "others" }])],
    ["anna", "GET", JOBS],
    ["anna", "GET", "/apis/batch/v1/jobs"],
    ["anna", "GET", `${JOBS}/none`],
    ["anna", "GET", `${JOBS}/none/status`],
    ["carl", "GET", JOBS],
    ["bob", "GET", JOBS],
    ["anna", ...mayI({ verb: "list", group: "batch", resource: "jobs", namespace: "default" })],
    ["anna", ...mayI({ verb: "list", group: "batch", resource: "jobs" })],
    [ADMIN, "DELETE", `${ROLES}/reader`],
    ["anna", "GET", JOBS],
    ["anna", ...mayI({ verb: "list", group: "batch", resource: "jobs", namespace: "default" })],
  ],
  "names, subresources and wildcards": [
    [
      ADMIN,
      "POST",
      CLUSTER_ROLES,
      role("odd", [
        { apiGroups: ["batch"], resources: ["jobs"], resourceNames: ["one"], verbs: ["get", "list"] },
        { apiGroups: ["*"], resources: ["*/status"], verbs: ["get"] },
        { apiGroups: [""], resources: ["*"], verbs: ["list"] },
        { nonResourceURLs: ["/metrics", "/logs*"], verbs: ["*"] },
      ]),
    ],
    [ADMIN, "POST", CLUSTER_BINDINGS, binding("odd", clusterRole("odd"), [user("bob")])],
    ["bob", "GET", `${JOBS}/one`],
    ["bob", "GET", `${JOBS}/two`],
    ["bob", "GET", `${JOBS}?fieldSelector=metadata.name%3Done`],
    ["bob", "GET", `${JOBS}/two/status`],
    ["bob", "GET", "/api/v1/namespaces/default/configmaps?limit=1&labelSelector=none%3Dnone"],
    ["bob", "GET", "/api/v1/namespaces/default/configmaps/c"],
    ["bob", ...mayI(list("list", "pods/log"))],
    [
      "bob",
      "POST",
      `${AUTHORIZATION}/selfsubjectaccessreviews`,
      { spec: { nonResourceAttributes: { path: "/logs/a", verb: "post" } } },
    ],
    [
      "bob",
      "POST",
      `${AUTHORIZATION}/selfsubjectaccessreviews`,
      { spec: { nonResourceAttributes: { path: "/log", verb: "get" } } },
    ],
  ],
  "bodies of roles and bindings": [
    [ADMIN, "POST", ROLES, role("bad", [{}])],
    [ADMIN, "POST", ROLES, role("bad", [{ verbs: ["get"], nonResourceURLs: ["/x"] }])],
    [ADMIN, "POST", CLUSTER_ROLES, role("bad", [{ verbs: ["get"], nonResourceURLs: ["/x"], apiGroups: [""] }])],
    [ADMIN, "POST", CLUSTER_ROLES, { metadata: { name: "bad" }, aggregationRule: {} }],
    [ADMIN, "POST", ROLES, role("a:b", [{ ...jobs, verbs: ["get"] }])],
    [ADMIN, "POST", ROLES, role("a%b", [])],
    [ADMIN, "POST", BINDINGS, binding("bad", {}, [])],
    [ADMIN, "POST", BINDINGS, binding("bad", { kind: "Job", name: "a/b", apiGroup: "x" }, [])],
    [ADMIN, "POST", CLUSTER_BINDINGS, binding("bad", ownRole("r"), [{ kind: "ServiceAccount", name: "s" }])],
    [
      ADMIN,
      "POST",
      BINDINGS,
      binding("bad", ownRole("r"), [
        { kind: "User" },
        { kind: "Robot", name: "r" },
        { kind: "Group", name: "g", apiGroup: "x" },
        { kind: "ServiceAccount", name: "S", apiGroup: "x" },
      ]),
    ],
    [ADMIN, "POST", BINDINGS, binding("kept", ownRole("r"), [{ kind: "ServiceAccount", name: "s" }])],
    [ADMIN, "PATCH", `${BINDINGS}/kept`, { roleRef: { name: "other" } }],
    [ADMIN, "PATCH", `${BINDINGS}/kept`, { subjects: [user("x")] }],
    [ADMIN, "DELETE", `${BINDINGS}/kept`],
  ],
  "reviews": [
    sar({ user: "anna", resourceAttributes: list("list", "pods") }),
    sar({ groups: ["system:masters"], resourceAttributes: list("list", "pods") }),
    sar({
      user: "system:serviceaccount:kube-system:job-controller",
      resourceAttributes: { ...list("list", "jobs"), group: "batch" },
    }),
    sar({}),
    sar({ user: "a", resourceAttributes: {}, nonResourceAttributes: { path: "/x" } }),
    sar({ user: "a", nonResourceAttributes: { path: "/version", verb: "get" } }),
    local({ user: "a", resourceAttributes: list("get", "pods", "default") }, "default"),
    local({ user: "a", resourceAttributes: list("get", "pods", "other") }, "default"),
    local({ user: "a", nonResourceAttributes: { path: "/x" } }, "default"),
    ["bob", "POST", `${AUTHORIZATION}/selfsubjectrulesreviews`, { spec: {} }],
    [ADMIN, "GET", `${AUTHORIZATION}/selfsubjectrulesreviews`],
  ],
  "acting as others": [
    ["bob", "POST", `${AUTHENTICATION}/selfsubjectreviews`, {}, { "impersonate-user": "anna" }],
    [
      ADMIN,
      "POST",
      `${AUTHENTICATION}/selfsubjectreviews`,
      {},
      { "impersonate-user": "anna", "impersonate-group": "g" },
    ],
    [ADMIN, "POST", `${AUTHENTICATION}/selfsubjectreviews`, {}, { "impersonate-user": "system:serviceaccount:a:b" }],
    [
      ADMIN,
      "POST",
      `${AUTHENTICATION}/selfsubjectreviews`,
      {},
      { "impersonate-user": "x", "impersonate-uid": "u", "impersonate-extra-a%2fb": "c" },
    ],
    [ADMIN, "GET", JOBS, undefined, { "impersonate-group": "g" }],
    [ADMIN, "GET", JOBS, undefined, { "impersonate-uid": "g" }],
    [ADMIN, "GET", JOBS, undefined, { "impersonate-user": "system:anonymous" }],
    ["bob", "GET", JOBS, undefined, { "impersonate-user": "system:serviceaccount:a:b" }],
  ],
  "no user grants more rights than they have": [
    [
      ADMIN,
      "POST",
      CLUSTER_ROLES,
      role("giver", [
        { apiGroups: [RBAC_GROUP], resources: ["roles", "rolebindings"], verbs: ["*"] },
        { ...jobs, verbs: ["get"] },
      ]),
    ],
    [ADMIN, "POST", BINDINGS, binding("giver", clusterRole("giver"), [user("carl")])],
    ["carl", "POST", ROLES, role("same", [{ ...jobs, verbs: ["get"] }])],
    [
      "carl",
      "POST",
      ROLES,
      role("more", [
        { ...jobs, verbs: ["get", "list", "create"] },
        { apiGroups: [""], resources: ["pods", "pods/log"], resourceNames: ["p"], verbs: ["get"] },
      ]),
    ],
    ["carl", "PATCH", `${ROLES}/same`, { rules: [{ ...jobs, verbs: ["delete"] }] }],
    ["carl", "PATCH", `${ROLES}/same`, { metadata: { labels: { a: "b" } } }],
    ["carl", "POST", BINDINGS, binding("view", clusterRole("system:aggregate-to-admin"), [user("carl")])],
    ["carl", "POST", BINDINGS, binding("none", clusterRole("none-such"), [user("carl")])],
    ["carl", "POST", BINDINGS, binding("same", ownRole("same"), [user("bob")])],
  ],
};

describe.skipIf(whyUnavailable() !== undefined)("access on a real API server and on the in-memory one", () => {
  let controlPlane: ControlPlane;
  let cluster: Cluster;
  beforeAll(async () => {
    const users = Object.entries(USERS).map(([name, groups]) => ({ name, groups }));
    controlPlane = await startControlPlane({ users });
    ({ cluster } = await EmbeddedCluster.create({
      clock: new VirtualClock(Date.now()),
      nodes: [],
      jobController: false,
      kubernetes: TESTED_VERSION,
      servesClients: true,
      rbac: true,
      onFatal: (error) => {
        throw error;
      },
    }));
  });
  afterAll(() => controlPlane?.stop());

  async function upstream([name, method, path, body, headers = {}]: Step): Promise<unknown> {
    const { url, caFile } = controlPlane;
    const client = new ApiClient({ url, ca: readFileSync(caFile, "utf8"), token: controlPlane.token(name), headers });
    const { status, body: answer } = await client.request(method, path, body);
    client.close();
    return { status, body: comparable(answer) };
  }

  function stint([name, method, path, body, impersonation = {}]: Step): unknown {
    const groups = name === ADMIN ? ["system:masters"] : USERS[name]!;
    const asked: User = { name, groups: [...groups, "system:authenticated"], uid: name };
    const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { "content-type": contentType, "accept": "application/json", ...impersonation };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = cluster.handle({ method, path, headers, user: asked, ...text });
    if (!("body" in response)) throw new Error(`${method} ${path} is answered with a stream`);
    const isJson = response.headers["content-type"] === "application/json";
    const answer = isJson ? JSON.parse(String(response.body)) : String(response.body);
    return { status: response.status, body: comparable(answer) };
  }

  it.each(Object.entries(SEQUENCES))("%s", async (_name, steps) => {
    for (const step of steps)
      expect(essential(stint(step)), JSON.stringify(step)).toEqual(essential(await upstream(step)));
  });

  it.each(["clusterroles", "clusterrolebindings", "roles", "rolebindings"])("the first %s", async (resource) => {
    const step: Step = [ADMIN, "GET", `${RBAC}/${resource}?labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults`];
    expect(essential(stint(step))).toEqual(essential(await upstream(step)));
  });
});

/** The details of a build are the server's own, and its rules come in any order. */
function essential(answer: any): any {
  const { body } = answer;
  if (body?.gitVersion !== undefined) return { ...answer, body: { major: body.major, minor: body.minor } };
  return answer;
}
