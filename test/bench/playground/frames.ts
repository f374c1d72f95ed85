/** How smooth a page is: the time between frames, tasks that block it, and the cost of moving the time. */
import type { PlaygroundPage } from "../../host-browser/browser/open-page.ts";
import { percentile } from "../percentile.ts";

export interface Smoothness {
  readonly frames: number;
  readonly p95Ms: number;
  readonly longestFrameMs: number;
  /** 0: no task of more than 50 ms, which is what browsers call long. */
  readonly longestTaskMs: number;
}

/** Of the frames while a run went on. */
export async function smoothnessOf({ page }: PlaygroundPage): Promise<Smoothness> {
  const { gaps, longestTaskMs } = await page.evaluate<{ readonly gaps: number[]; readonly longestTaskMs: number }>(
    "probe.frames",
  );
  if (gaps.length === 0) throw new Error("the run was over before a frame was drawn");
  return { frames: gaps.length, p95Ms: percentile(gaps, 0.95), longestFrameMs: Math.max(...gaps), longestTaskMs };
}

export interface Scrubs {
  /** What the page does for one, from the event to the drawn frame, without waiting for that frame. */
  readonly p95Ms: number;
  readonly longestMs: number;
}

export async function scrub({ page }: PlaygroundPage, times: number): Promise<Scrubs> {
  const costs = await page.evaluate<number[]>(`probe.scrub(${times})`);
  return { p95Ms: percentile(costs, 0.95), longestMs: Math.max(...costs) };
}
