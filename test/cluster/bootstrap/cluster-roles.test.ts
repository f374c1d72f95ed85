/** The roles that only some clusters have (test/kubernetes/access.test.ts compares all others). */
import { expect, test } from "vitest";
import { moreResources } from "../../../cluster/apiserver/registry/more-resources.ts";
import { createBootstrapObjects } from "../../../cluster/bootstrap/cluster-roles.ts";
import { Harness } from "../apiserver/harness.ts";

const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const PROTECTION = "system:controller:podgroup-protection-controller";

/** The verbs that each role has for PodGroups and Workloads. */
function rights(gangScheduling: boolean): { [role: string]: { [resource: string]: string } } {
  const h = new Harness({ gangScheduling, moreResources });
  createBootstrapObjects(h.cluster);
  const rows = h
    .get(ROLES)
    .body.items.map(({ metadata, rules }: any) => [
      metadata.name,
      Object.fromEntries(
        (rules ?? [])
          .filter(({ apiGroups }: any) => apiGroups?.includes("scheduling.k8s.io"))
          .flatMap(({ resources, verbs }: any) => resources.map((resource: string) => [resource, verbs.join(" ")])),
      ),
    ]);
  expect(h.get(`/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${PROTECTION}`).status).toBe(
    gangScheduling ? 200 : 404,
  );
  return Object.fromEntries(rows.filter(([, resources]: any) => Object.keys(resources).length > 0));
}

test("with gang scheduling, users and controllers may use Workloads and PodGroups", () => {
  const everything = "create get list patch update watch";
  const write = "create delete deletecollection patch update";
  const read = "get list watch";
  expect(rights(true)).toEqual({
    "system:aggregate-to-edit": { podgroups: write, workloads: write },
    "system:aggregate-to-view": { podgroups: read, "podgroups/status": read, workloads: read },
    "system:controller:job-controller": { podgroups: everything, workloads: everything },
    [PROTECTION]: { podgroups: "get list update watch" },
    "system:kube-scheduler": { podgroups: read, "podgroups/status": "patch update" },
  });
  expect(rights(false)).toEqual({});
});

test("roles that came with 1.37 are not there before, nor are their rules", () => {
  const rolesOf = (kubernetes: "1.36" | "1.37"): Map<string, unknown[]> => {
    const h = new Harness({ moreResources, kubernetes });
    createBootstrapObjects(h.cluster);
    const { items } = h.get(ROLES).body;
    return new Map(items.map(({ metadata, rules }: any) => [metadata.name, rules]));
  };
  const [before, since] = [rolesOf("1.36"), rolesOf("1.37")];
  expect([...since.keys()].filter((name) => !before.has(name))).toEqual([
    "system:cluster-trust-bundle-discovery",
    "system:controller:kube-apiserver-serving-clustertrustbundle-publisher",
    "system:controller:podcertificaterequestcleaner",
    "system:controller:storage-version-migrator-controller",
  ]);
  const rule = { verbs: ["get", "list", "watch"], apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  const name = "system:controller:node-controller";
  expect([before.get(name)!.length, since.get(name)!.length, since.get(name)![4]]).toEqual([5, 6, rule]);
});
