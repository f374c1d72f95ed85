/**
 * A scenario as a file for `stint run --runtime simulated`: its manifest, with the outcomes in the annotation of the
 * pod template.
 *
 * Invariant: the opening comment lists what such a file cannot express, so no reader takes it for the same run. The
 * text of the manifest stays as it is but for the annotation; where its form is unusual, the comment says what to add.
 */
import { SIMULATE_ANNOTATION } from "../../cluster/kubelet/simulation-outcome.ts";
import type { OutcomeRule, Scenario } from "../../cluster/simulation/scenario.ts";

export function runInputOf({ yaml, outcomes, inputs }: Scenario): string {
  const sayable = outcomes.filter(isSayable);
  const annotation = sayable.length === 0 || yaml.includes(SIMULATE_ANNOTATION) ? undefined : annotationOf(sayable);
  const annotated = annotation === undefined ? yaml : withAnnotation(yaml, annotation);
  const missing = [
    ...(outcomes.length > sayable.length
      ? [`rules of outcomes (${outcomes.length - sayable.length}), for attempts, shares, containers or whole pods`]
      : []),
    ...(inputs.length > 0
      ? [`what was done to the cluster: ${inputs.map(({ action }) => action.kind).join(", ")}`]
      : []),
  ];
  const lines = [
    "From the playground of Stint.",
    "",
    "  stint run --runtime simulated --explain FILE",
    ...(missing.length === 0 ? [] : ["", ...missing.map((what) => `Not in this file: ${what}.`)]),
    ...(annotated === undefined
      ? ["", "Add this annotation to the pod template:", `  ${SIMULATE_ANNOTATION}: ${quoted(annotation!)}`]
      : []),
  ];
  return `${lines.map((line) => `# ${line}`.trimEnd()).join("\n")}\n${annotated ?? yaml}`;
}

/** An annotation can express the outcome of all pods, and of those of an index. */
function isSayable({ match = {}, share, pod }: OutcomeRule): boolean {
  const { completionIndex: _, ...rest } = match;
  return share === undefined && pod === undefined && Object.keys(rest).length === 0;
}

/** The first rule that matches wins, as in a scenario. */
function annotationOf(rules: readonly OutcomeRule[]): string {
  const general = rules.findIndex(({ match }) => match?.completionIndex === undefined);
  const base = general < 0 ? {} : rules[general]!.outcome;
  const byIndex: Record<string, unknown> = {};
  for (const { match, outcome } of general < 0 ? rules : rules.slice(0, general))
    byIndex[match!.completionIndex!] ??= { ...undone(base, outcome), ...outcome };
  return JSON.stringify({ ...base, ...(Object.keys(byIndex).length === 0 ? {} : { byIndex }) });
}

/** An index inherits the fields of all pods, so the annotation resets those that the index leaves out. */
function undone(base: OutcomeRule["outcome"], outcome: OutcomeRule["outcome"]): Record<string, unknown> {
  const isFailure = base["exitCode"] !== undefined || base["exitCodes"] !== undefined;
  const saysCode = outcome["exitCode"] !== undefined || outcome["exitCodes"] !== undefined;
  return isFailure && !saysCode ? { exitCode: 0 } : {};
}

/** Undefined: a pod template has an unsupported form. */
function withAnnotation(yaml: string, annotation: string): string | undefined {
  const lines = yaml.split("\n");
  const templates = lines.flatMap((line, i) => (/^ +template:\s*(#.*)?$/.test(line) ? [i] : []));
  if (templates.length === 0) return undefined;
  for (const at of templates.toReversed()) {
    const indent = indentOf(lines[at + 1] ?? "");
    if (indent <= indentOf(lines[at]!)) return undefined;
    const end = lines.findIndex((line, i) => i > at && line.trim() !== "" && indentOf(line) < indent);
    const find = (name: string, depth: number, from: number): number =>
      lines.findIndex(
        (line, i) => i > from && (end < 0 || i < end) && line.trimEnd() === `${" ".repeat(depth)}${name}:`,
      );
    const entry = `${SIMULATE_ANNOTATION}: ${quoted(annotation)}`;
    const metadata = find("metadata", indent, at);
    const annotations = metadata < 0 ? -1 : find("annotations", indent + 2, metadata);
    if (annotations >= 0) lines.splice(annotations + 1, 0, `${" ".repeat(indent + 4)}${entry}`);
    else {
      const added = [`${" ".repeat(indent + 2)}annotations:`, `${" ".repeat(indent + 4)}${entry}`];
      if (metadata >= 0) lines.splice(metadata + 1, 0, ...added);
      else lines.splice(at + 1, 0, `${" ".repeat(indent)}metadata:`, ...added);
    }
  }
  return lines.join("\n");
}

function indentOf(line: string): number {
  return /^ */.exec(line)![0].length;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
