/**
 * What a page has cost, its Worker included: both are in one process, the renderer, and the kernel counts for it. Its
 * processor time is the same on a busy machine, where the time on the clock says little.
 */
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";

/** The kernel's USER_HZ, which is the same on every Linux that runs Chromium. */
const TICKS_PER_SECOND = 100;

export interface RendererCost {
  /** The most memory that it has had. */
  readonly peakMiB: number;
  readonly processorSeconds: number;
}

/** Of the largest renderer of this browser. */
export async function costOf(browser: Browser): Promise<RendererCost> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const costs = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => read(id));
  return costs.reduce((largest, cost) => (cost.peakMiB > largest.peakMiB ? cost : largest));
}

function read(id: number): RendererCost {
  const peakKiB = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]);
  // The name of the process, in parentheses, may have spaces; user and system time are fields 14 and 15.
  const fields = readFileSync(`/proc/${id}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return { peakMiB: peakKiB / 1024, processorSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND };
}
