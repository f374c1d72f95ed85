/**
 * Startup, readiness and liveness probes of one running container: when the runtime is asked for one, how many results
 * in a row count, and what follows. This is `startProbes` of a runtime that can probe.
 *
 * Invariant: readiness and liveness wait until the container has started, which a startup probe decides; a probe that
 * could not be carried out changes nothing; and nothing is asked after `stop`. Leaves out the random delay after a
 * restart of the kubelet. Source: pkg/kubelet/prober/worker.go and prober.go.
 */
import type { Timer } from "../../bindings/js/host.ts";
import type { ProbedContainer, ProbeResult, StartProbes } from "./container-runtime.ts";
import { restartDecision } from "./restart-policy.ts";
import type { Pod, Probe as ProbeSpec } from "../values/kinds.ts";

/** A probe that could not be carried out is retried at once, up to this many tries. */
const MAX_TRIES = 3;
const DEFAULT_GRACE_SECONDS = 30;
/** The exit code of a container that ignores SIGTERM. */
const EXIT_CODE_SIGKILL = 137;

type Kind = "Startup" | "Readiness" | "Liveness";

export const startProbes: StartProbes = (probed) => {
  const { record, host } = probed;
  const { startupProbe, readinessProbe, livenessProbe } = record.container;
  const startedAtMs = host.clock.now();
  const probes: Probe[] = [];
  const begin = (kind: Kind, spec: ProbeSpec | undefined, counts: (isSuccess: boolean) => boolean): void => {
    if (spec === undefined) return;
    const probe = new Probe(probed, kind, spec, counts);
    probes.push(probe);
    const { initialDelaySeconds = 0 } = spec;
    probe.wakeAfter(Math.max(startedAtMs + initialDelaySeconds * 1000 - host.clock.now(), 0));
  };
  const fails = (kind: Kind, spec: ProbeSpec): void => probed.kill(endMessage(probed, kind), graceOf(probed.pod, spec));
  const whenStarted = (): void => {
    begin("Readiness", readinessProbe, (ready) => {
      if (ready !== record.probed.ready) {
        record.probed = { started: true, ready };
        probed.changed();
      }
      return true;
    });
    begin("Liveness", livenessProbe, (isAlive) => {
      if (!isAlive) fails("Liveness", livenessProbe!);
      return isAlive;
    });
  };
  record.probed = { started: startupProbe === undefined, ready: readinessProbe === undefined };
  if (startupProbe === undefined) whenStarted();
  else
    begin("Startup", startupProbe, (hasStarted) => {
      if (!hasStarted) fails("Startup", startupProbe);
      else {
        record.probed = { ...record.probed, started: true };
        whenStarted();
        probed.changed();
      }
      return false;
    });
  return { stop: () => probes.forEach((probe) => probe.stop()) };
};

/** Probes periodically, until it is stopped or the result that counts ends it. */
class Probe {
  readonly #probed: ProbedContainer;
  readonly #kind: Kind;
  readonly #spec: ProbeSpec;
  /** Handles a result that was seen often enough. False: it was the last one. */
  readonly #counts: (isSuccess: boolean) => boolean;
  #timer: Timer | undefined;
  #isOver = false;
  #last: boolean | undefined;
  #inRow = 0;

  constructor(probed: ProbedContainer, kind: Kind, spec: ProbeSpec, counts: (isSuccess: boolean) => boolean) {
    this.#probed = probed;
    this.#kind = kind;
    this.#spec = spec;
    this.#counts = counts;
  }

  wakeAfter(delayMs: number): void {
    this.#timer = this.#probed.host.clock.setTimer(delayMs, () => this.#ask(MAX_TRIES));
  }

  stop(): void {
    this.#isOver = true;
    this.#timer?.cancel();
  }

  #ask(triesLeft: number): void {
    const { record, podIP, host } = this.#probed;
    const askedAtMs = host.clock.now();
    record.run?.handle?.probe?.(this.#spec, podIP, (answer) => {
      if (this.#isOver) return;
      if (answer.result === "error" && triesLeft > 1) {
        this.#ask(triesLeft - 1);
        return;
      }
      if (this.#take(answer)) {
        const { periodSeconds = 10 } = this.#spec;
        this.wakeAfter(Math.max(askedAtMs + periodSeconds * 1000 - host.clock.now(), 0));
      } else this.stop();
    });
  }

  /** @returns whether probing continues */
  #take({ result, output }: ProbeResult): boolean {
    if (result !== "success") {
      const what = result === "error" ? "errored and resulted in unknown state" : "failed";
      const { host, pod, record } = this.#probed;
      host.event(pod, "Warning", "Unhealthy", `${this.#kind} probe ${what}: ${output}`, record);
    }
    if (result === "error") return true;
    const isSuccess = result === "success";
    this.#inRow = isSuccess === this.#last ? this.#inRow + 1 : 1;
    this.#last = isSuccess;
    const { failureThreshold = 3, successThreshold = 1 } = this.#spec;
    return this.#inRow < (isSuccess ? successThreshold : failureThreshold) || this.#counts(isSuccess);
  }
}

function endMessage({ pod, record }: ProbedContainer, kind: Kind): string {
  const { container, name } = record;
  const restarts = restartDecision(pod.spec, container, record.kind, EXIT_CODE_SIGKILL) !== "No";
  const who = record.kind === "main" ? "Container" : "Init container";
  return `${who} ${name} failed ${kind.toLowerCase()} probe${restarts && record.kind === "main" ? ", will be restarted" : ""}`;
}

function graceOf({ spec }: Pod, probe: ProbeSpec): number {
  return Math.max(
    probe.terminationGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS,
    1,
  );
}
