/**
 * The part of OpenAPI v3 that kubectl create and apply read before they send anything: that PATCH of each kind has the
 * parameter fieldValidation. It has no request bodies on purpose. With a body schema that lacks merge keys, kubectl
 * apply would replace lists; without one it uses its own knowledge of them.
 */
import { fnv1a } from "../fnv1a.ts";
import type { ResourceDefinition } from "./definition.ts";

/** Group versions as paths: `api/v1`, `apis/batch/v1`. */
function pathOf({ group, version }: Pick<ResourceDefinition, "group" | "version">): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** The index at /openapi/v3. */
export function openapiIndex(definitions: readonly ResourceDefinition[]): object {
  const paths = [...new Set(definitions.map(pathOf))];
  return {
    paths: Object.fromEntries(
      paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash(definitions, path)}` }]),
    ),
  };
}

/** The document of one group version, or undefined if there is none. @param path `apis/batch/v1` */
export function openapiDocument(definitions: readonly ResourceDefinition[], path: string): object | undefined {
  const served = definitions.filter((definition) => pathOf(definition) === path);
  if (served.length === 0) return undefined;
  const patchable = served.filter((definition) => definition.verbs.includes("patch"));
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.36.3" },
    paths: Object.fromEntries(
      patchable.map((definition) => [itemPath(definition), { patch: patchOperation(definition) }]),
    ),
    components: {},
  };
}

function itemPath({ resource, isNamespaced, ...definition }: ResourceDefinition): string {
  return `/${pathOf(definition)}${isNamespaced ? "/namespaces/{namespace}" : ""}/${resource}/{name}`;
}

function patchOperation({ group, version, body }: ResourceDefinition): object {
  return {
    parameters: ["dryRun", "fieldManager", "fieldValidation", "force"].map((name) => ({ name, in: "query" })),
    responses: { "200": { description: "OK" } },
    "x-kubernetes-action": "patch",
    "x-kubernetes-group-version-kind": { group, version, kind: body.kind },
  };
}

/** kubectl caches a document until this changes. */
function hash(definitions: readonly ResourceDefinition[], path: string): string {
  return textHash(JSON.stringify(openapiDocument(definitions, path)));
}

/** In upper-case hex: good enough for an ETag, which only tells documents apart. */
export function textHash(text: string): string {
  return fnv1a(text).toString(16).toUpperCase().padStart(8, "0");
}
