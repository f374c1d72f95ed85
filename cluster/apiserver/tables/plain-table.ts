/** The tables of kinds that need no code: the name, fields as they are, and the age. */
import { textAt } from "../../values/field-path.ts";
import { age } from "./duration.ts";
import { column, type TableDefinition } from "./table.ts";

/** @param columns their fields, by the names of the columns: `{ Handler: "handler" }` */
export function plainTable(columns: Readonly<Record<string, string>> = {}): TableDefinition {
  const reads = Object.values(columns).map(textAt);
  return {
    columns: [column("Name"), ...Object.keys(columns).map((name) => column(name)), column("Age")],
    cells: (object, nowMs) => [object.metadata.name, ...reads.map((read) => read(object)), age(object, nowMs)],
  };
}
