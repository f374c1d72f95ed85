/**
 * All manifests of one run, read and checked as far as that goes without a cluster.
 *
 * Invariant: every object is either among the mistakes, or among the inputs, which may be sent to the API server.
 */
import { CONFIG_MAPS, type ApiResource, JOBS, NAMESPACES, RESOURCE_QUOTAS, SECRETS } from "../client/client.ts";
import { type Diagnostic, inOrder, InputError } from "./diagnostic.ts";
import { type InputText, type Manifest, parseManifests } from "./manifests.ts";
import { serverFieldsNote } from "./server-fields.ts";
import { unimplementedFields } from "./unimplemented-fields.ts";
import type { YamlReader } from "../yaml/yaml-tree.ts";

/** The kinds that a run can create, in this order: what Jobs need comes first. */
export const RUN_RESOURCES: readonly ApiResource[] = [NAMESPACES, RESOURCE_QUOTAS, CONFIG_MAPS, SECRETS, JOBS];

const NO_JOB = "there is no Job here";
/** Objects that a sentence names. */
const MAX_NAMED = 3;

/** A manifest, and the API resource that it is created as. */
export interface RunInput {
  readonly manifest: Manifest;
  readonly resource: ApiResource;
}

export interface ReadInputs {
  /** In the order in which to create them; those of one kind in the order of the texts. */
  readonly inputs: readonly RunInput[];
  /** What is wrong, in the order of the texts. */
  readonly mistakes: readonly Diagnostic[];
  /** What was removed from the objects, in a sentence; undefined: nothing. */
  readonly note: string | undefined;
  /** Whether all objects that are not Jobs are among the inputs. */
  readonly hasAllObjects: boolean;
}

export interface ReadOptions {
  /** Jobs may wait for a user's edit, or for another controller. Default: they may not. */
  readonly takesWaiting?: boolean;
  /** Replaces an object. Undefined: it is left out. Default: the object itself. */
  readonly instead?: (manifest: Manifest) => Manifest | undefined;
  /** The accepted kinds, in the order of their creation. Default: RUN_RESOURCES. */
  readonly resources?: readonly ApiResource[];
}

/** Reads all texts of a run. It does not throw: mistakes are in the result. */
export function readInputs(
  texts: readonly InputText[],
  readYaml: YamlReader,
  { takesWaiting, instead, resources = RUN_RESOURCES }: ReadOptions = {},
): ReadInputs {
  const mistakes: Diagnostic[] = [];
  const inputs: RunInput[] = [];
  let hasAllObjects = true;
  for (const text of texts) {
    const { manifests, diagnostics } = parseManifests(text, readYaml);
    hasAllObjects &&= diagnostics.length === 0;
    mistakes.push(...diagnostics);
    for (const each of instead ? manifests.flatMap((manifest) => instead(manifest) ?? []) : manifests) {
      const manifest = withoutOwners(each);
      const resource = resourceOf(manifest, resources);
      if (resource === undefined) mistakes.push(unknownKind(manifest, resources));
      else inputs.push({ manifest, resource });
      hasAllObjects &&= resource !== undefined || manifest.object.kind === "Job";
      if (!takesWaiting) mistakes.push(...unimplementedFields(manifest));
    }
  }
  const [first] = inputs;
  if (mistakes.length === 0 && first !== undefined && !inputs.some(({ resource }) => resource === JOBS)) {
    mistakes.push(noJob(inputs.map(({ manifest }) => manifest)));
  }
  const sorted = resources.flatMap((resource) => inputs.filter((input) => input.resource === resource));
  const note = serverFieldsNote(inputs.map(({ manifest }) => manifest));
  return { inputs: sorted, mistakes: inOrder(mistakes), note, hasAllObjects };
}

/** Reports that there is no Job, and which kinds there are. @param manifests at least one */
export function noJob(manifests: readonly Manifest[]): Diagnostic {
  const names = manifests
    .slice(0, MAX_NAMED)
    .map(({ object: { kind, metadata } }) => `a ${kind}${metadata?.name === undefined ? "" : ` ${metadata.name}`}`);
  const left = manifests.length - names.length;
  const all =
    left > 0 ? `${names.join(", ")} and ${left} more` : names.join(" and ").replace(/ and (?=.* and )/g, ", ");
  return { position: manifests[0]!.valueAt(""), message: `${NO_JOB}, but ${all}; a run needs at least one` };
}

export function isNoJob({ message }: Diagnostic): boolean {
  return message.startsWith(`${NO_JOB},`);
}

/** The inputs alone. @throws InputError with all mistakes */
export function readRunInputs(texts: readonly InputText[], readYaml: YamlReader): readonly RunInput[] {
  const { inputs, mistakes } = readInputs(texts, readYaml);
  if (mistakes.length > 0) throw new InputError(mistakes);
  return inputs;
}

/** No run has an owner with this uid, so the garbage collector would delete the object. */
function withoutOwners(manifest: Manifest): Manifest {
  const { metadata, ...rest } = manifest.object;
  if (metadata?.ownerReferences === undefined) return manifest;
  const { ownerReferences: _owners, ...others } = metadata;
  const dropped = [...manifest.dropped, "metadata.ownerReferences"];
  return { ...manifest, object: { ...rest, metadata: others }, dropped };
}

function resourceOf({ object }: Manifest, resources: readonly ApiResource[]): ApiResource | undefined {
  return resources.find(({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind);
}

function unknownKind(manifest: Manifest, resources: readonly ApiResource[]): Diagnostic {
  const { apiVersion, kind } = manifest.object;
  const allowed = resources.map((resource) => `${resource.apiVersion} ${resource.kind}`).join(", ");
  const field = resources.some((resource) => resource.kind === kind) ? "apiVersion" : "kind";
  return {
    position: manifest.valueAt(field),
    message: `${field}: here is ${apiVersion} ${kind}; a run takes ${allowed}`,
  };
}
