/**
 * Suggests the field that the user may have meant by an unknown name: one of similar spelling at the same place, or one
 * of that very name elsewhere in the object. Of a field that only later versions of Kubernetes know, it says
 * since which.
 *
 * Invariant: where the server can be asked, it has accepted the object with the value at the suggested place, or
 * reported only problems that it had reported before. So following a hint causes no new error.
 */
import { isObject, setMember } from "../values/json.ts";
import { versionOfField } from "../apiserver/schema/new-fields.ts";
import { hasType, structType, type StructType, type Type } from "../apiserver/schema/schema.ts";
import { distanceOf, similarNames } from "../values/similar-names.ts";
import type { Json, JsonObject } from "../values/types.ts";
import type { Attempt } from "./dry-run.ts";
import { parseFieldPath } from "./field-path.ts";
import { readRefusal } from "./refusal-body.ts";

/** Kinds whose schema has the name of the kind. */
const KINDS: ReadonlySet<string> = new Set([
  ...["Job", "CronJob", "ConfigMap", "Secret", "Namespace", "ResourceQuota", "PersistentVolumeClaim"],
]);
/** With at most this many wrong letters, the name is meant at its place; with more it may belong to another place. */
const MAX_SLIPS = 2;
/** Places that are tried for one field. */
const MAX_TRIED = 8;

type Path = readonly (string | number)[];

/** The hints about the unknown fields of one object. */
export class MeantFields {
  readonly #root: StructType | undefined;
  readonly #attempt: Attempt | undefined;
  #object: JsonObject;
  #problems: ReadonlySet<string> | undefined;

  /** The object after following the hints so far. */
  get followed(): JsonObject {
    return this.#object;
  }

  /** @param attempt asks the server. Undefined: it cannot be asked, and hints are not verified */
  constructor(object: JsonObject, attempt: Attempt | undefined) {
    const { kind } = object;
    this.#root = typeof kind === "string" && KINDS.has(kind) && hasType(kind) ? structType(kind) : undefined;
    this.#object = object;
    this.#attempt = attempt;
  }

  /** `; did you mean parallelism?`, or empty. @param path the unknown field: `spec.paralelism` */
  hint(path: string): string {
    const root = this.#root;
    if (root === undefined) return "";
    const segments = parseFieldPath(path);
    const name = String(segments.at(-1));
    const parents = segments.slice(0, -1);
    const since = versionOfField(typeAt(root, parents)?.name ?? "", name);
    if (since !== undefined) return `; Kubernetes knows it since ${since}`;
    const near = nearNames(root, parents, name).map((text): Place => ({ text, path: [...parents, text] }));
    const isSlip = ({ text }: Place): boolean => distanceOf(name.toLowerCase(), text.toLowerCase()) <= MAX_SLIPS;
    const places = placesOf(root, name, path).map((text): Place => ({ text, path: parseFieldPath(text) }));
    const candidates = [...near.filter(isSlip), ...places, ...near.filter((place) => !isSlip(place))].slice(
      0,
      MAX_TRIED,
    );
    if (this.#attempt === undefined) return candidates.length === 0 ? "" : `; did you mean ${candidates[0]!.text}?`;
    for (const candidate of candidates) {
      const verdict = this.#try(segments, candidate);
      if (verdict !== "") return verdict;
    }
    return "";
  }

  /** The hint, if it is one. */
  #try(from: Path, { text, path }: Place): string {
    const value = valueAt(this.#object, from);
    const to = throughLists(this.#object, path, from);
    if (value === undefined || to === undefined) return "";
    if (valueAt(this.#object, to) !== undefined)
      return from.at(-1) === to.at(-1)
        ? `; its place is ${text}, which has a value already: remove one of them`
        : `; did you mean ${text}, which has a value already? Remove one of them`;
    const moved = withValue(withValue(this.#object, from, undefined), to, value);
    const problems = moved === undefined ? undefined : this.#problemsOf(moved);
    this.#problems ??= this.#problemsOf(this.#object);
    if (problems === undefined || [...problems].some((problem) => !this.#problems!.has(problem))) return "";
    this.#object = moved as JsonObject;
    this.#problems = problems;
    return `; did you mean ${text}?`;
  }

  #problemsOf(object: Json): ReadonlySet<string> {
    const strict = this.#attempt!(object as JsonObject, "Strict");
    if (strict === undefined) return new Set();
    const { fieldProblems } = readRefusal(strict);
    if (fieldProblems === undefined) return new Set(textsOf(strict));
    const others = this.#attempt!(object as JsonObject, "Ignore");
    const unknown = fieldProblems.map(({ kind, path }) => `${kind} ${path}`);
    return new Set([...unknown, ...(others === undefined ? [] : textsOf(others))]);
  }
}

interface Place {
  /** As the hint has it: `spec.template.spec.containers[].command`. */
  readonly text: string;
  readonly path: Path;
}

function textsOf(body: string): string[] {
  const { causes, message } = readRefusal(body);
  return causes.length === 0 ? [message] : causes.map((cause) => `${cause.field}: ${cause.message}`);
}

function nearNames(root: StructType, parents: Path, name: string): string[] {
  const parent = typeAt(root, parents);
  return parent === undefined ? [] : similarNames(name, [...parent.fields.keys()]);
}

function typeAt(root: StructType, segments: Path): StructType | undefined {
  let type: Type | undefined = root;
  for (const segment of segments) {
    if (type?.form === "struct") type = type.fields.get(String(segment))?.type;
    else type = type?.form === "list" || type?.form === "map" ? type.element : undefined;
  }
  return type?.form === "struct" ? type : undefined;
}

/** The paths of the fields of this name, nearest first; not in the status, which a server writes. */
function placesOf(root: StructType, name: string, wrong: string): string[] {
  const found: string[] = [];
  const seen = new Set<StructType>();
  let level: readonly { readonly path: string; readonly type: StructType }[] = [{ path: "", type: root }];
  while (level.length > 0) {
    const hits = level.flatMap(({ path, type }) => (type.fields.has(name) ? [join(path, name)] : []));
    // Containers are meant before init containers.
    found.push(...hits.filter((path) => path !== wrong).sort((a, b) => a.length - b.length));
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
  return found;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce((at: Json | undefined, segment) => {
    if (Array.isArray(at)) return typeof segment === "number" ? at[segment] : undefined;
    return isObject(at) && Object.hasOwn(at, segment) ? at[String(segment)] : undefined;
  }, value);
}

/**
 * The path with an index after each list: that of the unknown field, or else that of the only element. Undefined: the
 * element is ambiguous.
 */
function throughLists(object: JsonObject, path: Path, from: Path): Path | undefined {
  const whole: (string | number)[] = [];
  for (const segment of path) {
    const list = valueAt(object, whole);
    if (Array.isArray(list)) {
      const isShared = whole.every((step, i) => from[i] === step) && typeof from[whole.length] === "number";
      if (!isShared && list.length !== 1) return undefined;
      whole.push(isShared ? from[whole.length]! : 0);
    }
    whole.push(segment);
  }
  return whole;
}

/** A copy with another value at a path, or without one. Undefined: something on the way is no map and no list. */
function withValue(at: Json | undefined, path: Path, value: Json | undefined): Json | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return value;
  if (Array.isArray(at)) return at.map((item, i) => (i === segment ? (withValue(item, rest, value) ?? item) : item));
  if (at !== undefined && !isObject(at)) return undefined;
  const copy: JsonObject = { ...at };
  const inner = withValue(copy[segment], rest, value);
  if (inner === undefined && rest.length > 0) return undefined;
  if (inner === undefined) delete copy[segment];
  else setMember(copy, String(segment), inner);
  return copy;
}
