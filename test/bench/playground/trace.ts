/**
 * What a page and its Worker did, from Chromium's own trace: the processor time of each task, and of its parts. A busy
 * machine makes tasks longer, and their processor time hardly. A task that takes longer than its processor time has
 * waited: the threads that had the processors meanwhile are named.
 *
 * Leaves out what is not Chromium's: its trace does not have it.
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
  readonly clockMs: number;
  readonly processorMs: number;
  /** Its costliest part, as the trace names it. */
  readonly what: string;
  /** Who had a processor while it lasted, the busiest first. */
  readonly meanwhile: readonly (readonly [who: string, ms: number])[];
}

/** Threads by their names, in the page's process; what no name fits is not told. */
const BESIDES: readonly (readonly [who: string, name: RegExp])[] = [
  ["the Worker", /^DedicatedWorker/],
  ["V8's compiler and collector", /^ThreadPool/],
  ["the compositor", /^Compositor/],
];
const OTHER_PROCESSES = "Chromium's other processes";

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
  /** Tasks of all other threads, none of them within another one. */
  readonly #besides: readonly (readonly [who: string, tasks: Thread])[];

  /** @param url of the page, which has a separate process */
  constructor(events: readonly Event[], url: string) {
    const pid = events.find(({ args }) => args.data?.documentLoaderURL?.startsWith(url))?.pid;
    const threads = threadsOf(events);
    const own = threads.filter((thread) => thread.pid === pid);
    const named = (name: RegExp): readonly Thread[] =>
      own.filter((thread) => name.test(thread.name)).map(({ all }) => all);
    this.#page = named(/^CrRendererMain$/).flat();
    this.#worker = named(/^DedicatedWorker/).flat();
    const others = threads.filter((thread) => thread.pid !== pid).map(({ all }) => all);
    this.#besides = [
      ...BESIDES.map(([who, name]) => [who, named(name).flatMap(outermost)] as const),
      [OTHER_PROCESSES, others.flatMap(outermost)],
    ];
  }

  /** The page's task with most processor time, and the one that was longest on the clock. */
  longestTasks(): { readonly byProcessor: Task; readonly byClock: Task } {
    const tasks = this.#page.filter(({ name }) => TASK.test(name));
    const most = (of: (event: Event) => number): Task =>
      this.#told(tasks.reduce((long, task) => (of(task) > of(long) ? task : long)));
    return { byProcessor: most(timeOf), byClock: most(clockOf) };
  }

  #told(task: Event): Task {
    const inner = this.#page.filter((event) => isWithin(event, task));
    const telling = inner.filter(({ name }) => !TASK.test(name) && !ANY_SCRIPT.test(name));
    const deepest = telling.findLast((event) => timeOf(event) > timeOf(task) / 2);
    const meanwhile = this.#besides.map(([who, tasks]) => [who, sharedMs(tasks, task)] as const);
    return {
      clockMs: clockOf(task),
      processorMs: timeOf(task),
      what: deepest?.name ?? "no part of it",
      meanwhile: meanwhile.sort(([, a], [, b]) => b - a),
    };
  }

  /** Processor time of what the page and its Worker did, in milliseconds. */
  parts(): readonly (readonly [part: string, ms: number])[] {
    return PARTS.map(([thread, part, names]) => {
      const events = thread === "page" ? this.#page : this.#worker;
      const outer = outermost(events.filter(({ name }) => names.includes(name)));
      return [`${thread}: ${part}`, outer.reduce((sum, event) => sum + timeOf(event), 0)] as const;
    });
  }
}

function timeOf({ tdur = 0 }: Event): number {
  return tdur / 1000;
}

function clockOf({ dur = 0 }: Event): number {
  return dur / 1000;
}

function isWithin(inner: Event, outer: Event): boolean {
  return inner.ts >= outer.ts && inner.ts + (inner.dur ?? 0) <= outer.ts + (outer.dur ?? 0);
}

/** Those that are not within another one. */
function outermost(events: Thread): Thread {
  const outer: Event[] = [];
  for (const event of events) if (outer.length === 0 || !isWithin(event, outer.at(-1)!)) outer.push(event);
  return outer;
}

/** Processor time of tasks while this one lasted: of a task that lasted longer, a share. */
function sharedMs(tasks: Thread, { ts, dur = 0 }: Event): number {
  return tasks.reduce((sum, task) => {
    const shared = Math.min(task.ts + (task.dur ?? 0), ts + dur) - Math.max(task.ts, ts);
    return shared <= 0 ? sum : sum + timeOf(task) * (shared / task.dur!);
  }, 0);
}

interface NamedThread {
  readonly pid: number;
  readonly name: string;
  readonly all: Thread;
}

function threadsOf(events: readonly Event[]): NamedThread[] {
  const threads = new Map<string, { readonly pid: number; name: string; readonly all: Event[] }>();
  for (const event of events) {
    const key = `${event.pid} ${event.tid}`;
    const thread = threads.get(key) ?? { pid: event.pid, name: "", all: [] };
    threads.set(key, thread);
    if (event.ph === "M" && event.name === "thread_name") thread.name = event.args.name ?? "";
    else if (event.ph === "X") thread.all.push(event);
  }
  for (const { all } of threads.values()) all.sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  return [...threads.values()];
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
