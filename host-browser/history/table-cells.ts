/** Rows of the API server's own tables as text: the columns that kubectl shows without `-o wide`. */
import type { TableDefinition } from "../../cluster/apiserver/tables/table.ts";
import type { KubeObject } from "../../cluster/values/types.ts";

export interface TextTable {
  readonly columns: readonly string[];
  /** Ids of the Jobs or pods, one a row. */
  readonly ids: readonly number[];
  readonly rows: readonly (readonly string[])[];
}

export function columnNames({ columns }: TableDefinition): readonly string[] {
  return columns.filter(({ priority }) => priority === 0).map(({ name }) => name);
}

/** @param nowMs since 1970 */
export function cellsOf(table: TableDefinition, object: KubeObject, nowMs: number): readonly string[] {
  const cells = table.cells(object, nowMs);
  return table.columns.flatMap(({ priority }, i) => (priority === 0 ? [String(cells[i] ?? "")] : []));
}
