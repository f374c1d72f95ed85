/** Which fields versions of the API server do not know. */
import { expect, test } from "vitest";
import { unknownFields } from "../../../../cluster/apiserver/schema/new-fields.ts";
import { structType } from "../../../../cluster/apiserver/schema/schema.ts";
import "../../../../cluster/apiserver/schema/schema-served.ts";
import { SERVED_VERSIONS } from "../../../../cluster/values/kubernetes-versions.ts";

test("each is a field of the schema", () => {
  for (const [struct, names] of unknownFields("1.33")!)
    expect([...names].filter((name) => !structType(struct).names.includes(name))).toEqual([]);
});

test.each([
  ["PodSpec", "hostnameOverride", "1.34"],
  ["Container", "restartPolicyRules", "1.34"],
  ["EnvVarSource", "fileKeyRef", "1.34"],
  ["VolumeProjection", "podCertificate", "1.34"],
  ["PodStatus", "resources", "1.35"],
  ["PodSpec", "schedulingGroup", "1.36"],
  ["VolumeMount", "bindMountOptions", "1.37"],
] as const)("%s.%s, before %s", (struct, field, since) => {
  const unknowing = SERVED_VERSIONS.filter((version) => unknownFields(version)?.get(struct)?.has(field));
  expect(unknowing).toEqual(SERVED_VERSIONS.slice(0, SERVED_VERSIONS.indexOf(since)));
});
