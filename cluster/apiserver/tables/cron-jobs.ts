/** The table of CronJobs. Source: printCronJob in pkg/printers/internalversion. */
import { age, since } from "./duration.ts";
import { selectorText } from "./jobs.ts";
import { column, type TableDefinition, wide } from "./table.ts";
import type { CronJob } from "../../values/kinds.ts";

export const cronJobTable: TableDefinition<CronJob> = {
  columns: [
    column("Name"),
    column("Schedule"),
    column("Timezone"),
    column("Suspend", { type: "boolean" }),
    column("Active", { type: "integer" }),
    column("Last Schedule"),
    column("Age"),
    wide("Containers"),
    wide("Images"),
    wide("Selector"),
  ],
  cells(cronJob, nowMs) {
    const { schedule, timeZone, suspend, jobTemplate } = cronJob.spec;
    const { active = [], lastScheduleTime } = cronJob.status ?? {};
    const containers: { name: string; image?: string }[] = jobTemplate.spec?.template?.spec?.containers ?? [];
    return [
      cronJob.metadata.name,
      schedule,
      timeZone ?? "<none>",
      suspend ? "True" : "False",
      active.length,
      lastScheduleTime ? since(lastScheduleTime, nowMs) : "<none>",
      age(cronJob, nowMs),
      containers.map((container) => container.name).join(","),
      containers.map((container) => container.image ?? "").join(","),
      selectorText(jobTemplate.spec?.selector),
    ];
  },
};
