/** Roles and bindings that count, from the first request on. test/kubernetes/access.test.ts compares with upstream. */
import { beforeEach, describe, expect, test } from "vitest";
import { authorizeBy } from "../../../../cluster/apiserver/access/authorize.ts";
import { createBootstrapObjects } from "../../../../cluster/bootstrap/cluster-roles.ts";
import { escalation } from "../../../../cluster/apiserver/access/escalation.ts";
import { rbac } from "../../../../cluster/apiserver/access/rbac.ts";
import { chain } from "../../../../cluster/apiserver/admission-plugins/chain.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import type { Method } from "../../../../bindings/js/host.ts";
import { clusterRoleController } from "../../../../cluster/controllers/cluster-role-controller/cluster-role-controller.ts";
import { Harness, jobs } from "../harness.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";

let harness: Harness;
beforeEach(() => {
  harness = new Harness({ moreResources, authorize: authorizeBy(rbac), plugins: chain([escalation]) });
  createBootstrapObjects(harness.cluster);
});

function as(name: string, method: Method, path: string, body?: object): any {
  const groups = name === "root" ? ["system:masters"] : ["system:authenticated"];
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = harness.cluster.handle({ method, path, headers: {}, user: { name, groups }, ...text });
  if (!("body" in response)) throw new Error(`${path} is answered with a stream`);
  return { status: response.status, body: JSON.parse(String(response.body)) };
}

const role = (name: string, verbs: readonly string[], labels: object = {}): object => ({
  metadata: { name, labels },
  rules: [{ apiGroups: ["batch"], resources: ["jobs"], verbs }],
});
const bound = (kind: string, roleName: string, user: string): object => ({
  metadata: { name: `${roleName}-${user}` },
  roleRef: { kind, name: roleName },
  subjects: [{ kind: "User", name: user }],
});

describe("role-based access control", () => {
  test("allows nothing without a role, and everything to members of system:masters", () => {
    expect(as("anna", "GET", jobs).body.message).toBe(
      'jobs.batch is forbidden: User "anna" cannot list resource "jobs" in API group "batch" in the namespace "default"',
    );
    expect(as("root", "GET", jobs).status).toBe(200);
    expect(as("anna", "GET", "/apis").status).toBe(200);
    expect(as("anna", "GET", "/none").status).toBe(403);
  });

  test("a binding counts from the next request on, in its namespace", () => {
    harness.namespace("other");
    as("root", "POST", `${RBAC}/namespaces/default/roles`, role("lister", ["list"]));
    expect(as("root", "POST", `${RBAC}/namespaces/default/rolebindings`, bound("Role", "lister", "anna")).status).toBe(
      201,
    );
    expect(as("anna", "GET", jobs).status).toBe(200);
    expect(as("anna", "GET", jobs.replace("default", "other")).status).toBe(403);
    expect(as("anna", "GET", "/apis/batch/v1/jobs").status).toBe(403);
    as("root", "DELETE", `${RBAC}/namespaces/default/rolebindings/lister-anna`);
    expect(as("anna", "GET", jobs).status).toBe(403);
  });

  test("components of the process may do everything", () => expect(harness.get(jobs).status).toBe(200));

  test("no user grants more rights than they have", () => {
    as(
      "root",
      "POST",
      `${RBAC}/namespaces/default/rolebindings`,
      bound("ClusterRole", "system:aggregate-to-admin", "anna"),
    );
    expect(as("anna", "POST", `${RBAC}/namespaces/default/roles`, role("more", ["get", "list"])).body.message).toBe(
      [
        'roles.rbac.authorization.k8s.io "more" is forbidden: user "anna" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:["batch"], Resources:["jobs"], Verbs:["get" "list"]}',
      ].join("\n"),
    );
  });

  test("a rule of very many rights is refused before they are looked for", () => {
    const list = Array.from({ length: 500 }, (_, place) => `x${place}`);
    const rules = [{ apiGroups: list, resources: list, verbs: list, resourceNames: list }];
    const huge = { metadata: { name: "huge" }, rules };
    const rights = { apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"], verbs: ["create"] };
    as("root", "POST", `${RBAC}/clusterroles`, { metadata: { name: "writer" }, rules: [rights] });
    as("root", "POST", `${RBAC}/clusterrolebindings`, bound("ClusterRole", "writer", "anna"));
    as("root", "POST", `${RBAC}/clusterrolebindings`, bound("ClusterRole", "cluster-admin", "otto"));
    expect(as("anna", "POST", `${RBAC}/clusterroles`, huge).body.message).toContain(
      "its rules give 62500000000 rights",
    );
    expect(as("otto", "POST", `${RBAC}/clusterroles`, huge).status).toBe(201);
  });

  test("only a user with all rights creates an aggregated role", () => {
    const rights = { apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"] };
    const writer = { metadata: { name: "writer" }, rules: [{ ...rights, verbs: ["create", "update"] }] };
    const all = { metadata: { name: "all" }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } };
    const roles = `${RBAC}/clusterroles`;
    as("root", "POST", roles, writer);
    as("root", "POST", `${RBAC}/clusterrolebindings`, bound("ClusterRole", "writer", "anna"));
    as("root", "POST", `${RBAC}/clusterrolebindings`, bound("ClusterRole", "cluster-admin", "otto"));
    const refused = (name: string): string =>
      `clusterroles.rbac.authorization.k8s.io "${name}" is forbidden: must have cluster-admin privileges to use the aggregationRule`;
    expect(as("anna", "POST", roles, all).body.message).toBe(refused("all"));
    expect(as("anna", "PUT", `${roles}/writer`, { ...all, ...writer }).body.message).toBe(refused("writer"));
    expect(as("otto", "POST", roles, all).status).toBe(201);
    expect(as("anna", "PUT", `${roles}/all`, { metadata: { name: "all" } }).body.message).toBe(refused("all"));
    expect(as("anna", "PUT", `${roles}/writer`, { ...writer, rules: [] }).status).toBe(200);
  });

  test("a second question mark hides nothing of a request", () => {
    as("root", "POST", `${RBAC}/namespaces/default/roles`, role("lister", ["list"]));
    as("root", "POST", `${RBAC}/namespaces/default/rolebindings`, bound("Role", "lister", "anna"));
    expect(as("anna", "GET", `${jobs}?pretty=?`).status).toBe(200);
    expect(as("anna", "GET", `${jobs}?pretty=?&watch=true`).status).toBe(403);
  });

  test("a role that aggregates gets the rules of those that it selects", () => {
    const controller = clusterRoleController({
      transport: harness.cluster.transport,
      clock: harness.clock,
      random: () => 0.5,
      onProblem: () => {},
    });
    controller.start();
    const rulesOfView = (): any[] => {
      harness.clock.advance(1_000);
      return harness.get(`${RBAC}/clusterroles/view`).body.rules;
    };
    expect(rulesOfView()).toHaveLength(12);
    const label = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };
    as("root", "POST", `${RBAC}/clusterroles`, role("more", ["watch"], label));
    expect(rulesOfView()).toHaveLength(13);
    as("root", "DELETE", `${RBAC}/clusterroles/more`);
    expect(rulesOfView()).toHaveLength(12);
    expect(harness.get(`${RBAC}/clusterroles/admin`).body.rules.length).toBeGreaterThan(25);
    controller.stop();
  });
});
