/**
 * What the owner of an applied status owns besides. Source: GetResetFields of each kind's status in
 * k8s.io/kubernetes/pkg/registry. Where a write of the status keeps the metadata, nothing of it is owned.
 */
import { expect, test } from "vitest";
import { trackFields } from "../../../../cluster/apiserver/apply/tracking.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import type { ResourceDefinition } from "../../../../cluster/apiserver/contract/context.ts";
import { kindCases } from "../../../kubernetes/kinds/objects.ts";
import { pathOf } from "../../../kubernetes/kinds/play.ts";
import { Harness } from "../harness.ts";

const APPLY = { "content-type": "application/apply-patch+yaml" };

/** The fields of the metadata that an applied status with a label and an annotation owns. */
function ownedMetadata({ body: { kind, apiVersion } }: ResourceDefinition, resource: string): object | undefined {
  const harness = new Harness({ moreResources, fieldOwners: trackFields });
  const served = kindCases.find((one) => one.resource === resource)!;
  const object = Object.values(served.objects)[0]!;
  const { name } = object.metadata;
  expect(harness.post(pathOf(served), object).status).toBe(201);
  const metadata = { name, labels: { a: "b" }, annotations: { c: "d" } };
  const path = `${pathOf(served)}/${name}/status?fieldManager=me&force=true`;
  const applied = harness.send("PATCH", path, { kind, apiVersion, metadata, status: {} }, APPLY);
  expect([resource, applied.status]).toEqual([resource, 200]);
  const [entry] = harness
    .get(`${pathOf(served)}/${name}`)
    .body.metadata.managedFields.filter(({ manager }: { manager: string }) => manager === "me");
  return entry?.fieldsV1["f:metadata"];
}

const withStatus = moreResources.filter(
  ({ resource, subresources }) =>
    subresources.some(({ name }) => name === "status") && kindCases.some((one) => one.resource === resource),
);
const annotations = { "f:annotations": { "f:c": {} } };
const all = { ...annotations, "f:labels": { "f:a": {} } };
/** Of older kinds. With the status of all others nothing else is written. */
const owned: Readonly<Record<string, object>> = {
  daemonsets: all,
  deployments: annotations,
  persistentvolumeclaims: all,
  persistentvolumes: all,
  poddisruptionbudgets: all,
  replicasets: all,
  replicationcontrollers: all,
  services: all,
  statefulsets: all,
};

test.each(withStatus.map((definition) => [definition.resource, definition] as const))("%s", (resource, definition) => {
  expect(ownedMetadata(definition, resource) ?? {}).toEqual(owned[resource] ?? {});
});
