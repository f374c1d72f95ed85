/**
 * `stint controller`: the Job controller of a real cluster, until it is interrupted.
 *
 * Invariant: settings and credentials are understood before anything is connected; a second interruption ends at once.
 */
import { resolve } from "node:path";
import { RealClock } from "../clock.ts";
import { CONFIG_VARIABLE, readConfiguration, unknownVariables } from "../controller/configuration.ts";
import { ControllerProcess } from "../controller/controller-process.ts";
import { createLog } from "../controller/log.ts";
import type { SettingName } from "../controller/settings.ts";
import { loadEngineModule } from "../engine-module.ts";
import { Credentials } from "../transport/credentials.ts";
import type { Console } from "./console.ts";
import { readInput } from "./input/read-input.ts";

const EXIT_INTERRUPTED = 130;

export interface ControllerOptions {
  /** Path of the settings file. */
  readonly config: string | undefined;
  readonly flags: Readonly<Partial<Record<SettingName, string>>>;
  readonly version: string;
}

/** @returns the exit status. @throws UsageError for settings or credentials that cannot be used */
export async function controller({ config, flags, version }: ControllerOptions, console: Console): Promise<number> {
  const { environment, workingDirectory } = console;
  const path = config ?? environment[CONFIG_VARIABLE];
  const file = path === undefined ? undefined : { path, text: readInput(resolve(workingDirectory, path)).text };
  const settings = readConfiguration({ flags, environment, file });
  const kubeconfig = settings.kubeconfig === undefined ? undefined : resolve(workingDirectory, settings.kubeconfig);
  const credentials = Credentials.load({ kubeconfig, context: settings.context, environment });
  const log = createLog(settings.logLevel, (line) => console.writeOut(line));
  for (const variable of unknownVariables(environment)) log.warn({ variable }, "the environment has a variable that looks like a setting and is none");
  const clock = new RealClock();
  const controllerProcess = new ControllerProcess({ settings, credentials, clock, log, version, engineModule: await loadEngineModule() });
  let isInterrupted = false;
  const stopListening = console.onSignal((signal) => {
    if (isInterrupted) process.exit(EXIT_INTERRUPTED);
    isInterrupted = true;
    controllerProcess.stop(signal);
  });
  console.onOutputClosed(() => {}); // Whoever reads the log may go; the work goes on.
  try {
    return await controllerProcess.run();
  } finally {
    stopListening();
    clock.stop();
  }
}
