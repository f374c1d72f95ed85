/**
 * `stint run`: Jobs from files, run to their end in a cluster that lives as long as they do.
 *
 * Invariant: bad input is refused before anything runs, and when the command ends no process of a pod is left.
 * Leaves out the parsing of the command line (command.ts) and what is shown (output/).
 */
import { resolve } from "node:path";
import type { Recorder } from "../../../bindings/js/recorder.ts";
import { JOBS, resourcePath, SECRETS } from "../../../cluster/client/client.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { ContainerRuntime } from "../../../cluster/kubelet/container-runtime.ts";
import { ProbedSimulation } from "../../../cluster/kubelet/probed-simulation.ts";
import { type Diagnostic, InputError } from "../../../cluster/manifests/diagnostic.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import { simulateMistakes } from "../../../cluster/manifests/simulate-annotation.ts";
import { read as readObject } from "../../../cluster/controllers/volume-controller/claimed-volume.ts";
import type { VolumeFolders } from "../../../cluster/controllers/volume-controller/volume-folders.ts";
import { RealClock } from "../../clock.ts";
import type { EngineRuntime } from "../../runtime/container-engine/engine-runtime.ts";
import { type EngineName, isEngine } from "../../runtime/container-engine/engine-socket.ts";
import type { ProcessRuntime } from "../../runtime/process-runtime.ts";
import { UsageError } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import { connectEngine, imageEvents, refuseEngineOptions, tellPulls } from "../container-engine.ts";
import { folderOfClaim, missingClaims } from "../input/claims.ts";
import { commandDiagnostics } from "../input/check-commands.ts";
import { closedVolumeDiagnostics, refusalDiagnostics } from "../input/check-refusals.ts";
import { inputFiles } from "../input/input-files.ts";
import { readInput } from "../../manifests/read-input.ts";
import { readRun, type ReadRun } from "../input/read-run.ts";
import { outputEndStatus, RefusedRun, SIGNAL_NUMBERS } from "../exit-status.ts";
import { refuseIsolationOptions, refuseVolumeFolder } from "../isolation.ts";
import { nodeFor } from "../../runtime/node.ts";
import type { RunOutput } from "../output/run-output.ts";
import { createOutput } from "../output/create-output.ts";
import { BackpressureWriter } from "../backpressure-writer.ts";
import type { RunOptions } from "./options.ts";
import { prepareRun } from "./prepare-run.ts";
import { createProcessRuntime } from "../process-runtime.ts";
import { recorded } from "../record.ts";
import { EXIT_TIMED_OUT, type RunSession } from "./run-session.ts";
import { type OnStop, watchRuns } from "./watch-runs.ts";
import { runVirtualTime } from "../virtual-time.ts";

/** A run without --timeout ends after this much simulated time: its Jobs wait for something that does not come. */
const MAX_SIMULATED_MS = 7 * 86_400_000;
/** How often a terminal shows that time passes. */
const TICK_MS = 100;
/** The status of a run that is stopped because a file has changed; the command does not end with it. */
const STATUS_STOPPED = 128 + SIGNAL_NUMBERS.SIGINT;

/** @returns the exit status. @throws UsageError, InputError for bad input. */
export async function run(options: RunOptions, console: Console): Promise<number> {
  if (options.runtime === "simulated") refuseIsolationOptions(options, options.runtime);
  if (options.strict && options.runtime !== "simulated")
    throw new UsageError(
      `--strict is given with --runtime ${options.runtime}, which always refuses what the files do not have; it is for --runtime simulated`,
    );
  if (!isEngine(options.runtime)) refuseEngineOptions(options, options.runtime);
  refuseVolumeFolder(options);
  if (!options.watch) return runOnce(options, console, () => {});
  if (options.output !== "text" || options.record !== undefined)
    throw new UsageError(
      `--watch is given with ${options.record === undefined ? `--output ${options.output}` : "--record"}, which is for one run; leave one of them out`,
    );
  return watchRuns(options, console, (shared, onStop) => runOnce(options, shared, onStop));
}

/** @param onStop gets the function that stops the run before its end */
async function runOnce(options: RunOptions, console: Console, onStop: OnStop): Promise<number> {
  const read = readRun(inputFiles(options.files, options.recursive).map(readInput), options.now, assumes(options));
  try {
    // No input could be read, so nothing more can be checked.
    if (read.inputs.length === 0) throw new InputError(read.mistakes);
    return await recorded(options, console, (recorder) =>
      (options.runtime === "simulated" ? runSimulated : runForReal)({ options, read, recorder, console, onStop }),
    );
  } catch (error) {
    throw error instanceof InputError ? new RefusedRun(error.diagnostics) : error;
  }
}

/** A simulated container needs no objects beyond the files. */
function assumes({ runtime, strict }: RunOptions): boolean {
  return runtime === "simulated" && !strict;
}

interface OneRun {
  readonly options: RunOptions;
  readonly read: ReadRun;
  readonly recorder: Recorder | undefined;
  readonly console: Console;
  readonly onStop: OnStop;
}

/** A runtime that really runs pods, and its checks of Jobs before that. */
interface RealRun {
  readonly runtime: ContainerRuntime & {
    readonly volumeFolders: VolumeFolders | undefined;
    setOutputPaused(paused: boolean): void;
    close(): void | Promise<void>;
  };
  check(manifest: Manifest): readonly Diagnostic[];
  warn(manifest: Manifest): readonly Diagnostic[];
  onCluster?(cluster: Cluster): void;
  onOutput?(output: RunOutput): void;
}

async function runForReal({ options, read, recorder, console, onStop }: OneRun): Promise<number> {
  const clock = new RealClock();
  const { runtime, check, warn, onCluster, onOutput } = isEngine(options.runtime)
    ? await inEngine(options.runtime, options, clock, console)
    : asProcesses(options, read, console);
  const writer = new BackpressureWriter(console);
  writer.onPause = (paused) => runtime.setOutputPaused(paused);
  let ticks: NodeJS.Timeout | undefined;
  try {
    const { output, session, exitStatus } = await prepareRun({
      read,
      clock,
      recorder,
      node: nodeFor(runtime, false),
      timeoutMs: options.timeoutMs,
      isSimulated: false,
      options,
      assumes: false,
      check: (manifest) => [
        ...check(manifest),
        ...(runtime.volumeFolders === undefined ? [] : missingClaims(manifest, read)),
      ],
      warn,
      createOutput: (run) => createOutput(options.output, console, writer, run),
      ...(onCluster && { onCluster }),
    });
    onOutput?.(output);
    ticks = setInterval(() => output.tick(clock.now()), TICK_MS);
    return await untilOver(session, exitStatus, console, onStop);
  } finally {
    clearInterval(ticks);
    await runtime.close();
    clock.stop();
  }
}

function asProcesses(options: RunOptions, read: ReadRun, console: Console): RealRun {
  const runtime: ProcessRuntime = createProcessRuntime(options, console.workingDirectory, {
    findClaimed: (namespace, name) => folderOfClaim(runtime.volumeFolders!, namespace, name),
    volumeFolder: options.volumeFolder && resolve(console.workingDirectory, options.volumeFolder),
  });
  const jobs = read.inputs.filter(({ resource }) => resource === JOBS).map(({ manifest }) => manifest);
  return {
    runtime,
    check: (manifest) => [
      ...commandDiagnostics(manifest, runtime, console.environment["PATH"] ?? ""),
      ...refusalDiagnostics(manifest, runtime, jobs),
    ],
    warn: (manifest) => closedVolumeDiagnostics(manifest, runtime),
  };
}

async function inEngine(name: EngineName, options: RunOptions, clock: RealClock, console: Console): Promise<RealRun> {
  let cluster: Cluster | undefined;
  let output: RunOutput | undefined;
  const tell = (text: string): void => output?.note(clock.now(), text);
  const runtime: EngineRuntime = await connectEngine(name, options, console, {
    findSecret: (namespace, secret) => readObject(cluster!, resourcePath(SECRETS, namespace, secret)),
    findClaimed: (namespace, claim) => folderOfClaim(runtime.volumeFolders!, namespace, claim),
    onPull: tellPulls(() => clock.now(), tell),
    onEvent: imageEvents(clock, () => cluster!),
  });
  return {
    runtime,
    check: (manifest) => refusalDiagnostics(manifest, runtime, []),
    warn: () => [],
    onCluster: (made) => (cluster = made),
    onOutput: (made) => {
      output = made;
      for (const left of runtime.removedOf) tell(`removed from ${name} what the process ${left} had left behind`);
    },
  };
}

async function runSimulated({ options, read, recorder, console, onStop }: OneRun): Promise<number> {
  const clock = new VirtualClock(Date.now());
  const runtime = new ProbedSimulation({ clock, random: Math.random });
  const writer = new BackpressureWriter(console);
  const { output, session, exitStatus } = await prepareRun({
    read,
    clock,
    recorder,
    node: nodeFor(runtime, true),
    timeoutMs: options.timeoutMs ?? MAX_SIMULATED_MS,
    isSimulated: true,
    options,
    assumes: assumes(options),
    check: simulateMistakes,
    warn: () => [],
    createOutput: (run) => createOutput(options.output, console, writer, run),
  });
  const over = untilOver(session, exitStatus, console, onStop);
  const time = runVirtualTime({ clock, isOver: () => session.isOver, waitForOutput: () => writer.whenReady() });
  const ended = time.then((isOver) => {
    if (!isOver) session.kill(EXIT_TIMED_OUT, "nothing more will happen");
    return over;
  });
  // Ticks in real time, not in simulated time: a hundred thousand pods can start at one simulated instant.
  const ticks = setInterval(() => output.tick(clock.now()), TICK_MS);
  try {
    // Simulated time may stop for ever when the output has no reader. An interruption ends the run anyway.
    return await Promise.race([over, ended]);
  } finally {
    clearInterval(ticks);
  }
}

/** Starts the session and lets signals end it: the first gracefully, the second at once. */
async function untilOver(
  session: RunSession,
  exitStatus: Promise<number>,
  console: Console,
  onStop: OnStop,
): Promise<number> {
  const stopListening = console.onSignal((signal) => {
    const status = 128 + SIGNAL_NUMBERS[signal];
    if (session.isStopping) session.kill(status, "interrupted");
    else session.stop(status, "interrupted");
  });
  console.onOutputClosed(() => session.kill(outputEndStatus(console), "the reader of the output has gone"));
  session.start();
  onStop((reason) => session.stop(STATUS_STOPPED, reason));
  try {
    return await exitStatus;
  } finally {
    stopListening();
  }
}
