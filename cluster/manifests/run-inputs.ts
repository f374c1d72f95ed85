/**
 * All manifests of one run, read and checked as far as that goes without a cluster.
 *
 * Invariant: either every object may be sent to the API server, or InputError lists everything that is wrong.
 */
import { CONFIG_MAPS, type ApiResource, JOBS, NAMESPACES, SECRETS } from "../client.ts";
import { type Diagnostic, InputError } from "./diagnostic.ts";
import { type InputText, type Manifest, parseManifests } from "./manifests.ts";
import { unimplementedFields } from "./unimplemented-fields.ts";

/** What a run can create, in the order in which it does: what Jobs need comes first. */
const RESOURCES: readonly ApiResource[] = [NAMESPACES, CONFIG_MAPS, SECRETS, JOBS];

export interface RunInput {
  readonly manifest: Manifest;
  readonly resource: ApiResource;
}

/** Objects in the order in which to create them; those of one kind in the order of the texts. @throws InputError */
export function readRunInputs(texts: readonly InputText[]): RunInput[] {
  const diagnostics: Diagnostic[] = [];
  const inputs: RunInput[] = [];
  for (const text of texts) {
    const parsed = parseManifests(text);
    const found = [...parsed.diagnostics];
    for (const manifest of parsed.manifests) {
      const resource = resourceOf(manifest);
      if (resource === undefined) found.push(unknownKind(manifest));
      else inputs.push({ manifest, resource });
      found.push(...unimplementedFields(manifest));
    }
    diagnostics.push(...found.sort(byPlace));
  }
  const [first] = inputs;
  if (diagnostics.length === 0 && first !== undefined && !inputs.some(({ resource }) => resource === JOBS)) {
    diagnostics.push({ position: first.manifest.valueAt(""), message: "there is no Job here; a run needs at least one" });
  }
  if (diagnostics.length > 0) throw new InputError(diagnostics);
  return RESOURCES.flatMap((resource) => inputs.filter((input) => input.resource === resource));
}

/** Of one file. */
function byPlace({ position: a }: Diagnostic, { position: b }: Diagnostic): number {
  return a.line - b.line || a.column - b.column;
}

function resourceOf({ object }: Manifest): ApiResource | undefined {
  return RESOURCES.find(({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind);
}

function unknownKind(manifest: Manifest): Diagnostic {
  const { apiVersion, kind } = manifest.object;
  const allowed = RESOURCES.map((resource) => `${resource.apiVersion} ${resource.kind}`).join(", ");
  const field = RESOURCES.some((resource) => resource.kind === kind) ? "apiVersion" : "kind";
  return { position: manifest.valueAt(field), message: `${field}: here is ${apiVersion} ${kind}; a run takes ${allowed}` };
}
