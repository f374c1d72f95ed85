/** What axe finds on a page, as lines to compare. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, ImpactValue } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const GRAVE: readonly ImpactValue[] = ["serious", "critical"];

/** @param impacts only faults of these; absent: all */
export async function axeFaults(page: Page, impacts?: readonly ImpactValue[]): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>("axe.run(document)");
  return violations
    .filter(({ impact }) => impacts === undefined || impacts.includes(impact ?? null))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}
