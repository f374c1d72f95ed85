/**
 * The fields of each struct as Go declares them, which the models of @kubernetes/client-node lack: their order,
 * which is the order on the wire, their numbers in protobuf, and whether they are written when they are not set.
 *
 * A row is a struct, a word is a field: `initContainers=20`, `suspend*`, `template!`, `restartPolicy=3~RestartPolicy`.
 *
 * - `*` it is a pointer. So the empty string, zero and false are values, and are not the same as not set.
 * - `!` Go writes it also when it is empty (its tag has no omitempty). A struct that is no pointer is always written.
 * - `?` Go leaves it out when it is zero, although it is such a struct (omitzero).
 * - `=20` its number. Without it, the number is the one after that of the field before, and the first has number 1.
 *   `=1.20` has number 20 inside an embedded message with number 1, which JSON does not show.
 * - `~RestartPolicy` its named string type in Go. Errors print `v1.RestartPolicy`.
 *
 * Structs that begin with `kind` and `apiVersion` without a row for them have no number for these: in protobuf they
 * are outside the object. test/kubernetes/go-types/ compares all of it with Go's own types.
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

/**
 * `core`, `meta` or a group version if the struct is theirs. All others belong to the group of the kind that reaches
 * them.
 */
export function goPackage(struct: string): "core" | "meta" | "scheduling.k8s.io/v1alpha3" | undefined {
  if (struct in schedulingBlocks) return "scheduling.k8s.io/v1alpha3";
  return struct in core ? "core" : struct in meta ? "meta" : undefined;
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
}

const FIELD = /^([\w$-]+)(\*)?(!)?(\?)?(?:=([\d.]+))?(?:~([\w.]+))?$/;

/** @throws Error if there is no row for the struct, or one of its words is no field */
export function goFields(struct: string): GoField[] {
  const row = rows[struct];
  if (row === undefined) throw new Error(`scripts/schema/fields/ has no row for ${struct}: add it, as types.go has it`);
  let last = "0";
  return row
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => {
      const [, name, pointer, always, zero, number, goType] = FIELD.exec(word) ?? [];
      if (name === undefined) throw new Error(`scripts/schema/fields/: ${struct} has "${word}", which is no field`);
      last = number ?? last.replace(/\d+$/, (previous) => String(Number(previous) + 1));
      return {
        name,
        isPointer: pointer !== undefined,
        omitEmpty: always === undefined,
        omitZero: zero !== undefined,
        number: last,
        ...(goType !== undefined && { goType: goType.includes(".") ? goType : `v1.${goType}` }),
      };
    });
}
