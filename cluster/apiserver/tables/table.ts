/**
 * The Table form of objects and lists, which kubectl get prints. A kind defines its columns and cells. This file has
 * what all tables share. Descriptions are short: clients do not read them.
 */
import type { KubernetesVersion } from "../../values/kubernetes-versions.ts";
import type { KubeObject, TypedObject } from "../../values/types.ts";

export type Cell = string | number | boolean | null;

export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly description: string;
  /** Above 0: shown only by `-o wide`. */
  readonly priority: number;
}

export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Of the kind whose objects it is given. */
export interface TableDefinition<T extends TypedObject = KubeObject> {
  readonly columns: readonly Column[];
  cells(object: T, nowMs: number): readonly Cell[];
  conditions?(object: T): readonly RowCondition[] | undefined;
  /**
   * What a version prints, where that depends on more than the object: the table instead of this one.
   * @param list the objects of a list; empty for one object and for events of a watch
   */
  printed?(list: readonly T[], kubernetes: KubernetesVersion): TableDefinition<T>;
}

/** The form of the object in a row. */
export type IncludeObject = "None" | "Metadata" | "Object";

export interface TableRow {
  readonly cells: readonly Cell[];
  readonly conditions?: readonly RowCondition[];
  readonly object: unknown;
}

export function column(name: string, options: Partial<Omit<Column, "name">> = {}): Column {
  return { name, type: "string", format: name === "Name" ? "name" : "", description: name, priority: 0, ...options };
}

/** A column that only `-o wide` shows. */
export function wide(name: string, options: Partial<Omit<Column, "name">> = {}): Column {
  return column(name, { priority: 1, ...options });
}

export function tableRow(
  object: KubeObject,
  table: TableDefinition,
  include: IncludeObject,
  nowMs: number,
  version?: string,
): TableRow {
  const conditions = table.conditions?.(object);
  return {
    cells: table.cells(object, nowMs),
    ...(conditions && { conditions }),
    object: rowObject(object, include, version),
  };
}

function rowObject(object: KubeObject, include: IncludeObject, version?: string): unknown {
  if (include === "None") return null;
  return include === "Object" ? object : partialObject(object, version);
}

/** Metadata only, as PartialObjectMetadata. */
export function partialObject(object: KubeObject, version = "v1"): Readonly<Record<string, unknown>> {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}
