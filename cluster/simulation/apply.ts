/**
 * `kubectl apply`: creates missing objects; of existing ones, sets the fields that the YAML names, and removes the
 * fields that the manifest named when it was applied last and names no longer.
 *
 * Invariant: it tries every object, and returns the errors of all, in kubectl's words. The manifest that a run starts
 * with counts as applied. Leaves out the annotation in which kubectl keeps what it applied last: the run keeps it.
 */
import { startQuotas } from "../apiserver/quota/quotas.ts";
import { resourcePath, withQuery } from "../client/client.ts";
import { type Manifest, parseManifests } from "../manifests/manifests.ts";
import { RUN_RESOURCES } from "../manifests/run-inputs.ts";
import { statusDiagnostics } from "../manifests/status-diagnostics.ts";
import type { YamlReader } from "../yaml/yaml-tree.ts";
import type { JsonObject } from "../values/types.ts";
import type { Answer, Api } from "./api.ts";
import { tooManyPods } from "./pod-limits.ts";
import { threeWayPatch } from "./three-way-patch.ts";

/** The status of a refused value. */
const INVALID = 422;
const STRICT = { fieldValidation: "Strict", fieldManager: "kubectl-client-side-apply" };

/** The last applied configurations, by kind, namespace and name. */
export class Applied {
  readonly #objects = new Map<string, JsonObject>();

  /** @param manifests those that the run starts with */
  constructor(manifests: readonly Manifest[]) {
    for (const manifest of manifests) this.set(manifest);
  }

  /** Empty for an object that no manifest made. */
  get(manifest: Manifest): JsonObject {
    return this.#objects.get(keyOf(manifest)) ?? {};
  }

  set(manifest: Manifest): void {
    this.#objects.set(keyOf(manifest), manifest.object as JsonObject);
  }
}

function keyOf({ object: { kind, metadata } }: Manifest): string {
  return `${kind}/${metadata?.namespace ?? "default"}/${metadata?.name}`;
}

export interface Applying {
  readonly api: Api;
  readonly applied: Applied;
  readonly readYaml: YamlReader;
}

/** @returns the errors, a sentence each; empty: none */
export function applyYaml(to: Applying, yaml: string): string[] {
  const { manifests, diagnostics } = parseManifests({ file: "apply", text: yaml }, to.readYaml);
  if (diagnostics.length > 0) return diagnostics.map(({ message, position: { line } }) => `line ${line}: ${message}`);
  to.api.cluster.useQuotas(startQuotas);
  return manifests.flatMap((manifest) => applyOne(to, manifest));
}

function applyOne(to: Applying, manifest: Manifest): string[] {
  const { apiVersion, kind, metadata } = manifest.object;
  const resource = RUN_RESOURCES.find((known) => known.apiVersion === apiVersion && known.kind === kind);
  if (resource === undefined) {
    const allowed = RUN_RESOURCES.map((known) => `${known.apiVersion} ${known.kind}`).join(", ");
    return [`here is ${apiVersion} ${kind}; the playground applies ${allowed}`];
  }
  const [tooMany] = tooManyPods(manifest);
  if (tooMany !== undefined) return [tooMany.message];
  const { name, generateName } = metadata ?? {};
  if (name === undefined && generateName !== undefined)
    return [`from ${generateName}: cannot use generate name with apply`];
  const namespace = resource.namespaced ? (metadata?.namespace ?? "default") : undefined;
  const current = name === undefined ? undefined : to.api.get(resourcePath(resource, namespace, name));
  const answer =
    current?.ok === true
      ? to.api.mergePatch(
          withQuery(resourcePath(resource, namespace, name), STRICT),
          threeWayPatch(to.applied.get(manifest), manifest.object as JsonObject, current.object as JsonObject),
        )
      : to.api.create(withQuery(resourcePath(resource, namespace), STRICT), manifest.object);
  if (answer.ok) to.applied.set(manifest);
  return refusals(manifest, answer);
}

function refusals(manifest: Manifest, answer: Answer): string[] {
  if (answer.ok) return [];
  // For an unknown field, the server names the whole patch as the cause; the message names the field.
  const isMisspelt = answer.message.includes(": strict decoding error: ");
  const body = isMisspelt ? JSON.stringify({ message: answer.message }) : answer.body;
  const lines = statusDiagnostics(manifest, body).map(({ message }) => message);
  if (isMisspelt || answer.status !== INVALID) return lines;
  const told = lines.length === 1 ? lines[0]! : lines.map((line) => `\n* ${line}`).join("");
  return [`The ${manifest.object.kind} "${manifest.object.metadata?.name}" is invalid: ${told}`];
}
