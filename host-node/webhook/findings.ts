/**
 * What a profile says of a Job: lint and budgets.
 *
 * Invariant: an update gets only findings that it causes. Older faults are ignored, so that a user can always improve a
 * Job.
 */
import type { Advice, Engine } from "../../bindings/js/engine.ts";
import { beyondBudgets } from "./budgets.ts";
import type { Finding } from "./finding.ts";
import type { Forecasts } from "./forecasts.ts";
import type { Profile } from "./profile.ts";
import type { JobQuestion, Subject } from "./subject.ts";

/** Denials come first. */
export function findingsOf(
  engine: Pick<Engine, "lint">,
  forecasts: Forecasts,
  subject: Subject,
  profile: Profile,
): Finding[] {
  const findings = [...adviceOn(engine, subject, profile), ...beyondBudgets(forecasts, subject, profile)];
  return findings.toSorted((a, b) => Number(b.action === "deny") - Number(a.action === "deny"));
}

function adviceOn(engine: Pick<Engine, "lint">, subject: Subject, profile: Profile): Finding[] {
  const known = new Set(subject.before && lint(engine, subject.before, profile).map(keyOf));
  return lint(engine, subject, profile)
    .filter((advice) => !known.has(keyOf(advice)))
    .map(({ code, severity, field, sentence, fix }) => ({
      rule: code,
      field: subject.fieldOf(field),
      sentence,
      fix,
      action: severity === "deny" || profile.failOn === "warn" ? "deny" : "warn",
    }));
}

function lint(engine: Pick<Engine, "lint">, { job, context }: JobQuestion, profile: Profile): readonly Advice[] {
  const around = {
    ...(profile.managers === undefined ? {} : { managers: profile.managers }),
    ...(profile.gitOps ? { fromGitOps: true } : {}),
  };
  return engine.lint({ job, context: { ...around, ...context }, rules: profile.rule }, 0).advice;
}

function keyOf({ code, field }: Advice): string {
  return `${code} ${field}`;
}
