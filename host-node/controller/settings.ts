/**
 * The settings of `stint controller`: one table for flags, environment, file, help and checks.
 *
 * Invariant: a setting has one name in three spellings: `leaseDuration` in a file, `--lease-duration` as a flag,
 * `STINT_LEASE_DURATION` in the environment. A flag beats the environment, that beats the file, that beats the default.
 * Leaves out what settings mean together: configuration.ts.
 */
import type { EngineConstants } from "../../bindings/js/engine.ts";
import { parseDuration } from "../cli/duration.ts";
import { DEFAULT_FEATURE_GATES, type FeatureGates, parseFeatureGates } from "../cli/feature-gates.ts";

/** One kind of value: how it is read, and how it is shown. */
interface Kind<T> {
  /** What stands for the value in help: `duration`. */
  readonly placeholder: string;
  /** @throws Error whose message says what is allowed, and completes the sentence "NAME is VALUE; allowed is …" */
  parse(text: string): T;
  show(value: T): string;
}

export interface Setting<T = unknown> {
  readonly group: string;
  readonly kind: Kind<T>;
  readonly initial: T;
  readonly help: string;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:8080`, `[::1]:8080`. */
export function addressText({ host, port }: ListenAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

const MAX_PORT = 65_535;
/** RFC 1123 labels and subdomains, as names of namespaces and objects. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const MAX_SUBDOMAIN_LENGTH = 253;
/** What may follow the domain: upstream's ValidateHTTPPath and qualified names. */
const MANAGER_PATH = /^[A-Za-z0-9._~!$&'()*+,;=:@%/-]+$/;
const QUALIFIED_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const MAX_MANAGER_LENGTH = 63;
/** What the built-in controller is called in spec.managedBy, and its finalizer. */
const BUILT_IN_MANAGER = "kubernetes.io/job-controller";
const BUILT_IN_FINALIZER = "batch.kubernetes.io/job-tracking";

const optionalText: Kind<string | undefined> = { placeholder: "text", parse: (value) => value, show: (value) => value ?? "" };
const boolean: Kind<boolean> = {
  placeholder: "boolean",
  parse: (value) => {
    if (value !== "true" && value !== "false") throw new Error("true or false");
    return value === "true";
  },
  show: String,
};
const optionalBoolean: Kind<boolean | undefined> = { ...boolean, show: (value) => (value === undefined ? "" : String(value)) };
const duration: Kind<number> = {
  placeholder: "duration",
  parse: (value) => {
    try {
      return parseDuration(value, "it");
    } catch {
      throw new Error("a duration such as 500ms, 30s, 5m or 1h30m, more than 0");
    }
  },
  show: (ms) => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`),
};
const MAX_CONSTANT = 86_400_000;
/** The engine takes a day at most. */
const constantDuration: Kind<number> = {
  ...duration,
  parse: (value) => {
    const ms = duration.parse(value);
    if (ms > MAX_CONSTANT) throw new Error("a duration of at most 24h");
    return ms;
  },
};
const names: Kind<readonly string[]> = {
  placeholder: "names",
  parse: (value) => {
    const list = value === "" ? [] : value.split(",").map((name) => name.trim());
    if (!list.every((name) => LABEL.test(name))) throw new Error("a list of namespaces, such as team-a,team-b: small letters, digits and -");
    return [...new Set(list)];
  },
  show: (list) => list.join(","),
};
const objectName: Kind<string | undefined> = {
  placeholder: "name",
  parse: (value) => {
    if (!isSubdomain(value)) throw new Error("a name of small letters, digits, - and ., at most 253 characters, with a letter or a digit first and last");
    return value;
  },
  show: (value) => value ?? "",
};
const namespaceName: Kind<string | undefined> = {
  placeholder: "name",
  parse: (value) => {
    if (!LABEL.test(value)) throw new Error("a name of small letters, digits and -, at most 63 characters, with a letter or a digit first and last");
    return value;
  },
  show: (value) => value ?? "",
};
const manager: Kind<string> = {
  placeholder: "domain/path",
  parse: (value) => {
    const [domain, path] = atSlash(value);
    if (!isSubdomain(domain) || !MANAGER_PATH.test(path) || value.length > MAX_MANAGER_LENGTH) throw new Error(`a domain, a slash and a path, such as example.com/jobs, at most ${MAX_MANAGER_LENGTH} characters`);
    if (value === BUILT_IN_MANAGER) throw new Error(`any but the name of the built-in controller; ${flagOf("defaultController")} runs its Jobs, where it is off`);
    return value;
  },
  show: (value) => value,
};
const finalizerName: Kind<string> = {
  placeholder: "domain/name",
  parse: (value) => {
    const [domain, name] = atSlash(value);
    if (!isSubdomain(domain) || !QUALIFIED_NAME.test(name)) throw new Error("a domain, a slash and a name, such as example.com/job-tracking");
    if (value === BUILT_IN_FINALIZER) throw new Error(`any but that of the built-in controller; ${flagOf("defaultController")} runs its Jobs with it, where it is off`);
    return value;
  },
  show: (value) => value,
};
const listenAddress: Kind<ListenAddress | undefined> = {
  placeholder: "address",
  parse: (value) => {
    if (value === "off") return undefined;
    const [, host = "", port = ""] = /^(\[[0-9a-fA-F:.]+\]|[^:\s]+):(\d{1,5})$/.exec(value) ?? [];
    if (host === "" || Number(port) > MAX_PORT) throw new Error("ADDRESS:PORT such as 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080, or off");
    return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
  },
  show: (address) => (address === undefined ? "off" : addressText(address)),
};
const logLevel: Kind<LogLevel> = {
  placeholder: "level",
  parse: (value) => {
    const level = LOG_LEVELS.find((known) => known === value);
    if (level === undefined) throw new Error(`one of ${LOG_LEVELS.join(", ")}`);
    return level;
  },
  show: String,
};
const featureGates: Kind<FeatureGates> = {
  placeholder: "gates",
  parse: (value) => {
    try {
      return parseFeatureGates(value, DEFAULT_FEATURE_GATES);
    } catch {
      throw new Error(`Name=true and Name=false, with commas between them, for ${Object.keys(DEFAULT_FEATURE_GATES).join(", ")}`);
    }
  },
  show: (gates) => Object.entries(gates).map(([name, isOn]) => `${name}=${isOn}`).join(","),
};

function isSubdomain(value: string): boolean {
  return value.length <= MAX_SUBDOMAIN_LENGTH && SUBDOMAIN.test(value);
}

function atSlash(value: string): [before: string, after: string] {
  const slash = value.indexOf("/");
  return slash < 0 ? ["", ""] : [value.slice(0, slash), value.slice(slash + 1)];
}

function number(minimum: number, maximum: number, { isWhole }: { isWhole: boolean }): Kind<number> {
  return {
    placeholder: "number",
    parse: (value) => {
      const read = Number(value);
      const isNumber = /^\d+(\.\d+)?$/.test(value) && (!isWhole || Number.isInteger(read));
      if (!isNumber || read < minimum || read > maximum) throw new Error(`a ${isWhole ? "whole number" : "number"} from ${minimum} to ${maximum}`);
      return read;
    },
    show: String,
  };
}

function setting<T>(group: string, kind: Kind<T>, initial: T, help: string): Setting<T> {
  return { group, kind, initial, help };
}

const API = "API server:";
const JOBS = "Which Jobs:";
const LEADER = "Leader election:";
const PROCESS = "This process:";
const CONSTANTS = "Constants of the Job controller (upstream's values unless given):";

export const SETTINGS = {
  kubeconfig: setting(API, { ...optionalText, placeholder: "file" }, undefined, "credentials; else what kubectl would take, else the service account of the pod"),
  context: setting(API, optionalText, undefined, "context of the kubeconfig; else its current one"),
  maxInFlight: setting(API, number(1, 1024, { isWhole: true }), 32, "requests under way at once, and connections"),
  kubeApiQps: setting(API, number(0, 100_000, { isWhole: false }), 0, "requests a second; 0: as many as the server takes"),
  kubeApiBurst: setting(API, number(1, 100_000, { isWhole: true }), 100, "requests at once after a pause, with --kube-api-qps"),
  requestTimeout: setting(API, duration, 10_000, "longest time for an answer"),
  idleTimeout: setting(API, duration, 150_000, "longest silence of a watch; the server says something once a minute"),
  streamingLists: setting(API, boolean, true, "lists come as a stream of events, from a server that can do that"),
  namespaces: setting(JOBS, names, [], "only those of these namespaces; else of all"),
  managedBy: setting(JOBS, manager, "stint.dev/job-controller", "those whose spec.managedBy is this value"),
  defaultController: setting(JOBS, boolean, false, "instead those of the built-in Job controller, for a cluster in which that one is off"),
  finalizer: setting(JOBS, finalizerName, "stint.dev/job-tracking", "what keeps a pod until it is counted; of the built-in controller's Jobs always batch.kubernetes.io/job-tracking"),
  manualSelectors: setting(JOBS, boolean, false, "also those with a selector of their own (spec.manualSelector): all pods are watched then, not only those of Jobs"),
  ttlAfterFinished: setting(JOBS, optionalBoolean, undefined, "delete finished ones when their time to live is over; else true with --default-controller and false without, as upstream's removal asks for no manager"),
  featureGates: setting(JOBS, featureGates, DEFAULT_FEATURE_GATES, "alpha behaviour, as Name=true,Name=false: WorkloadWithJob gives gangs a Workload and a PodGroup"),
  leaderElect: setting(LEADER, boolean, true, "take part in an election before acting; false only where there never is a second replica"),
  leaseNamespace: setting(LEADER, namespaceName, undefined, "of the Lease; else that of the credentials"),
  leaseName: setting(LEADER, objectName, undefined, "of the Lease; else stint-job-controller with a digest of which Jobs"),
  leaseDuration: setting(LEADER, duration, 15_000, "how long others wait for a leader that does not renew; whole seconds"),
  renewDeadline: setting(LEADER, duration, 10_000, "a leader that could not renew for this long gives up"),
  retryPeriod: setting(LEADER, duration, 2_000, "between two attempts to get or to renew the Lease"),
  listen: setting(PROCESS, listenAddress, { host: "127.0.0.1", port: 8080 } as ListenAddress | undefined, "where /metrics, /healthz, /readyz and /debug/jobs are served; off: nowhere. They ask for no password: inside a pod 0.0.0.0:8080 with a network policy"),
  shutdownGracePeriod: setting(PROCESS, duration, 15_000, "how long requests under way may take after SIGTERM"),
  logLevel: setting(PROCESS, logLevel, "info", `one of ${LOG_LEVELS.join(", ")}; debug logs each decision`),
  syncBatchPeriod: setting(CONSTANTS, constantDuration, 1_000, "delay of a sync that pod events cause once the burst is used up"),
  syncBurst: setting(CONSTANTS, number(0, MAX_CONSTANT, { isWhole: true }), 4, "syncs of one Job that pod events may cause at once; 0: each waits a period"),
  syncRetryBase: setting(CONSTANTS, constantDuration, 1_000, "delay after the first failed sync of a Job"),
  syncRetryMax: setting(CONSTANTS, constantDuration, 60_000, "the longest such delay"),
  podBackoffBase: setting(CONSTANTS, constantDuration, 10_000, "delay of the next pod after the first failed one"),
  podBackoffMax: setting(CONSTANTS, constantDuration, 600_000, "the longest such delay"),
  maxUncountedPods: setting(CONSTANTS, number(1, MAX_CONSTANT, { isWhole: true }), 500, "pods that one sync counts at most"),
  maxPodsPerSync: setting(CONSTANTS, number(1, MAX_CONSTANT, { isWhole: true }), 500, "pods that one sync creates or deletes at most"),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never };

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** `--lease-duration` */
export function flagOf(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `STINT_LEASE_DURATION` */
export function variableOf(name: SettingName): string {
  return `STINT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** What it is without being given, as it would be given; empty: see its help. */
export function defaultOf(name: SettingName): string {
  const { kind, initial } = SETTINGS[name] as Setting;
  return kind.show(initial);
}

export function constantsOf(settings: Settings): Partial<EngineConstants> {
  return {
    syncBatchPeriodMs: settings.syncBatchPeriod,
    syncBurst: settings.syncBurst,
    syncRetryBaseMs: settings.syncRetryBase,
    syncRetryMaxMs: settings.syncRetryMax,
    podBackoffBaseMs: settings.podBackoffBase,
    podBackoffMaxMs: settings.podBackoffMax,
    maxUncountedPods: settings.maxUncountedPods,
    maxPodsPerSync: settings.maxPodsPerSync,
  };
}
