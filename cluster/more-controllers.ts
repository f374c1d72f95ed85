/** The controllers of the kinds of apiserver/more-resources.ts, which the playground leaves out. */
import { moreResources } from "./apiserver/more-resources.ts";
import type { ApiResource } from "./client.ts";
import type { NewController } from "./components.ts";
import { CronJobController } from "./cron-job-controller/cron-job-controller.ts";
import { ServiceAccountController } from "./service-account-controller/service-account-controller.ts";

/** By the names that problems are reported with. */
export const moreControllers: Readonly<Record<string, NewController>> = {
  "CronJob controller": (options) => new CronJobController(options),
};

/** Those of a cluster that clients take for a whole one, which `stint run` leaves out, too. */
export const servingControllers: Readonly<Record<string, NewController>> = {
  "service account controller": (options) => new ServiceAccountController(options),
};

/** What the garbage collector watches because of them. */
export const moreCollected: readonly ApiResource[] = moreResources.map(({ body, resource, isNamespaced }) => ({
  apiVersion: body.apiVersion,
  kind: body.kind,
  plural: resource,
  namespaced: isNamespaced,
}));
