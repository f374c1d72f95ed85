/** kwok's own stages, and one more: pods with a label fail instead of succeeding. */
import { readFileSync } from "node:fs";
import { parseAllDocuments, stringify } from "yaml";
import { findOrBuildKwokStages } from "../binaries/binaries.ts";
import { FAILS_LABEL } from "./workload.ts";

interface Stage {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchExpressions: readonly object[] };
    readonly next: { readonly statusTemplate?: string };
  };
}

/** @throws Error when kwok's stages are not what they were */
export async function stagesWithFailures(): Promise<string> {
  const stages = parseAllDocuments(readFileSync(await findOrBuildKwokStages(), "utf8")).map(
    (document) => document.toJS() as Stage,
  );
  const complete = stages.find(({ metadata }) => metadata.name === "pod-complete");
  if (complete?.spec.next.statusTemplate === undefined)
    throw new Error(
      "kwok has no stage pod-complete with a statusTemplate; there are " +
        stages.map(({ metadata }) => metadata.name).join(", "),
    );
  const { selector, next } = complete.spec;
  const on = (operator: "Exists" | "DoesNotExist"): Stage["spec"]["selector"] => ({
    ...selector,
    matchExpressions: [...selector.matchExpressions, { key: `.metadata.labels["${FAILS_LABEL}"]`, operator }],
  });
  const statusTemplate = next
    .statusTemplate!.replace("exitCode: 0", "exitCode: 1")
    .replace("reason: Completed", "reason: Error")
    .replace("phase: Succeeded", "phase: Failed");
  const all: Stage[] = [
    ...stages.filter((stage) => stage !== complete),
    { ...complete, spec: { ...complete.spec, selector: on("DoesNotExist") } },
    {
      ...complete,
      metadata: { name: "pod-fail" },
      spec: { ...complete.spec, selector: on("Exists"), next: { ...next, statusTemplate } },
    },
  ];
  return all.map((stage) => stringify(stage, { lineWidth: 0 })).join("---\n");
}
