/**
 * Runs in the page before its own scripts, and keeps in `probe` what tests and benchmarks ask for: what the Worker said
 * last, the time between frames while a run continues, and the cost of moving the time.
 *
 * Invariant: until a test asks it to move the time or to start a separate Worker, it only listens: the page and its
 * Worker do the same as without it.
 */
const heard = {
  mode: "",
  nowMs: 0,
  digest: "",
  run: 0,
  pods: 0,
  decisions: 0,
  looks: 0,
  refused: "",
  fatal: "",
  // Of the page's clock: when the Worker was ready, and the end of the run was drawn.
  readyAtMs: 0,
  finishedAtMs: 0,
};
/** The last command of each kind that the page has sent, and the last view that it got. */
const said = {};
let lastView;
const OriginalWorker = Worker;
const frames = { gaps: [], longestTaskMs: 0 };
/** Who waits for something, and for what. */
const waiting = new Set();

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

function hear(notice) {
  if (notice.kind === "ready") heard.readyAtMs = performance.now();
  else if (notice.kind === "fatal") heard.fatal = notice.message;
  else if (notice.kind === "refused") heard.refused = notice.problems.map(({ message }) => message).join("\n");
  else if (notice.kind === "view") {
    heard.looks++;
    lastView = notice;
  } else if (notice.kind === "progress") hearProgress(notice);
  tell();
}

function hearProgress({ run, mode, nowMs, digest, chunk }) {
  if (run !== heard.run) Object.assign(heard, { run, pods: 0, decisions: 0, finishedAtMs: 0, refused: "" });
  Object.assign(heard, { mode, nowMs, digest });
  heard.pods += chunk.pods.job.length;
  heard.decisions += chunk.decisions.job.length;
  if (mode === "finished") void drawn(run);
}

/** What a run of the same scenario, recreated and stopped at the instant of the last look, shows there. */
function freshView() {
  return new Promise((resolve) => {
    const worker = new OriginalWorker("worker.js", { type: "module" });
    worker.postMessage(said.engine);
    const { query } = said.look;
    const { scenario } = said.load;
    worker.addEventListener("message", ({ data }) => {
      if (data.kind === "ready") worker.postMessage({ kind: "load", run: 1, scenario, untilMs: query.atMs });
      else if (data.kind === "progress" && data.mode !== "loading")
        worker.postMessage({ kind: "look", look: 1, query });
      else if (data.kind === "view") {
        worker.terminate();
        resolve(data.view);
      }
    });
  });
}

/** The frame after the page has taken the message shows it. */
async function drawn(run) {
  await nextFrame();
  await nextFrame();
  if (heard.run === run) heard.finishedAtMs = performance.now();
  tell();
}

function tell() {
  for (const waiter of waiting) if (waiter.isMet()) waiter.resolve();
}

function when(isMet) {
  return new Promise((resolve) => {
    const waiter = { isMet, resolve: () => (waiting.delete(waiter), resolve()) };
    waiting.add(waiter);
    tell();
  });
}

globalThis.probe = {
  heard,
  frames,
  /** The run after this one has ended and is drawn, or cannot be. */
  finished: (afterRun) =>
    when(
      () =>
        heard.fatal !== "" ||
        heard.refused !== "" ||
        (heard.run > afterRun && heard.mode === "finished" && heard.finishedAtMs > 0),
    ),
  freshView,
  /** Some frames without a message of the Worker: everything is drawn. */
  async rest() {
    for (let quiet = 0; quiet < 30; quiet++) {
      const { looks, pods } = heard;
      await nextFrame();
      if (heard.looks !== looks || heard.pods !== pods) quiet = 0;
    }
  },
  /** Moves the slider of the time. @returns what the panels were given for that instant */
  async seek(atMs) {
    const slider = document.querySelector(".transport input[type=range]");
    slider.value = String(atMs);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await when(() => said.look?.query.atMs === atMs && lastView?.look === said.look.look);
    await nextFrame();
    return lastView.view;
  },
  /** Moves the slider all over the run. @returns what each move cost the page, from the event to the frame, in ms */
  async scrub(count) {
    const slider = document.querySelector(".transport input[type=range]");
    const costs = [];
    for (let i = 0; i < count; i++) {
      await nextFrame();
      // Instants as if by chance, and the same each time.
      slider.value = String(Math.round((Number(slider.max) * ((i * 7919) % count)) / count));
      const beganMs = performance.now();
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      const handledMs = performance.now() - beganMs;
      // Asked for after the page has asked for its own: it comes when the page has drawn.
      const frameMs = await nextFrame();
      costs.push(handledMs + performance.now() - frameMs);
    }
    return costs;
  },
};

globalThis.Worker = class extends OriginalWorker {
  constructor(...parameters) {
    super(...parameters);
    this.addEventListener("message", ({ data }) => hear(data));
    this.addEventListener("error", ({ message }) => {
      heard.fatal ||= `the Worker failed: ${message}`;
      tell();
    });
  }

  postMessage(command, ...rest) {
    said[command.kind] = command;
    super.postMessage(command, ...rest);
  }
};

const isRunning = () => heard.mode === "loading" || heard.mode === "playing";
let lastFrameMs = 0;
function countFrame(nowMs) {
  if (isRunning() && lastFrameMs > 0) frames.gaps.push(nowMs - lastFrameMs);
  lastFrameMs = isRunning() ? nowMs : 0;
  requestAnimationFrame(countFrame);
}
requestAnimationFrame(countFrame);
new PerformanceObserver((list) => {
  if (!isRunning()) return;
  for (const { duration } of list.getEntries()) frames.longestTaskMs = Math.max(frames.longestTaskMs, duration);
}).observe({ type: "longtask" });
