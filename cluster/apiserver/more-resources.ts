/**
 * The table of the resources that `stint serve` and `stint run` have beyond those of resources.ts, which the playground
 * has too. Their types come from schema-served.ts, so that the playground loads neither.
 */
import "./schema-served.ts"; // First: define() asks for the types.
import { define, status } from "./define.ts";
import type { ResourceDefinition } from "./definition.ts";
import { cronJobStrategy } from "./strategies/cron-jobs.ts";
import { cronJobTable } from "./tables/cron-jobs.ts";

export const moreResources: readonly ResourceDefinition[] = [
  define(
    { group: "batch", resource: "cronjobs", kind: "CronJob" },
    {
      shortNames: ["cj"],
      categories: ["all"],
      hasGeneration: true,
      strategy: cronJobStrategy,
      table: cronJobTable,
      subresources: [status("CronJob")],
    },
  ),
];
