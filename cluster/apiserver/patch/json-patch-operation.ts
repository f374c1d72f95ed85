/** Refuses invalid operations of a JSON patch before it is applied. */
import type { Json } from "../../values/types.ts";
import { goJsonKind, isObject } from "../../values/json.ts";
import { badRequest } from "../contract/status-errors.ts";

/** @throws ApiError 400 */
export function checkOperation(operation: Json): void {
  const refuse = (value: Json, target: string): never => {
    throw badRequest(`error decoding patch: json: cannot unmarshal ${goJsonKind(value)} into Go ${target}`);
  };
  if (!isObject(operation)) return refuse(operation, "value of type handlers.jsonPatchOp");
  for (const name of ["op", "path", "from"]) {
    const value = operation[name] ?? "";
    if (typeof value !== "string") refuse(value, `struct field jsonPatchOp.${name} of type string`);
  }
}
