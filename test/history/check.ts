/**
 * Decides whether a history is one of a Job controller that does its work: reads what the API server saw, and knows
 * nothing else. The rules are Kubernetes' own, so it judges any Job controller. It imports nothing of the engine, its
 * bindings or their tests, because shared code shares its mistakes.
 *
 * Invariant: it is sound before it is strict. What a controller could not know is not held against it; what it finds is
 * a fault.
 */
import type { Line } from "./format.ts";
import { History } from "./history.ts";
import { COUNTING } from "./rules/counting.ts";
import { CREATIONS } from "./rules/creations.ts";
import { ENDINGS } from "./rules/endings.ts";
import { FINALIZERS } from "./rules/finalizers.ts";
import type { Rule } from "./rules/rule.ts";
import { STATUSES } from "./rules/statuses.ts";
import { WHOLENESS } from "./rules/wholeness.ts";

export const RULES: readonly Rule[] = [...WHOLENESS, ...COUNTING, ...FINALIZERS, ...CREATIONS, ...STATUSES, ...ENDINGS];

/** One of each rule tells enough; a broken rule is often broken a thousand times. */
const MAX_BREACHES_OF_A_RULE = 20;

export interface Finding {
  /** Name of the rule. */
  readonly rule: string;
  readonly breach: string;
}

export interface Verdict {
  readonly findings: readonly Finding[];
  readonly counts: { readonly jobs: number; readonly pods: number; readonly writes: number; readonly events: number };
}

export function checkHistory(lines: readonly Line[]): Verdict {
  const history = new History(lines);
  const findings = RULES.flatMap((rule) =>
    firstOf(rule.breaches(history), MAX_BREACHES_OF_A_RULE).map((breach) => ({ rule: rule.name, breach })),
  );
  const { jobs, pods, writes, events } = history;
  return { findings, counts: { jobs: jobs.size, pods: pods.size, writes: writes.length, events: events.length } };
}

/** A verdict in one sentence. */
export function describeVerdict({ findings, counts }: Verdict): string {
  const { jobs, pods, writes, events } = counts;
  const extent = `${jobs} Jobs, ${pods} pods, ${writes} writes, ${events} events`;
  return findings.length === 0
    ? `the history keeps all ${RULES.length} rules: ${extent}`
    : `the history breaks ${new Set(findings.map(({ rule }) => rule)).size} of ${RULES.length} rules: ${extent}`;
}

function firstOf(breaches: Iterable<string>, limit: number): string[] {
  const found: string[] = [];
  for (const breach of breaches) {
    if (found.length === limit) break;
    found.push(breach);
  }
  return found;
}
