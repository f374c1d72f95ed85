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

/** The releases with whose types kinds are compared, and the files of their Go modules. */
export const MODULES = { "1.36": "go.mod", "1.37": "kubernetes-1.37.mod" } as const;
export type Release = keyof typeof MODULES;

/** Kinds that have fields in 1.37 which nothing here uses: those of 1.36 are served. */
const behind: readonly string[] = [
  "v1#Pod",
  "authentication.k8s.io/v1#TokenRequest",
  "resource.k8s.io/v1#ResourceSlice",
];

/** `batch/v1#Job`. */
export const kinds: readonly string[] = [
  ...stored,
  ...Object.entries(besides).flatMap(([version, names]) => names.split(" ").map((name) => `${version}#${name}`)),
];

export function releaseOf(kind: string): Release {
  return behind.includes(kind) ? "1.36" : "1.37";
}
