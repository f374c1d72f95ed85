/**
 * `stint webhook`: the admission webhook of a real cluster, until it is interrupted.
 *
 * Invariant: settings, certificate and profiles are understood before anything listens; a second interruption ends at
 * once.
 */
import { resolve } from "node:path";
import { RealClock } from "../../clock.ts";
import { loadEngineModule } from "../../engine-module.ts";
import { readConfiguration } from "../../webhook/configuration.ts";
import { type SettingName, SETTINGS } from "../../webhook/settings.ts";
import { WebhookProcess } from "../../webhook/webhook-process.ts";
import type { Console } from "../console.ts";
import { processLog } from "../process-log.ts";
import { readSettingsFile } from "../settings-file.ts";
import { untilInterrupted } from "../until-interrupted.ts";

export interface WebhookOptions {
  /** Path of the settings file. */
  readonly config: string | undefined;
  readonly flags: Readonly<Partial<Record<SettingName, string>>>;
  readonly version: string;
}

/** @returns the exit status. @throws UsageError for settings a certificate or profiles that cannot be used */
export async function webhook({ config, flags, version }: WebhookOptions, console: Console): Promise<number> {
  const { environment, workingDirectory } = console;
  const { cert, key, profiles, ...settings } = readConfiguration({
    flags,
    environment,
    file: readSettingsFile(config, console),
  });
  const log = processLog(settings.logLevel, SETTINGS, console);
  const clock = new RealClock();
  try {
    const configuration = {
      ...settings,
      cert: resolve(workingDirectory, cert),
      key: resolve(workingDirectory, key),
      profiles: profiles === undefined ? undefined : resolve(workingDirectory, profiles),
    };
    const webhookProcess = new WebhookProcess({
      configuration,
      clock,
      log,
      version,
      engineModule: await loadEngineModule(),
    });
    await untilInterrupted(webhookProcess, console);
    return 0;
  } finally {
    clock.stop();
  }
}
