/**
 * Applies manifests as `kubectl apply --server-side` does: the API server finds the kind, and creates or changes the
 * object. A manifest that has only a generateName is created.
 *
 * Invariant: a mistake is reported with its place in the text, and the objects before it are stored.
 */
import { withQuery } from "../../cluster/client/client.ts";
import { type Diagnostic, InputError } from "../../cluster/manifests/diagnostic.ts";
import { type Manifest, parseManifests } from "../../cluster/manifests/manifests.ts";
import { MeantFields } from "../../cluster/manifests/meant-field.ts";
import { simulateMistakes } from "../../cluster/manifests/simulate-annotation.ts";
import { statusDiagnostics } from "../../cluster/manifests/status-diagnostics.ts";
import { readYaml } from "../../cluster/yaml/yaml-library.ts";
import { similarNames } from "../../cluster/values/similar-names.ts";
import type { JsonObject, KubeObject } from "../../cluster/values/types.ts";
import { type ClusterApi, RefusedError } from "../control/cluster-api.ts";

const FILE = "<manifest>";
const MANAGER = "stint-testing";
const APPLY = "application/apply-patch+yaml";

interface ServedKind {
  readonly kind: string;
  readonly name: string;
  readonly namespaced: boolean;
}

/**
 * @param settle is called after each object, because a later one may need its effects
 * @returns the objects as they were stored. @throws InputError
 */
export async function applyManifests(
  api: ClusterApi,
  text: string,
  settle: () => Promise<void>,
): Promise<readonly KubeObject[]> {
  const { manifests, diagnostics } = parseManifests({ file: FILE, text }, readYaml, { isVerbatim: true });
  const mistakes = [...diagnostics, ...manifests.flatMap(simulateMistakes)];
  if (mistakes.length > 0) throw new InputError(mistakes);
  const stored: KubeObject[] = [];
  for (const manifest of manifests) {
    stored.push(await applyOne(api, manifest));
    await settle();
  }
  return stored;
}

async function applyOne(api: ClusterApi, manifest: Manifest): Promise<KubeObject> {
  const { object } = manifest;
  const collection = collectionOf(api, manifest);
  const query = { fieldManager: MANAGER, fieldValidation: "Strict" };
  const { name, generateName } = object.metadata ?? {};
  try {
    if (name === undefined && generateName !== undefined)
      return await api.write("POST", withQuery(collection, query), object);
    const path = `${collection}/${encodeURIComponent(String(name ?? ""))}`;
    return await api.write("PATCH", withQuery(path, { ...query, force: true }), object, APPLY);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const undeclared = undeclaredFields(manifest, error.message);
    throw new InputError(undeclared.length > 0 ? undeclared : statusDiagnostics(manifest, error.body));
  }
}

/** Server-side apply reports unknown fields in different words. */
function undeclaredFields(manifest: Manifest, message: string): Diagnostic[] {
  const { apiVersion, kind } = manifest.object;
  const meant = new MeantFields(manifest.object as JsonObject, undefined);
  return [...message.matchAll(/\.(\S+): field not declared in schema/g)].map(([, path]) => ({
    position: manifest.nameAt(path!),
    message: `${path}: unknown field of ${apiVersion} ${kind}${meant.hint(path!)}`,
  }));
}

/** The path of the collection of an object. @throws InputError when its kind is not served */
function collectionOf(api: ClusterApi, manifest: Manifest): string {
  const { apiVersion = "", kind = "", metadata } = manifest.object;
  const root = `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}`;
  const served = (api.find(root)?.["resources"] ?? []) as readonly ServedKind[];
  const kinds = served.filter(({ name }) => !name.includes("/"));
  const found = kinds.find((each) => each.kind === kind);
  if (found === undefined) {
    const [meant] = similarNames(
      kind,
      kinds.map((each) => each.kind),
    );
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    const message = `here is ${apiVersion} ${kind}, which this cluster does not serve${hint}`;
    throw new InputError([{ position: manifest.valueAt(kinds.length === 0 ? "apiVersion" : "kind"), message }]);
  }
  const place = found.namespaced ? `/namespaces/${encodeURIComponent(metadata?.namespace ?? "default")}` : "";
  return `${root}${place}/${found.name}`;
}
