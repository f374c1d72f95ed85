/**
 * `kubectl apply` in the small: objects that are not there are created; where they are, the fields that the YAML names
 * are replaced by a merge patch.
 *
 * Invariant: it tries every object, and gives the mistakes of all. Leaves out fields that an earlier apply set and this
 * one no longer names: they stay.
 */
import { JOBS, CONFIG_MAPS, NAMESPACES, SECRETS, resourcePath, withQuery } from "../../cluster/client.ts";
import { type Manifest, parseManifests } from "../../cluster/manifests/manifests.ts";
import { statusDiagnostics } from "../../cluster/manifests/status-diagnostics.ts";
import type { YamlReader } from "../../cluster/manifests/yaml-tree.ts";
import type { Answer, Api } from "./api.ts";

const RESOURCES = [JOBS, CONFIG_MAPS, SECRETS, NAMESPACES];
const STRICT = { fieldValidation: "Strict", fieldManager: "kubectl-client-side-apply" };

/** @returns what went wrong, a sentence each; empty: nothing */
export function applyYaml(api: Api, yaml: string, readYaml: YamlReader): string[] {
  const { manifests, diagnostics } = parseManifests({ file: "apply", text: yaml }, readYaml);
  if (diagnostics.length > 0) return diagnostics.map(({ message, position: { line } }) => `line ${line}: ${message}`);
  return manifests.flatMap((manifest) => applyOne(api, manifest));
}

function applyOne(api: Api, manifest: Manifest): string[] {
  const { apiVersion, kind, metadata } = manifest.object;
  const resource = RESOURCES.find((known) => known.apiVersion === apiVersion && known.kind === kind);
  if (resource === undefined) {
    const allowed = RESOURCES.map((known) => `${known.apiVersion} ${known.kind}`).join(", ");
    return [`here is ${apiVersion} ${kind}; the playground applies ${allowed}`];
  }
  const namespace = resource.namespaced ? (metadata?.namespace ?? "default") : undefined;
  const name = metadata?.name;
  const answer =
    name !== undefined && api.get(resourcePath(resource, namespace, name)).ok
      ? api.mergePatch(withQuery(resourcePath(resource, namespace, name), STRICT), manifest.object)
      : api.create(withQuery(resourcePath(resource, namespace), STRICT), manifest.object);
  return refusals(manifest, answer);
}

function refusals(manifest: Manifest, answer: Answer): string[] {
  if (answer.ok) return [];
  return statusDiagnostics(manifest, answer.body).map(({ message }) => message);
}
