/**
 * What a page and its Worker did, from Chromium's own trace: the processor time of each task, and of its parts. A busy
 * machine makes tasks longer, and their processor time hardly.
 *
 * Leaves out the threads that neither runs scripts on: raster, compositor, garbage collection beside them.
 */
import type { Browser } from "playwright-core";

const CATEGORIES = ["toplevel", "blink", "blink.user_timing", "cc", "devtools.timeline", "v8"];
const TASK = /(^|::)RunTask$/;
/** Events that say of a task only that it runs a script. */
const ANY_SCRIPT = /^(FunctionCall|v8\.callFunction|AsyncTask Run)$/;

interface Event {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds; tdur: on the processor. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string; readonly data?: { readonly documentLoaderURL?: string } };
}

/** Events of one thread, the outer ones first. */
type Thread = readonly Event[];

export interface Task {
  readonly processorMs: number;
  /** Its costliest part, as the trace names it. */
  readonly what: string;
}

/** Parts of a start by their names in the trace. None of them is in another one. */
const PARTS: readonly (readonly [thread: "page" | "worker", part: string, names: readonly string[]])[] = [
  ["page", "read and run scripts", ["v8.compileModule", "v8.evaluateModule"]],
  ["page", "take what the Worker says", ["HandlePostMessage"]],
  ["page", "draw the picture", ["FireAnimationFrame"]],
  ["page", "style, layout and paint", ["WebFrameWidgetImpl::UpdateLifecycle", "Document::UpdateStyleAndLayout"]],
  ["worker", "read its script", ["v8.compileModule"]],
  ["worker", "run it once", ["v8.evaluateModule"]],
  ["worker", "simulate and record", ["HandlePostMessage", "MessagePort::Accept"]],
];

export class Trace {
  readonly #page: Thread;
  readonly #worker: Thread;

  /** @param url of the page, which has a process of its own */
  constructor(events: readonly Event[], url: string) {
    const pid = events.find(({ args }) => args.data?.documentLoaderURL?.startsWith(url))?.pid;
    const threadOf = (name: RegExp): Thread => {
      const named = events.filter(({ ph, args }) => ph === "M" && name.test(args.name ?? ""));
      const tids = new Set(named.filter((event) => event.pid === pid).map(({ tid }) => tid));
      const own = events.filter((event) => event.ph === "X" && event.pid === pid && tids.has(event.tid));
      return own.sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
    };
    this.#page = threadOf(/^CrRendererMain$/);
    this.#worker = threadOf(/^DedicatedWorker/);
  }

  /** The page's task with most processor time. */
  longestTask(): Task {
    const tasks = this.#page.filter(({ name }) => TASK.test(name));
    const longest = tasks.reduce((long, task) => (timeOf(task) > timeOf(long) ? task : long));
    const inner = this.#page.filter((event) => isWithin(event, longest));
    const telling = inner.filter(({ name }) => !TASK.test(name) && !ANY_SCRIPT.test(name));
    const deepest = telling.findLast((event) => timeOf(event) > timeOf(longest) / 2);
    return { processorMs: timeOf(longest), what: deepest?.name ?? "no part of it" };
  }

  /** Processor time of what the page and its Worker did, in milliseconds. */
  parts(): readonly (readonly [part: string, ms: number])[] {
    return PARTS.map(([thread, part, names]) => {
      const events = thread === "page" ? this.#page : this.#worker;
      return [`${thread}: ${part}`, outermost(events.filter(({ name }) => names.includes(name)))] as const;
    });
  }
}

function timeOf({ tdur = 0 }: Event): number {
  return tdur / 1000;
}

function isWithin(inner: Event, outer: Event): boolean {
  return inner.ts >= outer.ts && inner.ts + (inner.dur ?? 0) <= outer.ts + (outer.dur ?? 0);
}

/** Sum of those that are not within another one. */
function outermost(events: Thread): number {
  let sum = 0;
  let last: Event | undefined;
  for (const event of events) {
    if (last !== undefined && isWithin(event, last)) continue;
    sum += timeOf(event);
    last = event;
  }
  return sum;
}

/** @param run opens the page at this address and waits for what is looked at */
export async function traced(browser: Browser, url: string, run: () => Promise<unknown>): Promise<Trace> {
  const session = await browser.newBrowserCDPSession();
  const events: Event[] = [];
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const event of value) events.push(event as unknown as Event);
  });
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { recordMode: "recordUntilFull", includedCategories: CATEGORIES },
  });
  await run();
  const complete = new Promise<void>((resolve) => session.once("Tracing.tracingComplete", () => resolve()));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  return new Trace(events, url);
}
