/** A diagnosis for people, by what was found, and for programs. Pure functions. */
import { counted } from "../../words/counted.ts";
import { printable } from "../../words/printable.ts";
import type { Style } from "../../words/style.ts";
import { type Document, documentLine, head } from "../json/document.ts";
import { type Diagnosis, type Finding, FINDINGS, type FindingId, type Severity } from "./finding.ts";
import { document } from "../../words/document.ts";

/** Of more objects with the same fault, only the first are shown. */
const MAX_SHOWN = 10;

export function textReport(diagnosis: Diagnosis, style: Style): string {
  const groups = [...Map.groupBy(diagnosis.findings, ({ id }) => id)].flatMap(([id, findings]) => [
    ...groupLines(id, findings, style),
    "",
  ]);
  const skipped = diagnosis.skipped.map(({ what, reason }) => printable(`not looked at: ${what} (${reason})`));
  return [...groups, ...skipped.map(style.yellow), summaryOf(diagnosis, style), ""].join("\n");
}

function groupLines(id: FindingId, findings: readonly Finding[], style: Style): string[] {
  const { severity, meaning } = FINDINGS[id];
  const paint = severity === "error" ? style.red : style.yellow;
  const left = findings.length - MAX_SHOWN;
  return [
    `${paint(severity)} ${style.bold(id)}: ${meaning}`,
    ...findings
      .slice(0, MAX_SHOWN)
      .flatMap(({ kind, namespace, name, sentence, fix }) => [
        `  ${printable(`${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`)}: ${printable(sentence)}`,
        `    ${style.dim("fix:")} ${printable(fix)}`,
      ]),
    ...(left > 0 ? [`  … and ${left} more; --output json shows all`] : []),
  ];
}

function summaryOf({ findings, left, jobs, pods }: Diagnosis, style: Style): string {
  const count = (severity: Severity): number => findings.filter(({ id }) => FINDINGS[id].severity === severity).length;
  const amounts = (["error", "warning"] as const)
    .map((severity) => [count(severity), severity] as const)
    .filter(([amount]) => amount > 0)
    .map(([amount, severity]) => counted(amount, severity));
  const found = amounts.length === 0 ? style.green("nothing is wrong") : amounts.join(", ");
  const more = left === 0 ? "" : `, and ${left} more that were not kept`;
  const where = amounts.length === 0 ? "" : `; ${document("docs/doctor.md")} says what to look at first`;
  return `${found}${more}: ${counted(jobs, "Job")} and ${counted(pods, "pod")} were looked at${where}`;
}

export interface DoctorReport extends Document<"DoctorReport">, Omit<Diagnosis, "findings"> {
  readonly findings: readonly DoctorFinding[];
}

/** One thing that no controller repairs. docs/doctor.md has a section for each id. */
export interface DoctorFinding extends Finding {
  readonly severity: Severity;
}

export function jsonReport({ findings, ...rest }: Diagnosis): string {
  const told = findings.map((finding) => ({ ...finding, severity: FINDINGS[finding.id].severity }));
  return documentLine({ ...head("DoctorReport"), findings: told, ...rest } satisfies DoctorReport);
}
