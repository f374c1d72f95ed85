/**
 * The settings of `stint controller`: the table of host-node/settings/table.ts for this command.
 *
 * Leaves out what settings mean together: configuration.ts.
 */
import type { EngineConstants } from "../../bindings/js/engine.ts";
import {
  DEFAULT_FEATURE_GATES,
  type FeatureGates,
  formatFeatureGates,
  parseFeatureGates,
} from "../settings/feature-gates.ts";
import {
  boolean,
  byteSize,
  duration,
  type Kind,
  type ListenAddress,
  LOG_LEVELS,
  logLevel,
  number,
  optionalListenAddress,
  optionalText,
} from "../settings/kinds.ts";
import { flagOf, setting, type ValuesOf } from "../settings/table.ts";
import { optionalShard } from "./shard.ts";

/** RFC 1123 labels and subdomains, as names of namespaces and objects. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const MAX_SUBDOMAIN_LENGTH = 253;
/** What may follow the domain, as in upstream's ValidateHTTPPath and in qualified names. */
const MANAGER_PATH = /^[A-Za-z0-9._~!$&'()*+,;=:@%/-]+$/;
const QUALIFIED_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const MAX_MANAGER_LENGTH = 63;
/** The name of the built-in controller in spec.managedBy, and its finalizer. */
const BUILT_IN_MANAGER = "kubernetes.io/job-controller";
const BUILT_IN_FINALIZER = "batch.kubernetes.io/job-tracking";

/** A segment is an eighth of it, and a line a quarter of that: enough for an object of 1 MiB. */
const MIN_RECORDING_BYTES = 32 * 1024 ** 2;
const MAX_RECORDING_BYTES = 64 * 1024 ** 3;

const optionalBoolean: Kind<boolean | undefined> = {
  ...boolean,
  show: (value) => (value === undefined ? "" : String(value)),
};
const MAX_CONSTANT = 86_400_000;
/** The engine accepts at most a day. */
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
  isList: true,
  parse: (value) => {
    const list = value === "" ? [] : value.split(",").map((name) => name.trim());
    if (!list.every((name) => LABEL.test(name)))
      throw new Error("a list of namespaces, such as team-a,team-b: small letters, digits and -");
    return [...new Set(list)];
  },
  show: (list) => list.join(","),
};
const objectName: Kind<string | undefined> = {
  placeholder: "name",
  parse: (value) => {
    if (!isSubdomain(value))
      throw new Error(
        "a name of small letters, digits, - and ., at most 253 characters, with a letter or a digit first and last",
      );
    return value;
  },
  show: (value) => value ?? "",
};
const namespaceName: Kind<string | undefined> = {
  placeholder: "name",
  parse: (value) => {
    if (!LABEL.test(value))
      throw new Error(
        "a name of small letters, digits and -, at most 63 characters, with a letter or a digit first and last",
      );
    return value;
  },
  show: (value) => value ?? "",
};
const manager: Kind<string> = {
  placeholder: "domain/path",
  parse: (value) => {
    const [domain, path] = atSlash(value);
    if (!isSubdomain(domain) || !MANAGER_PATH.test(path) || value.length > MAX_MANAGER_LENGTH)
      throw new Error(
        `a domain, a slash and a path, such as example.com/jobs, at most ${MAX_MANAGER_LENGTH} characters`,
      );
    if (value === BUILT_IN_MANAGER)
      throw new Error(
        `any name but that of the built-in controller; ${flagOf("defaultController")} runs its Jobs in a cluster where that one is off`,
      );
    return value;
  },
  show: (value) => value,
};
const finalizerName: Kind<string> = {
  placeholder: "domain/name",
  parse: (value) => {
    const [domain, name] = atSlash(value);
    if (!isSubdomain(domain) || !QUALIFIED_NAME.test(name))
      throw new Error("a domain, a slash and a name, such as example.com/job-tracking");
    if (value === BUILT_IN_FINALIZER)
      throw new Error(
        `any finalizer but that of the built-in controller; ${flagOf("defaultController")} runs its Jobs, which have it, in a cluster where that one is off`,
      );
    return value;
  },
  show: (value) => value,
};
const featureGates: Kind<FeatureGates> = {
  placeholder: "gates",
  isList: true,
  parse: (value) => {
    try {
      return parseFeatureGates(value, DEFAULT_FEATURE_GATES);
    } catch {
      throw new Error(
        `Name=true and Name=false, with commas between them, for ${Object.keys(DEFAULT_FEATURE_GATES).join(", ")}`,
      );
    }
  },
  show: formatFeatureGates,
};

function isSubdomain(value: string): boolean {
  return value.length <= MAX_SUBDOMAIN_LENGTH && SUBDOMAIN.test(value);
}

function atSlash(value: string): [before: string, after: string] {
  const slash = value.indexOf("/");
  return slash < 0 ? ["", ""] : [value.slice(0, slash), value.slice(slash + 1)];
}

const API = "API server:";
const JOBS = "Which Jobs:";
const SHADOW = "A shadow of the built-in controller:";
const LEADER = "Leader election:";
const PROCESS = "This process:";
const RECORDING = "Flight recorder:";
const CONSTANTS = "Constants of the Job controller (upstream's values unless given):";

export const SETTINGS = {
  kubeconfig: setting(
    API,
    { ...optionalText, placeholder: "file" },
    undefined,
    "credentials; else what kubectl would take, else the service account of the pod",
  ),
  context: setting(API, optionalText, undefined, "context of the kubeconfig; else its current one"),
  maxInFlight: setting(API, number(1, 1024, { isWhole: true }), 32, "requests under way at once, and connections"),
  kubeApiQps: setting(API, number(0, 100_000, { isWhole: false }), 0, "requests a second; 0: no limit"),
  kubeApiBurst: setting(
    API,
    number(1, 100_000, { isWhole: true }),
    100,
    "requests at once after a pause, with --kube-api-qps",
  ),
  requestTimeout: setting(API, duration, 10_000, "longest time for an answer"),
  idleTimeout: setting(
    API,
    duration,
    150_000,
    "longest silence of a watch; a healthy server sends something once a minute",
  ),
  streamingLists: setting(API, boolean, true, "lists come as a stream of events, from a server that can do that"),
  namespaces: setting(JOBS, names, [], "only Jobs of these namespaces; else of all"),
  shard: setting(
    JOBS,
    optionalShard,
    undefined,
    "only Jobs of this part of all namespaces, from an API server with sharded lists and watches: 0/2 and 1/2 are two controllers that share them",
  ),
  managedBy: setting(JOBS, manager, "stint.dev/job-controller", "run the Jobs whose spec.managedBy is this value"),
  defaultController: setting(
    JOBS,
    boolean,
    false,
    "run the Jobs of the built-in Job controller instead, in a cluster where that one is off",
  ),
  finalizer: setting(
    JOBS,
    finalizerName,
    "stint.dev/job-tracking",
    "the finalizer that keeps a pod until it is counted; with --default-controller it is always batch.kubernetes.io/job-tracking",
  ),
  manualSelectors: setting(
    JOBS,
    boolean,
    false,
    "also run Jobs with spec.manualSelector; then all pods are watched, not only those of Jobs",
  ),
  ttlAfterFinished: setting(
    JOBS,
    optionalBoolean,
    undefined,
    "delete finished Jobs when their time to live is over; by default only with --default-controller, because upstream's TTL controller deletes Jobs of every manager",
  ),
  featureGates: setting(
    JOBS,
    featureGates,
    DEFAULT_FEATURE_GATES,
    "alpha behaviour, as Name=true,Name=false: WorkloadWithJob gives Jobs a Workload and a PodGroup",
  ),
  shadow: setting(
    SHADOW,
    boolean,
    false,
    "write nothing: compare what the built-in controller writes with what this one would, and tell where they diverge",
  ),
  shadowWindow: setting(
    SHADOW,
    duration,
    10_000,
    "how long the built-in controller may take for what this one would do at once",
  ),
  leaderElect: setting(
    LEADER,
    boolean,
    true,
    "take part in an election before acting; false only where there never is a second replica",
  ),
  leaseNamespace: setting(LEADER, namespaceName, undefined, "namespace of the Lease; else that of the credentials"),
  leaseName: setting(
    LEADER,
    objectName,
    undefined,
    "name of the Lease; else stint-job-controller, with a digest of the settings that choose Jobs",
  ),
  leaseDuration: setting(
    LEADER,
    duration,
    15_000,
    "how long others wait for a leader that does not renew; whole seconds",
  ),
  renewDeadline: setting(LEADER, duration, 10_000, "a leader that could not renew for this long gives up"),
  retryPeriod: setting(LEADER, duration, 2_000, "time between two attempts to get or to renew the Lease"),
  listen: setting(
    PROCESS,
    optionalListenAddress,
    { host: "127.0.0.1", port: 8080 } as ListenAddress | undefined,
    "where /metrics, /healthz, /readyz and /debug/jobs are served; off: nowhere. There is no password: inside a pod use 0.0.0.0:8080 and a network policy",
  ),
  shutdownGracePeriod: setting(PROCESS, duration, 15_000, "how long requests under way may take after SIGTERM"),
  logLevel: setting(PROCESS, logLevel, "info", `one of ${LOG_LEVELS.join(", ")}; debug logs each decision`),
  record: setting(
    RECORDING,
    { ...optionalText, placeholder: "folder" },
    undefined,
    "record the controller's input, decisions and requests in files of this folder, for stint replay; by default nothing is recorded",
  ),
  recordSize: setting(
    RECORDING,
    byteSize(MIN_RECORDING_BYTES, MAX_RECORDING_BYTES),
    64 * 1024 ** 2,
    "of all these files together; the oldest are removed",
  ),
  recordEverything: setting(
    RECORDING,
    boolean,
    false,
    "also record the values of environment variables and annotations, which may be secrets",
  ),
  syncBatchPeriod: setting(
    CONSTANTS,
    constantDuration,
    1_000,
    "time between the syncs of one Job that pod events cause, once the burst is used up",
  ),
  syncBurst: setting(
    CONSTANTS,
    number(0, MAX_CONSTANT, { isWhole: true }),
    4,
    "syncs of one Job that pod events may cause at once; 0: each waits a period",
  ),
  syncRetryBase: setting(CONSTANTS, constantDuration, 1_000, "delay after the first failed sync of a Job"),
  syncRetryMax: setting(CONSTANTS, constantDuration, 60_000, "the longest delay after repeated failures"),
  podBackoffBase: setting(CONSTANTS, constantDuration, 10_000, "delay of the next pod after the first failed one"),
  podBackoffMax: setting(CONSTANTS, constantDuration, 600_000, "the longest delay after repeated failures"),
  maxUncountedPods: setting(
    CONSTANTS,
    number(1, MAX_CONSTANT, { isWhole: true }),
    500,
    "pods that one sync counts at most",
  ),
  maxPodsPerSync: setting(
    CONSTANTS,
    number(1, MAX_CONSTANT, { isWhole: true }),
    500,
    "pods that one sync creates or deletes at most",
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type Settings = ValuesOf<typeof SETTINGS>;

/** The settings that are constants of the engine, under the engine's names. */
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
