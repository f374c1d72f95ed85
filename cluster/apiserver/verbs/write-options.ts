/** The options of a write that come in its query: dryRun, fieldManager and fieldValidation. */
import type { ResourceRequest } from "../contract/context.ts";
import { managerErrors } from "./field-manager.ts";
import type { Query } from "../contract/query.ts";
import { type FieldError, invalid } from "../contract/status-errors.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

/** @throws ApiError 422 */
export function optionsError(kind: OptionsKind | "ListOptions", errors: readonly FieldError[]): never {
  throw invalid({ group: "meta.k8s.io", name: kind }, "", errors);
}

/** The violations of a dryRun value. */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === "All")) return [];
  return [{ kind: "NotSupported", field: "dryRun", value: [...values], detail: 'supported values: "All"' }];
}

/** A name that is certainly valid. The playground writes only such names, so its Worker does not have the rules. */
const PLAIN_MANAGER = /^[ -~]{0,128}$/;
const defaultOptions: WriteOptions = { isDryRun: false, fieldValidation: "Warn" };

/** @throws ApiError 422 for a value that is not allowed */
export function writeOptions(query: Query, kind: OptionsKind, isApply = false): WriteOptions {
  if (query.isEmpty && !isApply) return defaultOptions;
  const errors: FieldError[] = [];
  const manager = query.text("fieldManager");
  if (isApply && manager === "")
    errors.push({ kind: "Required", field: "fieldManager", detail: "is required for apply patch" });
  if (kind === "PatchOptions" && !isApply && query.has("force")) {
    errors.push({ kind: "Forbidden", field: "force", detail: "may not be specified for non-apply patch" });
  }
  if (!PLAIN_MANAGER.test(manager)) errors.push(...managerErrors(manager));
  errors.push(...dryRunErrors(query.all("dryRun")));
  const level = query.text("fieldValidation");
  if (!["", "Ignore", "Strict", "Warn"].includes(level)) {
    errors.push({
      kind: "NotSupported",
      field: "fieldValidation",
      value: level,
      detail: 'supported values: "", "Ignore", "Strict", "Warn"',
    });
  }
  if (errors.length > 0) optionsError(kind, errors);
  return { isDryRun: query.has("dryRun"), fieldValidation: (level || "Warn") as FieldValidation };
}

/** The error text under Strict, or undefined if there are no problems. Under Warn each problem becomes a warning. */
export function reportProblems(
  problems: readonly string[],
  level: FieldValidation,
  request: ResourceRequest,
): string | undefined {
  if (level === "Warn") problems.forEach((problem) => request.warnings.add(problem));
  return level === "Strict" && problems.length > 0 ? `strict decoding error: ${problems.join(", ")}` : undefined;
}
