/** The table of Jobs. Source: printJob in pkg/printers/internalversion. */
import { trueCondition } from "../../values/job-conditions.ts";
import { parseTime } from "../../values/times.ts";
import { age, humanDuration } from "./duration.ts";
import { column, type TableDefinition, wide } from "./table.ts";
import type { Job, LabelSelector } from "../../values/kinds.ts";

export const jobTable: TableDefinition<Job> = {
  columns: [
    column("Name"),
    column("Status"),
    column("Completions"),
    column("Duration"),
    column("Age"),
    wide("Containers"),
    wide("Images"),
    wide("Selector"),
  ],
  cells(job, nowMs) {
    const containers: { name: string; image?: string }[] = job.spec?.template?.spec?.containers ?? [];
    return [
      job.metadata.name ?? "",
      status(job),
      completions(job),
      duration(job, nowMs),
      age(job, nowMs),
      containers.map((container) => container.name).join(","),
      containers.map((container) => container.image ?? "").join(","),
      selectorText(job.spec?.selector),
    ];
  },
};

function status(job: Job): string {
  const isTrue = (type: string): boolean => trueCondition(job, type) !== undefined;
  if (isTrue("Complete")) return "Complete";
  if (isTrue("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(isTrue) ?? "Running";
}

function completions(job: Job): string {
  const { completions: wanted, parallelism = 0 } = job.spec ?? {};
  const succeeded = job.status?.succeeded ?? 0;
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration(job: Job, nowMs: number): string {
  const { startTime, completionTime } = job.status ?? {};
  if (!startTime) return "";
  return humanDuration((completionTime ? parseTime(completionTime) : nowMs) - parseTime(startTime));
}

/** A label selector as text: `k=v,k2 in (a,b)`; `<none>` without one. */
export function selectorText(selector: LabelSelector | null | undefined): string {
  const terms = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const set = `(${values.toSorted().join(",")})`;
    const texts: Record<string, string> = {
      In: `${key} in ${set}`,
      NotIn: `${key} notin ${set}`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    terms.push({ key, text: texts[operator] ?? key });
  }
  if (terms.length === 0) return "<none>";
  return terms
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map((term) => term.text)
    .join(",");
}
