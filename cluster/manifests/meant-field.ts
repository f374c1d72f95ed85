/**
 * Which field somebody may have meant by a name that a kind does not have: one that is spelt nearly so at the same
 * place, or one of that very name elsewhere in the object.
 */
import { structType, type StructType, type Type } from "../apiserver/schema.ts";
import { similarNames } from "../similar-names.ts";
import { parseFieldPath } from "./field-path.ts";
import type { Manifest } from "./manifests.ts";

/** Kinds whose schema has the name of the kind. */
const KINDS: ReadonlySet<string> = new Set(["Job", "ConfigMap", "Secret", "Namespace", "ResourceQuota"]);

/** `; did you mean parallelism?`, or empty. @param path the unknown field: `spec.paralelism` */
export function meantField({ object: { kind } }: Manifest, path: string): string {
  if (kind === undefined || !KINDS.has(kind)) return "";
  const segments = parseFieldPath(path);
  const name = String(segments.pop());
  const root = structType(kind);
  const parent = typeAt(root, segments);
  const near = parent === undefined ? undefined : similarNames(name, [...parent.fields.keys()])[0];
  const meant = near ?? placeOf(root, name, path);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

function typeAt(root: StructType, segments: readonly (string | number)[]): StructType | undefined {
  let type: Type | undefined = root;
  for (const segment of segments) {
    if (type?.form === "struct") type = type.fields.get(String(segment))?.type;
    else type = type?.form === "list" || type?.form === "map" ? type.element : undefined;
  }
  return type?.form === "struct" ? type : undefined;
}

/** The path of the nearest field of this name, breadth first; not in the status, which nobody writes by hand. */
function placeOf(root: StructType, name: string, wrong: string): string | undefined {
  const seen = new Set<StructType>();
  let level: readonly { readonly path: string; readonly type: StructType }[] = [{ path: "", type: root }];
  while (level.length > 0) {
    const hits = level.flatMap(({ path, type }) => (type.fields.has(name) ? [join(path, name)] : []));
    // Containers are meant before init containers.
    const [hit] = hits.filter((path) => path !== wrong).sort((a, b) => a.length - b.length);
    if (hit !== undefined) return hit;
    for (const { type } of level) seen.add(type);
    level = level.flatMap(({ path, type }) =>
      [...type.fields.values()].flatMap((field) => {
        if (path === "" && field.name === "status") return [];
        const inner = field.type.form === "list" ? field.type.element : field.type;
        if (inner.form !== "struct" || seen.has(inner)) return [];
        return [{ path: `${join(path, field.name)}${field.type.form === "list" ? "[]" : ""}`, type: inner }];
      }),
    );
  }
  return undefined;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
