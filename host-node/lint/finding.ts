/** What `stint lint` finds, whatever finds it and however it is shown. */
import { EngineError, type Engine, ErrorCode, type LintQuestion } from "../../bindings/js/engine.ts";
import type { Diagnostic, Position } from "../../cluster/manifests/diagnostic.ts";
import type { LintTarget } from "./targets.ts";

/** The code of a refusal by the API server; the others are those of the rules. */
export const REFUSED = "Refused";

/** `error`: the API server would refuse the Job. */
export type Severity = "error" | "deny" | "warn";

export interface Finding {
  readonly position: Position;
  /** The line that it is about. */
  readonly line: string;
  readonly target: LintTarget;
  readonly code: string;
  readonly severity: Severity;
  /** The path in the object of the file; empty: the whole object. */
  readonly field: string;
  readonly sentence: string;
  /** Empty: the sentence says what is allowed. */
  readonly fix: string;
  readonly numbers: Readonly<Record<string, number>>;
}

/** The sentence, behind the field that it is about. */
export function sayingOf({ field, sentence }: Finding): string {
  return field === "" ? sentence : `${field}: ${sentence}`;
}

/** The findings about a Job: first the refusals of the API server, then advice in the order of the lines. */
export function findingsOf(
  target: LintTarget,
  refusals: readonly Diagnostic[],
  engine: Engine,
  context: LintQuestion["context"],
  rules: LintQuestion["rules"],
): Finding[] {
  const line = (position: Position): string => target.lines[position.line - 1] ?? "";
  const refusal = ({ position, message }: Diagnostic): Finding => {
    const [, field = "", sentence = message] = /^([a-z][^\s:]*): (.*)$/s.exec(message) ?? [];
    return {
      position,
      line: line(position),
      target,
      code: REFUSED,
      severity: "error",
      field,
      sentence,
      fix: "",
      numbers: {},
    };
  };
  const refused = refusals.map(refusal);
  const { wrongHead } = target.manifest;
  if (wrongHead !== undefined) refused.unshift(refusal(wrongHead));
  const advice = adviceOf(target, engine, { ...context, ...target.context }, rules, refused.length > 0);
  return [
    ...refused,
    ...advice
      .map(({ field: path, ...rest }): Finding => {
        const field = target.fieldOf(path);
        const position = target.manifest.nameAt(field);
        return { ...rest, position, line: line(position), target, field };
      })
      .sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column),
  ];
}

function adviceOf(
  { job }: LintTarget,
  engine: Engine,
  context: LintQuestion["context"] & object,
  rules: LintQuestion["rules"],
  isRefused: boolean,
): ReturnType<Engine["lint"]>["advice"] {
  try {
    return engine.lint({ job, context, rules: rules ?? {} }, 0).advice;
  } catch (error) {
    // A field of another type: the API server has reported it.
    if (isRefused && error instanceof EngineError && error.code === ErrorCode.badJson) return [];
    throw error;
  }
}
