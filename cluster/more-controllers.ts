/** The controllers of the kinds of apiserver/more-resources.ts, which the playground leaves out. */
import type { NewController } from "./components.ts";
import { CronJobController } from "./cron-job-controller/cron-job-controller.ts";

/** By the names that problems are reported with. */
export const moreControllers: Readonly<Record<string, NewController>> = {
  "CronJob controller": (options) => new CronJobController(options),
};
