/** The table of a custom resource: its name, and the columns of its definition. Source: registry/customresource. */
import type { Json, KubeObject } from "../../values/types.ts";
import { since } from "../tables/duration.ts";
import { type Cell, column, type Column, type TableDefinition } from "../tables/table.ts";
import { parseTime } from "../../values/times.ts";
import { type JsonPath, parseJsonPath } from "./json-path.ts";

export interface PrinterColumn {
  readonly name: string;
  readonly type: Column["type"];
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

const ageColumn: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const nothing: JsonPath = () => [];

/** A resource without its own columns shows its age. */
export function printerTable(given: readonly PrinterColumn[] | undefined): TableDefinition {
  const columns = given === undefined || given.length === 0 ? [ageColumn] : given;
  const paths = columns.map(({ jsonPath }) => parseJsonPath(jsonPath) ?? nothing);
  return {
    columns: [
      column("Name"),
      ...columns.map(({ name, type, format = "", description, priority = 0, jsonPath }) =>
        column(name, {
          type,
          format,
          priority,
          description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
        }),
      ),
    ],
    cells: (object: KubeObject, nowMs: number) => [
      object.metadata.name,
      ...columns.map(({ type }, place) => cell(paths[place]!(object as unknown as Json)[0], type, nowMs)),
    ],
  };
}

function cell(value: Json | undefined, type: Column["type"], nowMs: number): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      if (typeof value !== "string") return null;
      return Number.isNaN(parseTime(value)) ? "<invalid>" : since(value, nowMs);
    default:
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}
