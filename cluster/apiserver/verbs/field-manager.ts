/** The name of a field manager: the writer in the query of a write, and the owner of a field. */
import type { FieldError } from "../contract/status-errors.ts";
import { byteLength } from "../../values/text.ts";

/** The name of a field manager is not longer. */
export const MAX_MANAGER_BYTES = 128;

/** What is wrong with a fieldManager. */
export function managerErrors(manager: string): FieldError[] {
  const field = "fieldManager";
  if (byteLength(manager) > MAX_MANAGER_BYTES)
    return [{ kind: "TooLong", field, detail: `may not be more than ${MAX_MANAGER_BYTES} bytes` }];
  const errors: FieldError[] = [];
  for (const { 0: character, index } of manager.matchAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu)) {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    const position = byteLength(manager.slice(0, index));
    errors.push({
      kind: "Invalid",
      field,
      value: manager,
      detail: `invalid character U+${code} (at position ${position})`,
    });
  }
  return errors;
}
