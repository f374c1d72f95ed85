/**
 * Reads the settings of `stint webhook` and checks that they fit each other.
 *
 * Invariant: nothing starts with a setting that is not understood (read-settings.ts), without a certificate, or with
 * two that contradict each other.
 */
import type { ListenAddress } from "../settings/kinds.ts";
import { readSettings, type SettingsInputs } from "../settings/read-settings.ts";
import { UsageError } from "../usage-error.ts";
import { type SettingName, SETTINGS, type Settings } from "./settings.ts";

/** The longest that an API server waits for a webhook: `timeoutSeconds` goes from 1 to 30. */
const MAX_API_SERVER_TIMEOUT_MS = 30_000;
const LOOPBACK = "127.0.0.1";

export interface Configuration extends Omit<Settings, "cert" | "key" | "port" | "listen"> {
  readonly cert: string;
  readonly key: string;
  readonly address: ListenAddress;
}

/** @throws UsageError */
export function readConfiguration(inputs: SettingsInputs<SettingName>): Configuration {
  const { settings, given, shown } = readSettings(SETTINGS, inputs);
  const { cert, key, port, listen, ...rest } = settings;
  if (cert === undefined || key === undefined) {
    throw new UsageError(
      `${cert === undefined ? "--cert" : "--key"} is not given: an API server calls webhooks over HTTPS alone; allowed are PEM files, --cert with the certificate and --key with its private key`,
    );
  }
  if (port !== undefined && given.has("listen"))
    throw new UsageError(
      `${shown("port")} and ${shown("listen")} are given: both say where to listen; leave one of them out`,
    );
  if (rest.requestTimeout >= MAX_API_SERVER_TIMEOUT_MS)
    throw new UsageError(
      `${shown("requestTimeout")} is longer than an API server waits; allowed is less than 30s, and less than timeoutSeconds of the webhook's configuration`,
    );
  return { ...rest, cert, key, address: port === undefined ? listen : { host: LOOPBACK, port } };
}
