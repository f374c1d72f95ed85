/**
 * The odds: the scenario with hundreds of other seeds, as shares, times and costs, and as a histogram of the ends. It
 * is compared with one that the reader has pinned. Fetched when it is opened.
 */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SeedWorker } from "../../odds/ask-seeds.ts";
import { completeBy, oddsOf } from "../../odds/odds.ts";
import type { SeedRun } from "../../odds/seed-run.ts";
import { fetchEngineModule } from "../engine-file.ts";
import { differenceText, oddsText, shareText } from "../odds-text.ts";
import { OddsState } from "../odds-state.ts";
import type { Playground } from "../playground.ts";
import { lengthText } from "../time-text.ts";
import { usePlayground } from "./context.ts";
import { Fault } from "./fault.tsx";
import { Histogram } from "./histogram.tsx";
import { Knobs } from "./knobs.tsx";

const COUNTS = [100, 500, 2000];
const MAX_WORKERS = 8;
const HOUR_MS = 3_600_000;
/** Seeds take the processors from the run that a turn asks for. */
const REST_MS = 1_000;
/** The pane comes and goes, and what was run stays. */
const states = new WeakMap<Playground, OddsState>();

function stateOf(playground: Playground): OddsState {
  const state = states.get(playground) ?? new OddsState({ loadEngine: fetchEngineModule, startWorkers });
  states.set(playground, state);
  return state;
}

function startWorkers(): SeedWorker[] {
  const count = Math.min(MAX_WORKERS, Math.max(1, navigator.hardwareConcurrency));
  return Array.from({ length: count }, () => startWorker());
}

function startWorker(): SeedWorker {
  const worker = new Worker("seed-worker.js", { type: "module" });
  return {
    ask: (question) => worker.postMessage(question),
    listen(onAnswer, onFault) {
      worker.onmessage = ({ data }) => onAnswer(data);
      worker.onerror = ({ message }) => onFault(message);
    },
    end: () => worker.terminate(),
  };
}

export function OddsPane() {
  const playground = usePlayground();
  const state = stateOf(playground);
  const count = useSignal(500);
  const { branch } = playground.session;
  const scenario = branch.value?.recording === undefined ? branch.value?.scenario : undefined;
  useEffect(() => {
    if (scenario === undefined) return undefined;
    // While a number is turned, only the last scenario is of interest.
    const timer = setTimeout(() => state.ask(scenario, count.value), state.runs.peek().length === 0 ? 0 : REST_MS);
    return () => clearTimeout(timer);
  }, [scenario, count.value]);
  useEffect(() => () => state.leave(), []);
  if (branch.value === undefined) return <p class="soft">The simulation starts…</p>;
  if (scenario === undefined)
    return <p class="soft">A recording is one run that happened. Fork it, and other seeds can be tried.</p>;
  return (
    <div class="world odds">
      <Knobs onBegin={() => state.pinDone()} />
      <p class="soft small">
        The same Job in the same world with other seeds: other durations and other failures, as The world has them.
      </p>
      <Progress
        state={state}
        count={count.value}
        onCount={(chosen) => (count.value = chosen)}
        onAgain={() => {
          state.leave();
          state.ask(scenario, count.value);
        }}
      />
      <Results state={state} />
    </div>
  );
}

interface ProgressProps {
  readonly state: OddsState;
  readonly count: number;
  readonly onCount: (count: number) => void;
  readonly onAgain: () => void;
}

function Progress({ state, count, onCount, onAgain }: ProgressProps) {
  const done = state.runs.value.length;
  return (
    <div class="run-bar">
      <label class="line">
        Seeds
        <select value={String(count)} onChange={({ currentTarget }) => onCount(Number(currentTarget.value))}>
          {COUNTS.map((choice) => (
            <option key={choice} value={String(choice)}>
              {choice}
            </option>
          ))}
        </select>
      </label>
      {state.status.value === "running" && (
        <>
          <progress value={done} max={count} aria-label="Seeds that have been run" />
          <button type="button" onClick={() => state.stop()}>
            Stop
          </button>
        </>
      )}
      {state.status.value === "stopped" && (
        <button type="button" onClick={onAgain}>
          Run them again
        </button>
      )}
      {state.problem.value !== "" && <Fault text={`No more seeds were run: ${state.problem.value}.`} />}
    </div>
  );
}

function Results({ state }: { readonly state: OddsState }) {
  const { runs, pinned, status } = state;
  const deadlineSeconds = useSignal(NaN);
  const price = useSignal(NaN);
  const odds = useComputed(() => (runs.value.length === 0 ? undefined : oddsOf(runs.value)));
  const before = useComputed(() => (pinned.value.length === 0 ? undefined : oddsOf(pinned.value)));
  if (odds.value === undefined)
    return (
      <p class="soft">{status.value === "running" ? "The first seeds are being run…" : "No seed has been run."}</p>
    );
  const { pods, podHours } = odds.value;
  const deadlineMs = deadlineSeconds.value * 1000;
  return (
    <>
      <p role="status" aria-live={status.value === "running" ? "off" : "polite"}>
        {oddsText(odds.value)}
      </p>
      {before.value !== undefined && status.value !== "running" && pinned.value !== runs.value && (
        <p class="difference">{differenceText(before.value, odds.value)}</p>
      )}
      <Histogram runs={runs.value} before={pinned.value} deadlineMs={deadlineMs} label="When runs end" />
      <dl class="figures">
        <dt>Pods</dt>
        <dd>
          {rounded(pods.mean)} on average, {pods.most} at most
        </dd>
        <dt>On nodes</dt>
        <dd>
          {lengthText(podHours * HOUR_MS)} on average, all pods together
          {price.value >= 0 && `, which cost ${rounded(podHours * price.value)}`}
        </dd>
      </dl>
      <label class="line">
        Complete within
        <Amount value={deadlineSeconds} /> s{deadlineMs >= 0 && <b>{shareText(completeBy(runs.value, deadlineMs))}</b>}
      </label>
      <label class="line">
        A pod hour costs
        <Amount value={price} />
      </label>
      <div class="run-bar">
        <button type="button" aria-disabled={status.value === "running"} onClick={() => pin(state)}>
          {before.value === undefined ? "Pin as A" : "Pin these as A instead"}
        </button>
        {before.value !== undefined && (
          <button type="button" class="link" onClick={() => state.unpin()}>
            Forget A
          </button>
        )}
      </div>
      {before.value === undefined ? (
        <p class="soft small">Pin them, change the Job or the world, and both are compared.</p>
      ) : (
        <p class="soft small">A: {oddsText(before.value)}</p>
      )}
      <Examples runs={runs.value} />
    </>
  );
}

function pin(state: OddsState): void {
  if (state.status.value !== "running") state.pin();
}

/** A field for a number from 0 on; NaN: it is empty. */
function Amount({ value }: { readonly value: { value: number } }) {
  return (
    <input
      type="number"
      min={0}
      step="any"
      value={Number.isNaN(value.value) ? "" : value.value}
      onInput={({ currentTarget }) => (value.value = currentTarget.valueAsNumber)}
    />
  );
}

/** Runs that a reader wants to see: one that fails, the slowest, one in the middle. */
function Examples({ runs }: { readonly runs: readonly SeedRun[] }) {
  const playground = usePlayground();
  const byEnd = runs.toSorted((a, b) => a.endMs - b.endMs || a.seed - b.seed);
  const complete = byEnd.filter(({ end }) => end === "complete");
  const examples: readonly (readonly [string, SeedRun | undefined])[] = [
    ["one that fails", byEnd.find(({ end }) => end === "failed")],
    ["one that never ends", byEnd.find(({ end }) => end === "open")],
    ["the one in the middle", complete[Math.floor(complete.length / 2)]],
    ["the slowest that completes", complete.at(-1)],
  ];
  const show = (seed: number): void => {
    const scenario = playground.session.branch.value?.scenario;
    if (scenario !== undefined) playground.change({ ...scenario, seed }, `seed ${seed}`);
  };
  return (
    <section>
      <h3>Show a run</h3>
      <ul class="examples">
        {examples.map(
          ([words, run]) =>
            run !== undefined && (
              <li key={words}>
                <button type="button" class="link" onClick={() => show(run.seed)}>
                  {words}
                </button>{" "}
                <span class="soft">
                  seed {run.seed}, {run.end === "open" ? "open" : `ends after ${lengthText(run.endMs)}`}, {run.pods}{" "}
                  {run.pods === 1 ? "pod" : "pods"}
                </span>
              </li>
            ),
        )}
      </ul>
    </section>
  );
}

function rounded(value: number): string {
  return value === 0 ? "0" : String(Number(value.toPrecision(3)));
}
