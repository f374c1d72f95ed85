/** The roles that only a cluster with gang scheduling has (test/kubernetes/access.test.ts compares all others). */
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
