/**
 * `stint controller`: the Job controller of a real cluster, or a shadow of the built-in one, until it is interrupted.
 *
 * Invariant: settings and credentials are checked before the first connection; a second interruption ends it at once.
 */
import { resolve } from "node:path";
import { RealClock } from "../../clock.ts";
import { readConfiguration } from "../../controller/configuration.ts";
import { ControllerReplica } from "../../controller/controller-replica.ts";
import { type SettingName, SETTINGS, type Settings } from "../../controller/settings.ts";
import { loadEngineModule } from "../../engine-module.ts";
import type { FlightRecorder } from "../../flight-recorder/flight-recorder.ts";
import type { Log } from "../../log.ts";
import { ShadowReplica } from "../../shadow/shadow-replica.ts";
import { Credentials } from "../../transport/credentials.ts";
import type { Console } from "../console.ts";
import { processLog } from "../process-log.ts";
import { readSettingsFile } from "../settings-file.ts";
import { untilInterrupted } from "../until-interrupted.ts";

export interface ControllerOptions {
  /** Path of the settings file. */
  readonly config: string | undefined;
  readonly flags: Readonly<Partial<Record<SettingName, string>>>;
  readonly version: string;
}

/** @returns the exit status. @throws UsageError for settings or credentials that cannot be used */
export async function controller({ config, flags, version }: ControllerOptions, console: Console): Promise<number> {
  const { environment, workingDirectory } = console;
  const settings = readConfiguration({ flags, environment, file: readSettingsFile(config, console) });
  const kubeconfig = settings.kubeconfig === undefined ? undefined : resolve(workingDirectory, settings.kubeconfig);
  const credentials = Credentials.load({ kubeconfig, context: settings.context, environment });
  const log = processLog(settings.logLevel, SETTINGS, console);
  const clock = new RealClock();
  const recorder = await openedRecorder({ settings, version, log }, console);
  const Replica = settings.shadow ? ShadowReplica : ControllerReplica;
  const replica = new Replica({
    settings,
    credentials,
    clock,
    log,
    version,
    recorder,
    engineModule: await loadEngineModule(),
  });
  try {
    return await untilInterrupted(replica, console);
  } finally {
    clock.stop();
  }
}

/** The folder lock is loaded only if something is recorded. */
async function openedRecorder(
  { settings, version, log }: { settings: Settings; version: string; log: Log },
  { workingDirectory }: Console,
): Promise<FlightRecorder | undefined> {
  const { record, recordSize: maxBytes, recordEverything } = settings;
  if (record === undefined) return undefined;
  const { openRecorder } = await import("../../flight-recorder/open-recorder.ts");
  const folder = resolve(workingDirectory, record);
  return openRecorder({ folder, maxBytes, isRedacted: !recordEverything, version, log });
}
