/**
 * A simulated runtime whose containers answer their probes, where their outcome says how: `readyAfterMs`, and
 * `hangsAfterMs`. Both count from the start of the container.
 *
 * Invariant: other containers have no probes, and count as started and ready while they run. So probes cost nothing
 * unless an outcome has these fields. The playground does without this file, and ignores the fields.
 */
import type { Clock } from "../../bindings/js/host.ts";
import type {
  ContainerEvents,
  ContainerHandle,
  ContainerRequest,
  ContainerRuntime,
  ProbeResult,
  StartProbes,
} from "./container-runtime.ts";
import { startProbes } from "./probes.ts";
import { drawMs, outcomeOf, SimulatedRuntime, type SimulatedRuntimeOptions } from "./simulated-runtime.ts";

/** The `startProbes` of a runtime in which some containers cannot be probed. */
export const startProbesIfAny: StartProbes = (probed) =>
  probed.record.run?.handle?.probe === undefined ? undefined : startProbes(probed);

export class ProbedSimulation extends SimulatedRuntime implements ContainerRuntime {
  readonly startProbes = startProbesIfAny;
  readonly #clock: Clock;
  readonly #random: () => number;

  /** @throws OutcomeError naming the rule and the field. */
  constructor(options: SimulatedRuntimeOptions) {
    super(options);
    this.#clock = options.clock;
    this.#random = options.random;
  }

  override startContainer(request: ContainerRequest, events: ContainerEvents): ContainerHandle {
    let startedAtMs = 0;
    const handle = super.startContainer(request, {
      started: () => {
        startedAtMs = this.#clock.now();
        events.started();
      },
      output: (stream, chunk) => events.output(stream, chunk),
      exited: (exit) => events.exited(exit),
      failed: (reason, message) => events.failed(reason, message),
    });
    const { readyAfterMs, hangsAfterMs } = outcomeOf(handle) ?? {};
    if (readyAfterMs === undefined && hangsAfterMs === undefined) return handle;
    const health = {
      readyMs: readyAfterMs === undefined ? 0 : drawMs(readyAfterMs, this.#random),
      hangsMs: hangsAfterMs === undefined ? Infinity : drawMs(hangsAfterMs, this.#random),
    };
    return {
      stop: (gracePeriodSeconds) => handle.stop(gracePeriodSeconds),
      probe: (spec, _podIP, done) => {
        const isLiveness = spec === request.container.livenessProbe;
        const result = answer(health, isLiveness, this.#clock.now() - startedAtMs);
        this.#clock.defer(() => done(result));
      },
    };
  }
}

interface Health {
  readonly readyMs: number;
  readonly hangsMs: number;
}

/** A container that is not ready yet is alive. */
function answer({ readyMs, hangsMs }: Health, isLiveness: boolean, ranMs: number): ProbeResult {
  if (ranMs >= hangsMs) return { result: "failure", output: `simulated: it hangs ${hangsMs} ms after its start` };
  if (ranMs < readyMs && !isLiveness)
    return { result: "failure", output: `simulated: it is ready ${readyMs} ms after its start` };
  return { result: "success", output: "" };
}
