/**
 * The kinds of the schema with the API versions that they are served in: those of the table of resources, and those
 * that are no resources, or have a part of the path alone.
 */
import { moreResources } from "../../../cluster/apiserver/registry/more-resources.ts";
import { gangResources } from "../../../cluster/apiserver/registry/gang-resources.ts";
import { resources } from "../../../cluster/apiserver/registry/resources.ts";

const besides: Readonly<Record<string, string>> = {
  v1: "Status APIGroupList APIResourceList APIVersions DeleteOptions",
  "policy/v1": "Eviction",
  "autoscaling/v1": "Scale",
  "authorization.k8s.io/v1":
    "SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
  "authentication.k8s.io/v1": "SelfSubjectReview TokenReview TokenRequest",
  "meta.k8s.io/v1": "PartialObjectMetadata",
};
const stored = [...resources, ...gangResources, ...moreResources].map(
  ({ body: { apiVersion, kind } }) => `${apiVersion}#${kind}`,
);

/** The file of the Go module with whose types kinds are compared: those of the newest release. */
export const MODULE = "kubernetes-1.37.mod";

/** `batch/v1#Job`. */
export const kinds: readonly string[] = [
  ...stored,
  ...Object.entries(besides).flatMap(([version, names]) => names.split(" ").map((name) => `${version}#${name}`)),
];
