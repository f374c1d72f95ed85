/**
 * What a page has cost, its Worker included: both are in one process, the renderer, and the kernel counts for it. Its
 * processor time is the same on a busy machine, where the time on the clock says little. The most memory depends on
 * when V8 last collected garbage; what is live after a forced collection does not.
 */
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";

/** The kernel's USER_HZ, which is the same on every Linux that runs Chromium. */
const TICKS_PER_SECOND = 100;

/** A browser at rest uses less than this much processor time in a look at it. */
const REST_SECONDS = 0.02;
const LOOK_MS = 200;
const MAX_LOOKS = 50;

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

/** Waits until the browser has done what it does after its own start, and after that of a tab. */
export async function rested(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const usedSeconds = async (): Promise<number> => {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
  let before = await usedSeconds();
  for (let look = 0; look < MAX_LOOKS; look++) {
    await setTimeout(LOOK_MS);
    const now = await usedSeconds();
    if (now - before < REST_SECONDS) break;
    before = now;
  }
  await session.detach();
}

function read(id: number): RendererCost {
  const peakKiB = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]);
  // The name of the process, in parentheses, may have spaces; user and system time are fields 14 and 15.
  const fields = readFileSync(`/proc/${id}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return { peakMiB: peakKiB / 1024, processorSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND };
}

export interface HeapUse {
  readonly usedMiB: number;
  /** With the room that V8 holds for more. */
  readonly totalMiB: number;
}

export interface Heaps {
  readonly page: HeapUse;
  readonly worker: HeapUse;
}

type Send = (method: string) => Promise<Record<string, number>>;

/** The heaps as they are, and when garbage has been collected. */
export async function heapsOf(page: Page): Promise<{ readonly before: Heaps; readonly live: Heaps }> {
  const session = await page.context().newCDPSession(page);
  const sendToPage = ((method: string) => session.send(method as "Runtime.getHeapUsage")) as unknown as Send;
  const sendToWorker = await workerOf(session);
  const read = async (): Promise<Heaps> => ({ page: await useOf(sendToPage), worker: await useOf(sendToWorker) });
  const before = await read();
  for (const send of [sendToPage, sendToWorker]) await send("HeapProfiler.collectGarbage");
  const live = await read();
  await session.detach();
  return { before, live };
}

async function useOf(send: Send): Promise<HeapUse> {
  const { usedSize = 0, totalSize = 0, backingStorageSize = 0 } = await send("Runtime.getHeapUsage");
  const toMiB = (bytes: number): number => (bytes + backingStorageSize) / 1024 ** 2;
  return { usedMiB: toMiB(usedSize), totalMiB: toMiB(totalSize) };
}

/** A way to talk to the page's Worker: playwright has none. */
async function workerOf(session: CDPSession): Promise<Send> {
  const answers = new Map<number, (result: Record<string, number>) => void>();
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result } = JSON.parse(message) as { readonly id?: number; readonly result?: Record<string, number> };
    if (id !== undefined) answers.get(id)?.(result ?? {});
  });
  const attached = new Promise<string>((resolve) =>
    session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (targetInfo.type === "worker") resolve(sessionId);
    }),
  );
  await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const sessionId = await attached;
  return (method) =>
    new Promise((resolve, reject) => {
      const id = answers.size + 1;
      answers.set(id, resolve);
      const message = JSON.stringify({ id, method });
      session.send("Target.sendMessageToTarget", { sessionId, message }).catch(reject);
    });
}
