/**
 * Turns the API server's refusal of an object into diagnostics that point into the text the object came from.
 *
 * Invariant: the server's own words are kept (field path, value, what is allowed); only the position is added, words
 * of the Go language are translated, and an unknown field gets the one that may be meant. A refusal that names no field
 * points at the object. Where the server can be asked again, an unknown field does not hide what else it would refuse.
 */
import type { JsonObject } from "../values/types.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Attempt } from "./dry-run.ts";
import type { Manifest } from "./manifests.ts";
import { MeantFields } from "./meant-field.ts";
import { type FieldProblem, readRefusal } from "./refusal-body.ts";

/**
 * `body` is the body of an error answer. If it is not a Status, its text becomes the message.
 * @param attempt asks the server again. Undefined: it cannot be asked
 */
export function statusDiagnostics(manifest: Manifest, body: string, attempt?: Attempt): Diagnostic[] {
  const { message, causes, fieldProblems } = readRefusal(body);
  if (causes.length > 0) {
    const lines = causes.map((cause) => ({
      position: manifest.valueAt(cause.field!),
      message: `${cause.field}: ${cause.message}${fixOf(cause.field!)}`,
    }));
    // The server checks some things twice.
    return lines.filter((line, i) => lines.findIndex((other) => other.message === line.message) === i);
  }
  if (fieldProblems === undefined)
    return [typeDiagnostic(manifest, message) ?? { position: manifest.valueAt(""), message }];
  const meant = new MeantFields(manifest.object as JsonObject, attempt);
  const lines = strictDiagnostics(manifest, fieldProblems, meant);
  // A field that is missing only because it is misplaced is not reported as a separate mistake.
  const others = attempt?.(meant.followed, "Ignore");
  return [...lines, ...(others === undefined ? [] : statusDiagnostics(manifest, others))];
}

/** The fix where the server's words do not say it: it reports a policy that Jobs may not have as a missing value. */
function fixOf(field: string): string {
  return field.endsWith("template.spec.restartPolicy") ? "; write restartPolicy: Never, or OnFailure" : "";
}

function strictDiagnostics(manifest: Manifest, problems: readonly FieldProblem[], meant: MeantFields): Diagnostic[] {
  const { apiVersion, kind } = manifest.object;
  return problems.map((problem) => ({
    position: manifest.nameAt(problem.path),
    message:
      `${problem.path}: ${problem.kind} field of ${apiVersion} ${kind}` +
      (problem.kind === "unknown" ? meant.hint(problem.path) : ""),
  }));
}

const GO_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^u?int\d*$/, "a whole number"],
  [/^float\d*$/, "a number"],
  [/^bool$/, "true or false"],
  [/^string$/, "a text (in quotes, if need be)"],
  [/^\[\]byte$/, "base64 text"],
  [/^\[\]/, "a list"],
  [/^map\[/, "a map"],
];

/** `…: json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32`. */
function typeDiagnostic(manifest: Manifest, message: string): Diagnostic | undefined {
  const match = /cannot unmarshal (\w+)(?: (\S+))? into Go struct field [^.\s]+\.(\S+) of type (\S+)$/.exec(message);
  if (match === null) return undefined;
  const [, given, literal, path, goType] = match;
  const allowed = `${GO_TYPES.find(([pattern]) => pattern.test(goType!))?.[1] ?? "a map"}${rangeOf(goType!, literal)}`;
  const shown =
    literal ??
    { string: "a text", number: "a number", bool: "true or false", array: "a list", object: "a map" }[given!] ??
    given;
  return {
    position: manifest.firstAt(path!, (value) => jsonType(value) === given),
    message: `${path}: here is ${shown}; allowed is ${allowed}`,
  };
}

/** For a number that is whole and does not fit. */
function rangeOf(goType: string, literal: string | undefined): string {
  const bits = Number(/^int(\d+)$/.exec(goType)?.[1]);
  if (Number.isNaN(bits) || !/^-?\d+$/.test(literal ?? "")) return "";
  const limit = 2n ** BigInt(bits - 1);
  return literal!.startsWith("-") ? `, at least -${limit}` : `, at most ${limit - 1n}`;
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
