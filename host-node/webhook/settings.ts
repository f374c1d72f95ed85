/**
 * The settings of `stint webhook`: the table of host-node/settings/table.ts for this command.
 *
 * Leaves out what settings mean together: configuration.ts.
 */
import {
  duration,
  type Kind,
  listenAddress,
  LOG_LEVELS,
  logLevel,
  MAX_PORT,
  number,
  oneOf,
  optional,
  optionalText,
} from "../settings/kinds.ts";
import { SERVED_KUBERNETES, SERVED_VERSIONS } from "../../cluster/values/kubernetes-versions.ts";
import { setting, type ValuesOf } from "../settings/table.ts";

const file: Kind<string | undefined> = { ...optionalText, placeholder: "file" };

const CERTIFICATE = "Certificate:";
const REVIEWS = "Reviews:";
const PROFILES = "Profiles:";
const PROCESS = "This process:";

export const SETTINGS = {
  cert: setting(
    CERTIFICATE,
    file,
    undefined,
    "PEM file with the server's certificate, followed by the certificates up to its authority",
  ),
  key: setting(CERTIFICATE, file, undefined, "PEM file with its private key, without a passphrase"),
  reloadPeriod: setting(
    CERTIFICATE,
    duration,
    10_000,
    "how often these files and the profiles are read again; what cannot be used is logged, and the old stays in use",
  ),
  kubernetes: setting(
    REVIEWS,
    oneOf("version", SERVED_VERSIONS),
    SERVED_KUBERNETES,
    `review as this version of Kubernetes, that of the cluster: one of ${SERVED_VERSIONS.join(", ")}`,
  ),
  profiles: setting(
    PROFILES,
    { ...file, placeholder: "folder" },
    undefined,
    "folder with a file NAME.yaml for each profile, which /validate/NAME and /mutate/NAME apply",
  ),
  port: setting(
    PROCESS,
    optional(number(0, MAX_PORT, { isWhole: true })),
    undefined,
    "port on 127.0.0.1, short for --listen 127.0.0.1:NUMBER; 0: any free one",
  ),
  listen: setting(
    PROCESS,
    listenAddress,
    { host: "127.0.0.1", port: 8443 },
    "where it is served. There is no password: inside a pod use 0.0.0.0:8443 and a network policy",
  ),
  requestTimeout: setting(
    PROCESS,
    duration,
    8_000,
    "longest time for a request; less than timeoutSeconds of the webhook's configuration",
  ),
  shutdownGracePeriod: setting(PROCESS, duration, 10_000, "how long requests under way may take after SIGTERM"),
  logLevel: setting(PROCESS, logLevel, "info", `one of ${LOG_LEVELS.join(", ")}; debug logs each review`),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type Settings = ValuesOf<typeof SETTINGS>;
