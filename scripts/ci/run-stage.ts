/**
 * Runs a stage of CI with its limit of time.
 *
 * Invariant: when it returns, no process that the stage has started is left. Those that are left a while after the
 * stage's own end are killed, and then the stage has failed: they would hold ports, files and memory of the next ones.
 */
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { commandLine, MARK, processorSecondsOfEnded, startedBy } from "./processes.ts";
import type { CiStage } from "./stages.ts";

/** The exit status of `timeout` when the limit came first. */
const TIMED_OUT = 124;
/** The time between the signal to end at the limit and the kill. */
const KILL_AFTER_SECONDS = 10;
const OUTLIVES_MS = 10_000;
const LOOK_AGAIN_MS = 500;

export interface StageOutcome {
  readonly status: number;
  readonly seconds: number;
  /** Of all processes of the stage that their parents waited for. */
  readonly processorSeconds: number;
  readonly log: string;
}

/** The processor time of stages that have ended. */
let countedSeconds = 0;

/** @param print gets the output as it comes @param outlivesMs how long processes of the stage may outlive it */
export async function runStage(
  { name, command, limitSeconds, env }: Omit<CiStage, "cores" | "after">,
  directory: string,
  print: (text: string) => void,
  outlivesMs = OUTLIVES_MS,
): Promise<StageOutcome> {
  const began = performance.now();
  let log = "";
  const say = (text: string): void => {
    log += text;
    print(text);
  };
  const limited = [`--kill-after=${KILL_AFTER_SECONDS}`, String(limitSeconds), ...command];
  const child = spawn("timeout", limited, {
    cwd: directory,
    env: { ...process.env, ...env, [MARK]: name },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", say);
  const ended = await new Promise<number>((resolve) => {
    child.once("error", (error) => {
      say(`${error.message}\n`);
      resolve(127);
    });
    child.once("exit", (status) => resolve(status ?? 1));
  });
  // The kernel adds the time of the whole stage when its first process ends.
  const endedSeconds = processorSecondsOfEnded();
  const processorSeconds = Math.round(endedSeconds - countedSeconds);
  countedSeconds = endedSeconds;
  const left = await endAll(name, outlivesMs);
  for (const process of left) say(`left behind: ${process}\n`);
  await closed;
  if (ended === TIMED_OUT) say(`ended after its limit of ${limitSeconds} s\n`);
  const status = ended === 0 && left.length > 0 ? 1 : ended;
  return { status, seconds: Math.round((performance.now() - began) / 1000), processorSeconds, log };
}

/** Waits for the processes of the stage, and kills the rest. @returns a line for each killed one */
async function endAll(stage: string, outlivesMs: number): Promise<readonly string[]> {
  const waits = Math.ceil(outlivesMs / LOOK_AGAIN_MS);
  for (let wait = 0; wait < waits && startedBy(stage).length > 0; wait++) await pause(LOOK_AGAIN_MS);
  const left = startedBy(stage).map((pid) => ({ pid, line: `${pid} ${commandLine(pid)}` }));
  for (const { pid } of left) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by now.
    }
  }
  return left.map(({ line }) => line);
}
