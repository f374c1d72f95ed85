/** Reads the body of an API server's refusal: the fields that it names, or its message. */

export interface Cause {
  readonly reason?: string;
  readonly field?: string;
  readonly message?: string;
}

export interface FieldProblem {
  readonly kind: "unknown" | "duplicate";
  readonly path: string;
}

export interface RefusalBody {
  readonly message: string;
  /** Those that name a field. */
  readonly causes: readonly Cause[];
  /** Unknown or duplicate fields. Undefined: the refusal is about something else. */
  readonly fieldProblems: readonly FieldProblem[] | undefined;
}

/** A body that is no Status is the message. */
export function readRefusal(body: string): RefusalBody {
  const status = parseStatus(body);
  const message = status.message ?? body;
  return {
    message,
    causes: status.details?.causes?.filter((cause) => cause.field) ?? [],
    fieldProblems: fieldProblems(message),
  };
}

/** `…: strict decoding error: unknown field "spec.foo", duplicate field "spec.bar"`. */
function fieldProblems(message: string): FieldProblem[] | undefined {
  const problems = /: strict decoding error: (.*)$/s.exec(message)?.[1];
  if (problems === undefined) return undefined;
  return [...problems.matchAll(/(unknown|duplicate) field "([^"]*)"/g)].map(([, kind, path]) => ({
    kind: kind as FieldProblem["kind"],
    path: path!,
  }));
}

function parseStatus(body: string): { message?: string; details?: { causes?: readonly Cause[] } } {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
