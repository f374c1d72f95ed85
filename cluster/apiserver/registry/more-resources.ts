/**
 * The table of the resources that `stint serve` and `stint run` have beyond those of resources.ts, which the playground
 * has too. Their types come from schema-served.ts, so that the playground loads neither. The parts of the table are in
 * the folder more-resources/.
 */
import { CRD_GROUP, CRD_RESOURCE } from "../custom-resources/definition-spec.ts";
import { definitionStrategy } from "../custom-resources/definition-strategy.ts";
import { status } from "../contract/resource-table.ts";
import { defineServed as define } from "../contract/served-resource.ts";
import type { ResourceDefinition } from "../contract/context.ts";
import { admissionResources } from "./more-resources/admission.ts";
import { appsResources } from "./more-resources/apps.ts";
import { coreResources } from "./more-resources/core.ts";
import { smallGroupResources } from "./more-resources/small-groups.ts";
import { cronJobStrategy } from "../strategies/cron-jobs.ts";
import { cronJobTable } from "../tables/cron-jobs.ts";
import { withDeclaredRules } from "./declared-rules.ts";

const definitions: readonly ResourceDefinition[] = [
  ...coreResources,
  ...appsResources,
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
  ...smallGroupResources,
  define(
    { group: CRD_GROUP, resource: CRD_RESOURCE, kind: "CustomResourceDefinition" },
    {
      isNamespaced: false,
      shortNames: ["crd", "crds"],
      categories: ["api-extensions"],
      hasGeneration: true,
      allowsUnconditionalUpdate: false,
      strategy: definitionStrategy,
      subresources: [status("CustomResourceDefinition")],
    },
  ),
  ...admissionResources,
];

export const moreResources: readonly ResourceDefinition[] = definitions.map(withDeclaredRules);
