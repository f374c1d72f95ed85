/**
 * The structs as Go declares them, with all that the models of @kubernetes/client-node lack: which are kinds, the order
 * of the fields, which is that on the wire, their numbers in protobuf, whether they are written when they are not set,
 * which values they may have, and how lists are merged.
 *
 * A row is a struct. First it may have marks:
 *
 * - `@served` it is a kind that only `stint serve` has, `@everywhere` one that each in-memory cluster has, also the
 *   playground's. What it reaches comes with it.
 * - `@unread` no code reads this kind, so build/kinds.ts has no interface for it.
 * - `@atomic` one manager owns the struct as a whole, in any place.
 * - `@class=CoreV1Event` its model class, where a kind's is not `V1` and the name of the row, or where that name is not
 *   Go's, because another group has it.
 *
 * Each other word is a field: `initContainers=20[name]`, `suspend*`, `template!`, `restartPolicy=3~RestartPolicy`.
 *
 * - `*` it is a pointer. So the empty string, zero and false are values, and are not the same as not set.
 * - `!` Go writes it also when it is empty (its tag has no omitempty). A struct that is no pointer is always written.
 * - `?` Go leaves it out when it is zero, although it is such a struct (omitzero).
 * - `=20` its number. Without it, the number is the one after that of the field before, and the first has number 1.
 *   `=1.20` has number 20 inside an embedded message with number 1, which JSON does not show.
 * - `:Quantity` its type, or that of its elements, where the models say `string` or `any`.
 * - `~RestartPolicy` its named string type in Go. Errors print `v1.RestartPolicy`. `~[]IPFamily`: that of its elements.
 * - `[name]` a list whose elements are known by their `name`, for a server-side apply (listType=map) and for a
 *   strategic merge patch (patchMergeKey). `[port,protocol=TCP]`: by two fields, one with a default; a patch looks at
 *   the first.
 *   `[set]`: each value is there once. `[apply:name]` holds for an apply alone, and `[patch:name]` for a patch.
 *   `[atomic]` and `[granular]`: an apply owns the map or the struct as a whole, or not, against the rule.
 *   `[replace]`: a patch replaces the struct. Without a mark lists are atomic and replaced, and all else is merged.
 *
 * A row `|Always|Never` is no struct, but the values of a named string type that the published OpenAPI lists.
 *
 * Structs that begin with `kind` and `apiVersion` without a word for them have no number for these: in protobuf they
 * are outside the object. test/kubernetes/go-types/ compares all of it with Go's own types, but for what an apply does,
 * which openapi.test.ts beside that compares with the published documents.
 */
import { admissionregistration } from "./fields/admissionregistration.ts";
import { apiextensions } from "./fields/apiextensions.ts";
import { apps } from "./fields/apps.ts";
import { core } from "./fields/core.ts";
import { meta } from "./fields/meta.ts";
import { resource } from "./fields/resource.ts";
import { schedulingBlocks, smallGroups } from "./fields/small-groups.ts";

const rows: Readonly<Record<string, string>> = {
  ...admissionregistration,
  ...apiextensions,
  ...apps,
  ...core,
  ...meta,
  ...resource,
  ...schedulingBlocks,
  ...smallGroups,
};

export interface GoStruct {
  /** In the schema, where it is unique. */
  readonly name: string;
  /** Its model class in @kubernetes/client-node, or in own-models.ts, if it is a kind or the row names one. */
  readonly className: string | undefined;
  /** Which clusters have this kind; undefined: it is no kind. */
  readonly servedBy: "everywhere" | "served" | undefined;
  /** Code reads this kind. */
  readonly isRead: boolean;
  readonly isAtomic: boolean;
  readonly fields: readonly GoField[];
}

export interface GoField {
  readonly name: string;
  readonly isPointer: boolean;
  /** Its tag has omitempty. */
  readonly omitEmpty: boolean;
  /** Its tag has omitzero. */
  readonly omitZero: boolean;
  /** `20`, or `1.20` inside an embedded message. */
  readonly number: string;
  readonly goType?: string;
  /** What the models call `string` or `any`. */
  readonly type?: string;
  /** The values that are allowed of its named string type, or that of its elements. */
  readonly values?: readonly string[];
  /** What an apply does with it: `set`, `map KEY…`, `atomic` or `granular`. */
  readonly listType?: string;
  /** What a patch does with it: the field that elements are known by, "" for a set, or `replace`. */
  readonly mergeKey?: string;
}

type Merge = Pick<GoField, "listType" | "mergeKey">;

const MARK = /^@(?:(everywhere|served)|(unread)|(atomic)|class=(\w+))$/;
const FIELD =
  /^([\w$-]+)(\*)?(!)?(\?)?(?:=([\d.]+))?(?::(\w+))?(?:~(\[\])?([\w.]+))?(?:\[(?:(apply|patch):)?([\w,=]+)\])?$/;
const MERGES: Readonly<Record<string, Merge>> = {
  set: { listType: "set", mergeKey: "" },
  atomic: { listType: "atomic" },
  granular: { listType: "granular" },
  replace: { mergeKey: "replace" },
};

/** @throws Error if one of the words is neither a mark nor a field */
export function readRow(name: string, row: string): GoStruct {
  const words = row.split(" ").filter((word) => word !== "");
  const marks = words.filter((word) => word.startsWith("@")).map((word) => MARK.exec(word) ?? unknown(name, word));
  const marked = (group: number): string | undefined => marks.find((mark) => mark[group] !== undefined)?.[group];
  const servedBy = marked(1) as GoStruct["servedBy"];
  let last = "0";
  return {
    name,
    className: marked(4) ?? (servedBy && `V1${name}`),
    servedBy,
    isRead: servedBy !== undefined && marked(2) === undefined,
    isAtomic: marked(3) !== undefined,
    fields: words.slice(marks.length).map((word) => {
      const field = readField(name, word, last);
      last = field.number;
      return field;
    }),
  };
}

/** @param last the number of the field before */
function readField(struct: string, word: string, last: string): GoField {
  const [, name, pointer, always, zero, number, type, isOfElements, goType, scope, merge] =
    FIELD.exec(word) ?? unknown(struct, word);
  const values = goType && valuesOf(goType);
  return {
    name: name!,
    isPointer: pointer !== undefined,
    omitEmpty: always === undefined,
    omitZero: zero !== undefined,
    number: number ?? last.replace(/\d+$/, (previous) => String(Number(previous) + 1)),
    ...(type !== undefined && { type }),
    ...(goType && !isOfElements && { goType: goType.includes(".") ? goType : `v1.${goType}` }),
    ...(values && { values }),
    ...(merge !== undefined && mergeOf(merge, scope)),
  };
}

function valuesOf(goType: string): readonly string[] | undefined {
  const row = rows[goType.replace(/^v\d\w*\./, "")];
  return row?.startsWith("|") ? row.slice(1).split("|") : undefined;
}

function mergeOf(text: string, scope: string | undefined): Merge {
  const keys = text.split(",");
  const { listType, mergeKey } = MERGES[text] ?? {
    listType: `map ${keys.join(" ")}`,
    mergeKey: keys[0]!.replace(/=.*/, ""),
  };
  return {
    ...(scope !== "patch" && listType !== undefined && { listType }),
    ...(scope !== "apply" && mergeKey !== undefined && { mergeKey }),
  };
}

function unknown(struct: string, word: string): never {
  throw new Error(`scripts/schema/fields/: ${struct} has "${word}", which is neither a mark nor a field`);
}

const structs = new Map(
  Object.entries(rows)
    .filter(([, row]) => !row.startsWith("|"))
    .map(([name, row]) => [name, readRow(name, row)]),
);
const namesOfClasses = new Map([...structs.values()].map(({ name, className }) => [className, name]));

export const allStructs: readonly GoStruct[] = [...structs.values()];

/** @throws Error if there is no row for the struct */
export function goStruct(name: string): GoStruct {
  const struct = structs.get(name);
  if (!struct) throw new Error(`scripts/schema/fields/ has no row for ${name}: add it, as types.go has it`);
  return struct;
}

/** The name of the Go struct: `PodSpec` of `V1PodSpec`, `Event` of `CoreV1Event`. */
export function goName(className: string): string {
  return className.replace(/^([A-Z][a-z]+)?V\d+((alpha|beta)\d+)?(?=[A-Z])/, "");
}

/** The name of the type in the schema, which is unique. */
export function typeName(className: string): string {
  return namesOfClasses.get(className) ?? goName(className);
}

/**
 * `core`, `meta` or a group version if the struct is theirs. All others belong to the group of the kind that reaches
 * them.
 */
export function goPackage(struct: string): "core" | "meta" | "scheduling.k8s.io/v1alpha3" | undefined {
  if (struct in schedulingBlocks) return "scheduling.k8s.io/v1alpha3";
  return struct in core ? "core" : struct in meta ? "meta" : undefined;
}
