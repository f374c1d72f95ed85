/**
 * Reads the settings of `stint controller` and checks that they fit each other.
 *
 * Invariant: nothing starts with a setting that is not understood (read-settings.ts), or with two that contradict each
 * other.
 */
import { type ReadSettings, readSettings, type SettingsInputs } from "../settings/read-settings.ts";
import { UsageError } from "../usage-error.ts";
import { type SettingName, SETTINGS, type Settings } from "./settings.ts";
import { MAX_NAMESPACES } from "./sources.ts";

/** The settings that decide which Jobs are run, who writes, and what is recorded. */
const NOT_OF_A_SHADOW = [
  ...["managedBy", "defaultController", "finalizer", "ttlAfterFinished", "shard"],
  ...["leaderElect", "leaseNamespace", "leaseName", "record"],
] as const;

/** @throws UsageError */
export function readConfiguration(inputs: SettingsInputs<SettingName>): Settings {
  const read = readSettings(SETTINGS, inputs);
  check(read);
  return read.settings;
}

function check({ settings, given, shown }: ReadSettings<typeof SETTINGS>): void {
  const refuse = (problem: string): never => {
    throw new UsageError(problem);
  };
  if (settings.shadow) {
    for (const name of NOT_OF_A_SHADOW)
      if (given.has(name))
        refuse(
          `${shown("shadow")} and ${shown(name)} are given: a shadow looks at the Jobs of the built-in controller, and neither writes, leads nor records; leave one of them out`,
        );
    if (settings.featureGates.WorkloadWithJob)
      refuse(`${shown("shadow")} and ${shown("featureGates")} are given: a shadow does not compare gangs`);
  }
  if (settings.defaultController) {
    for (const name of ["managedBy", "finalizer"] as const) {
      if (given.has(name))
        refuse(
          `${shown("defaultController")} and ${shown(name)} are given: the Jobs of the built-in controller have no managedBy and use upstream's finalizer; leave one of them out`,
        );
    }
  }
  if (settings.namespaces.length > MAX_NAMESPACES)
    refuse(
      `${given.get("namespaces")!.where} names ${settings.namespaces.length} namespaces; allowed are ${MAX_NAMESPACES}, or none for all`,
    );
  if (settings.shard !== undefined && settings.namespaces.length > 0)
    refuse(
      `${shown("shard")} and ${shown("namespaces")} are given: shards are parts of all namespaces; leave one of them out`,
    );
  for (const [base, longest] of [
    ["syncRetryBase", "syncRetryMax"],
    ["podBackoffBase", "podBackoffMax"],
  ] as const) {
    if (settings[base] > settings[longest])
      refuse(`${shown(base)} is longer than ${shown(longest)}, the longest delay that it grows to`);
  }
  if (settings.leaderElect && !settings.shadow) {
    if (settings.leaseDuration % 1000 !== 0)
      refuse(`${shown("leaseDuration")} is not in whole seconds, which a Lease has`);
    if (settings.renewDeadline >= settings.leaseDuration)
      refuse(
        `${shown("renewDeadline")} is not shorter than ${shown("leaseDuration")}: a leader would give up after others have taken over`,
      );
    if (settings.retryPeriod * 1.2 >= settings.renewDeadline)
      refuse(`${shown("retryPeriod")} is too long for ${shown("renewDeadline")}: a leader would have one try`);
    if (settings.requestTimeout + 2 * settings.retryPeriod > settings.leaseDuration) {
      refuse(
        `${shown("requestTimeout")} and two of ${shown("retryPeriod")} are longer than ${shown("leaseDuration")}: a write starts only while the Lease is held for at least as long as the write may take, so hardly any write would start`,
      );
    }
  }
}
