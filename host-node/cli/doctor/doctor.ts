/**
 * `stint doctor`: the faults of a cluster's Jobs that no controller repairs, each with the command that fixes it
 * (docs/doctor.md).
 *
 * Invariant: nothing is written. With --try-patches the API server checks writes as dry runs.
 */
import { RealClock } from "../../clock.ts";
import { createEngine } from "../../controller/job-controller.ts";
import { loadEngineModule } from "../../engine-module.ts";
import { accountBy } from "../../../cluster/observed/offline-engine.ts";
import { type ClusterChoice, kubeconfigFor, loadCredentials, named } from "../cluster-access.ts";
import type { Console } from "../console.ts";
import { ClusterReader } from "./cluster-reader.ts";
import { Commands } from "./commands.ts";
import { diagnose } from "./diagnose.ts";
import { readJobAccount } from "./job-account.ts";
import { jsonReport, textReport } from "./report.ts";
import { styleFor } from "../../words/style.ts";
import { writeText } from "../output/wrapped.ts";
import { ApiReader } from "../why/api-reader.ts";

const EXIT_GOOD = 0;
const EXIT_FOUND = 1;
const CLEAR_LINE = "\r\u001b[2K";

export interface DoctorOptions extends ClusterChoice {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Younger problems are not reported. */
  readonly olderThanMs: number;
  readonly tryPatches: boolean;
  readonly output: "text" | "json";
}

/** @returns the exit status. @throws UsageError for bad usage, or when no cluster is reachable */
export async function doctor(options: DoctorOptions, console: Console): Promise<number> {
  const namespace = options.namespace === undefined ? undefined : named("--namespace", options.namespace);
  const kubeconfig = kubeconfigFor(options, console);
  const credentials = loadCredentials(options, kubeconfig, console);
  const clock = new RealClock();
  const reader = new ApiReader(credentials, clock);
  const hasProgress = console.isErrorTerminal;
  const showProgress = (what: string, count: number): void => {
    if (hasProgress) console.writeError(`${CLEAR_LINE}reading ${what}: ${count}`);
  };
  try {
    const engine = await createEngine(await loadEngineModule());
    const ask = accountBy(engine, () => reader.now());
    const diagnosis = await diagnose({
      reader: new ClusterReader(reader, namespace, showProgress),
      engine,
      commands: new Commands([
        ...(kubeconfig === undefined ? [] : ["--kubeconfig", kubeconfig]),
        ...(options.context === undefined ? [] : ["--context", options.context]),
      ]),
      olderThanMs: options.olderThanMs,
      triesPatches: options.tryPatches,
      accountOf: (job) => readJobAccount(reader, job, ask),
    });
    if (hasProgress) console.writeError(CLEAR_LINE);
    const style = styleFor(console.terminal !== undefined, console.environment);
    if (options.output === "json") console.writeOut(jsonReport(diagnosis));
    else writeText(console, textReport(diagnosis, style));
    return diagnosis.findings.length === 0 ? EXIT_GOOD : EXIT_FOUND;
  } finally {
    await reader.close();
    clock.stop();
  }
}
