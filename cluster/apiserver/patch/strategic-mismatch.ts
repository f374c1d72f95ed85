/** The errors of a strategic merge patch for a value of the wrong JSON type. Leaves out the path of the value. */
import type { TypeMismatch } from "../schema/decode.ts";
import { goJsonKind } from "../../values/json.ts";

const KINDS: Readonly<Record<string, string>> = { array: "slice", object: "map" };

/** Source: fromUnstructured in apimachinery/pkg/runtime/converter.go. */
export function strategicMismatch({ value, type, message }: TypeMismatch): string {
  if (type === undefined) return message;
  const kind = goJsonKind(value);
  const given = KINDS[kind] ?? kind;
  if (type.form === "struct") return `cannot restore struct from: ${given}`;
  if (type.form !== "scalar") return `cannot restore ${type.form === "list" ? "slice" : "map"} from ${given}`;
  return type.scalar === "string" && kind === "number"
    ? `cannot convert ${Number.isInteger(value) ? "int64" : "float64"} to string`
    : `unrecognized type: ${type.scalar}`;
}
