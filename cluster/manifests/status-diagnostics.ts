/**
 * Turns the API server's refusal of an object into diagnostics that point into the text the object came from.
 *
 * Invariant: the server's own words are kept (field path, value, what is allowed); only the position is added, words
 * of the Go language are translated, and an unknown field gets the one that may be meant. A refusal that names no field
 * points at the object.
 */
import type { Diagnostic } from "./diagnostic.ts";
import type { Manifest } from "./manifests.ts";
import { meantField } from "./meant-field.ts";

interface Status {
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly field?: string; readonly message?: string }[];
  };
}

/** `body` is the body of an error answer. If it is not a Status, its text becomes the message. */
export function statusDiagnostics(manifest: Manifest, body: string): Diagnostic[] {
  const status = parseStatus(body);
  const causes = status.details?.causes?.filter((cause) => cause.field) ?? [];
  if (causes.length > 0) {
    const lines = causes.map(({ field, message }) => ({
      position: manifest.valueAt(field!),
      message: `${field}: ${message}`,
    }));
    // The server checks some things twice.
    return lines.filter((line, i) => lines.findIndex(({ message }) => message === line.message) === i);
  }
  const message = status.message ?? body;
  return (
    strictDiagnostics(manifest, message) ??
    typeDiagnostic(manifest, message) ?? [{ position: manifest.valueAt(""), message }]
  );
}

/** `…: strict decoding error: unknown field "spec.foo", duplicate field "spec.bar"`. */
function strictDiagnostics(manifest: Manifest, message: string): Diagnostic[] | undefined {
  const problems = /: strict decoding error: (.*)$/s.exec(message)?.[1];
  if (problems === undefined) return undefined;
  return [...problems.matchAll(/(unknown|duplicate) field "([^"]*)"/g)].map(([, kind, path]) => ({
    position: manifest.nameAt(path!),
    message:
      `${path}: ${kind} field of ${manifest.object.apiVersion} ${manifest.object.kind}` +
      (kind === "unknown" ? meantField(manifest, path!) : ""),
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
function typeDiagnostic(manifest: Manifest, message: string): Diagnostic[] | undefined {
  const match = /cannot unmarshal (\w+)(?: (\S+))? into Go struct field [^.\s]+\.(\S+) of type (\S+)$/.exec(message);
  if (match === null) return undefined;
  const [, given, literal, path, goType] = match;
  const allowed = GO_TYPES.find(([pattern]) => pattern.test(goType!))?.[1] ?? "a map";
  const shown =
    literal ??
    { string: "a text", number: "a number", bool: "true or false", array: "a list", object: "a map" }[given!] ??
    given;
  return [
    {
      position: manifest.firstAt(path!, (value) => jsonType(value) === given),
      message: `${path}: here is ${shown}; allowed is ${allowed}`,
    },
  ];
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function parseStatus(body: string): Status {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
