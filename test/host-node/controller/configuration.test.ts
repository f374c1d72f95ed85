/** Settings of `stint controller`: every one from flag, environment and file, what is refused, and with which words. */
import { describe, expect, it } from "vitest";
import { readConfiguration } from "../../../host-node/controller/configuration.ts";
import { constantsOf, type SettingName, SETTINGS, type Settings } from "../../../host-node/controller/settings.ts";
import { CONFIG_VARIABLE, unknownVariables } from "../../../host-node/settings/read-settings.ts";
import { defaultOf, flagOf, type Setting, variableOf } from "../../../host-node/settings/table.ts";
import { UsageError } from "../../../host-node/usage-error.ts";

const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

type Texts = Partial<Record<SettingName, string>>;

const fromFlags = (flags: Texts): Settings => readConfiguration({ flags, environment: {}, file: undefined });
const fromEnvironment = (environment: Record<string, string>): Settings =>
  readConfiguration({ flags: {}, environment, file: undefined });
const fromFile = (text: string): Settings =>
  readConfiguration({ flags: {}, environment: {}, file: { path: "stint.yaml", text } });
const DEFAULTS = fromFlags({});

/** A value of each setting that is not its default, as text and as it is read; none contradicts a default. */
const OTHERS: { readonly [Name in SettingName]: readonly [text: string, value: Settings[Name]] } = {
  kubeconfig: ["/etc/stint/kubeconfig", "/etc/stint/kubeconfig"],
  context: ["admin@prod", "admin@prod"],
  maxInFlight: ["8", 8],
  kubeApiQps: ["12.5", 12.5],
  kubeApiBurst: ["7", 7],
  requestTimeout: ["5s", 5_000],
  idleTimeout: ["2m30s500ms", 150_500],
  streamingLists: ["false", false],
  namespaces: ["team-a,team-b,team-a", ["team-a", "team-b"]],
  shard: ["1/4", { index: 1, count: 4 }],
  managedBy: ["example.com/jobs/v2", "example.com/jobs/v2"],
  defaultController: ["true", true],
  finalizer: ["example.com/Job_tracking.2", "example.com/Job_tracking.2"],
  manualSelectors: ["true", true],
  ttlAfterFinished: ["true", true],
  featureGates: ["WorkloadWithJob=true", { WorkloadWithJob: true }],
  shadow: ["true", true],
  shadowWindow: ["30s", 30_000],
  leaderElect: ["false", false],
  leaseNamespace: ["kube-system", "kube-system"],
  leaseName: ["jobs.v2", "jobs.v2"],
  leaseDuration: ["30s", 30_000],
  renewDeadline: ["9s", 9_000],
  retryPeriod: ["1s", 1_000],
  listen: ["[::1]:9090", { host: "::1", port: 9090 }],
  shutdownGracePeriod: ["1m", 60_000],
  logLevel: ["debug", "debug"],
  record: ["/var/lib/flight", "/var/lib/flight"],
  recordSize: ["1GiB", 1024 ** 3],
  recordEverything: ["true", true],
  syncBatchPeriod: ["250ms", 250],
  syncBurst: ["0", 0],
  syncRetryBase: ["2s", 2_000],
  syncRetryMax: ["2m", 120_000],
  podBackoffBase: ["5s", 5_000],
  podBackoffMax: ["1h", 3_600_000],
  maxUncountedPods: ["100", 100],
  maxPodsPerSync: ["50", 50],
};
const ROWS = SETTING_NAMES.map((name) => ({ name, text: OTHERS[name][0], value: OTHERS[name][1] as unknown }));

describe("every setting", () => {
  it.each(ROWS)("$name is what its flag says", ({ name, text, value }) => {
    expect(fromFlags({ [name]: text })).toEqual({ ...DEFAULTS, [name]: value });
  });

  it.each(ROWS)("$name is what its variable says", ({ name, text, value }) => {
    expect(fromEnvironment({ [variableOf(name)]: text })).toEqual({ ...DEFAULTS, [name]: value });
  });

  it.each(ROWS)("$name is what the file says, quoted or not", ({ name, text, value }) => {
    expect(fromFile(`${name}: ${JSON.stringify(text)}\n`)).toEqual({ ...DEFAULTS, [name]: value });
    // What begins with a bracket is a list in YAML.
    if (!text.startsWith("[")) expect(fromFile(`${name}: ${text} # why\n`)).toEqual({ ...DEFAULTS, [name]: value });
  });

  it.each(SETTING_NAMES)("%s shows its default as it would be given", (name) => {
    const { kind, initial } = SETTINGS[name] as Setting;
    const shown = defaultOf(SETTINGS[name]);
    if (shown === "") expect(initial === undefined || (initial as readonly unknown[]).length === 0).toBe(true);
    else expect(kind.parse(shown)).toEqual(initial);
  });

  it.each(ROWS)("$name shows what was given as it would be given again", ({ name, text, value }) => {
    const { kind } = SETTINGS[name] as Setting;
    expect(kind.parse(kind.show(kind.parse(text)))).toEqual(value);
  });

  it("has one name in three spellings", () => {
    expect(flagOf("leaseDuration")).toBe("--lease-duration");
    expect(variableOf("leaseDuration")).toBe("STINT_LEASE_DURATION");
    expect(new Set(SETTING_NAMES.map(flagOf)).size).toBe(SETTING_NAMES.length);
  });
});

describe("precedence", () => {
  const file = { path: "stint.yaml", text: "retryPeriod: 1s\nrenewDeadline: 8s\nrequestTimeout: 3s\n" };

  it("a flag beats the environment, that beats the file, that beats the default", () => {
    const settings = readConfiguration({
      flags: { requestTimeout: "5s" },
      environment: { STINT_REQUEST_TIMEOUT: "4s", STINT_RENEW_DEADLINE: "9s" },
      file,
    });
    expect(settings).toEqual({ ...DEFAULTS, retryPeriod: 1_000, renewDeadline: 9_000, requestTimeout: 5_000 });
  });

  it("what is beaten is not even read", () => {
    expect(
      readConfiguration({ flags: { requestTimeout: "5s" }, environment: { STINT_REQUEST_TIMEOUT: "soon" }, file })
        .requestTimeout,
    ).toBe(5_000);
  });
});

describe("the file", () => {
  it("may be empty, and may hold lists", () => {
    expect(fromFile("")).toEqual(DEFAULTS);
    expect(fromFile("# nothing yet\n")).toEqual(DEFAULTS);
    expect(fromFile("namespaces:\n  - team-a\n  - team-b\n").namespaces).toEqual(["team-a", "team-b"]);
    expect(fromFile("namespaces: []\n").namespaces).toEqual([]);
  });

  it("means by a value what a flag would mean by it", () => {
    expect(fromFile("leaseName: 0123\n").leaseName).toBe("0123");
    expect(fromFile("listen: off\n").listen).toBeUndefined();
  });

  it.each([
    [
      "leaseDuraton: 15s\n",
      /^stint\.yaml:1:1: leaseDuraton is no setting; allowed are kubeconfig, context, .*maxPodsPerSync$/,
    ],
    [
      "retryPeriod: 1s\n\nleaseDuration: 15\n",
      'stint.yaml:3:1: leaseDuration is "15"; allowed is a duration such as 500ms, 30s, 5m or 1h30m, more than 0 and at most 3650d; 15 has no unit: 15s, 15m or 15h?',
    ],
    ["leaderElect: yes\n", 'stint.yaml:1:1: leaderElect is "yes"; allowed is true or false'],
    ["maxInFlight: 0x20\n", 'stint.yaml:1:1: maxInFlight is "0x20"; allowed is a whole number from 1 to 1024'],
    [
      "namespaces:\n",
      "stint.yaml:1:1: namespaces has no plain value; allowed is namespaces: names, or a list of them in [ ]",
    ],
    [
      "featureGates:\n  WorkloadWithJob: true\n",
      "stint.yaml:1:1: featureGates has no plain value; allowed is featureGates: gates, or a list of them in [ ]",
    ],
    ["listen: [::1]:9090\n", /^stint\.yaml:1:\d+: this is not YAML: /],
    ["a: 1\na: 2\n", "stint.yaml:2:1: this is not YAML: Map keys must be unique"],
    ["context: a\n---\ncontext: b\n", "stint.yaml:2:1: a second document begins here; allowed is one"],
    [
      "leaseDuration\n",
      "stint.yaml is not a list of settings; allowed is YAML such as maxInFlight: 32, with a setting a line",
    ],
  ])("%j is refused", (text, message) => {
    expect(() => fromFile(text)).toThrow(UsageError);
    expect(() => fromFile(text)).toThrow(typeof message === "string" ? new UsageError(message) : message);
  });
});

describe("a value that is not allowed", () => {
  const DURATION = "a duration such as 500ms, 30s, 5m or 1h30m, more than 0 and at most 3650d";
  const NAMES = "a list of namespaces, such as team-a,team-b: small letters, digits and -";
  const ADDRESS = "ADDRESS:PORT such as 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080, or off";
  const MANAGER = "a domain, a slash and a path, such as example.com/jobs, at most 63 characters";
  const FINALIZER = "a domain, a slash and a name, such as example.com/job-tracking";
  const SHARD = "a number from 0, a slash, and a larger number from 2 to 256, such as 0/2 and 1/2 for two shards";
  const cases: readonly (readonly [SettingName, string, string])[] = [
    ["maxInFlight", "0", "a whole number from 1 to 1024"],
    ["maxInFlight", "1025", "a whole number from 1 to 1024"],
    ["maxInFlight", "1.5", "a whole number from 1 to 1024"],
    ["maxInFlight", "1e2", "a whole number from 1 to 1024"],
    ["maxInFlight", "", "a whole number from 1 to 1024"],
    ["kubeApiQps", "-1", "a number from 0 to 100000"],
    ["kubeApiQps", "100001", "a number from 0 to 100000"],
    ["requestTimeout", "0s", DURATION],
    ["requestTimeout", "10", `${DURATION}; 10 has no unit: 10s, 10m or 10h?`],
    ["requestTimeout", "5 s", DURATION],
    ["podBackoffMax", "25h", "a duration of at most 24h"],
    ["syncBatchPeriod", "0s", DURATION],
    ["leaderElect", "1", "true or false"],
    ["ttlAfterFinished", "", "true or false"],
    ["namespaces", "Team", NAMES],
    ["namespaces", "a,,b", NAMES],
    ["namespaces", "a.b", NAMES],
    ...["0", "2/2", "0/1", "0/257", "-1/2", "1/2/3", "0 / 2", "1.5/2", "shard-0"].map(
      (text) => ["shard", text, SHARD] as const,
    ),
    ["managedBy", "jobs", MANAGER],
    ["managedBy", "example.com/", MANAGER],
    ["managedBy", "/jobs", MANAGER],
    ["managedBy", "example..com/jobs", MANAGER],
    ["managedBy", "Example.com/jobs", MANAGER],
    ["managedBy", "example.com/jo bs", MANAGER],
    ["managedBy", `example.com/${"x".repeat(52)}`, MANAGER],
    [
      "managedBy",
      "kubernetes.io/job-controller",
      "any name but that of the built-in controller; --default-controller runs its Jobs in a cluster where that one is off",
    ],
    ["finalizer", "job-tracking", FINALIZER],
    ["finalizer", "example.com/-job", FINALIZER],
    ["finalizer", `example.com/${"x".repeat(64)}`, FINALIZER],
    [
      "finalizer",
      "batch.kubernetes.io/job-tracking",
      "any finalizer but that of the built-in controller; --default-controller runs its Jobs, which have it, in a cluster where that one is off",
    ],
    ["featureGates", "GangScheduling=true", "Name=true and Name=false, with commas between them, for WorkloadWithJob"],
    [
      "leaseNamespace",
      "kube.system",
      "a name of small letters, digits and -, at most 63 characters, with a letter or a digit first and last",
    ],
    [
      "leaseName",
      "-a",
      "a name of small letters, digits, - and ., at most 253 characters, with a letter or a digit first and last",
    ],
    [
      "leaseName",
      "a".repeat(254),
      "a name of small letters, digits, - and ., at most 253 characters, with a letter or a digit first and last",
    ],
    ["listen", "8080", ADDRESS],
    ["listen", ":8080", ADDRESS],
    ["listen", "::1:8080", ADDRESS],
    ["listen", "127.0.0.1:65536", ADDRESS],
    ["logLevel", "verbose", "one of trace, debug, info, warn, error, fatal, silent"],
  ];

  it.each(cases)("%s %j", (name, text, allowed) => {
    expect(() => fromFlags({ [name]: text })).toThrow(
      new UsageError(`${flagOf(name)} is ${JSON.stringify(text)}; allowed is ${allowed}`),
    );
  });

  it("is said where it was given", () => {
    expect(() => fromEnvironment({ STINT_LOG_LEVEL: "loud" })).toThrow(
      /^STINT_LOG_LEVEL is "loud"; allowed is one of trace, /,
    );
    expect(() => fromFile("\nlogLevel: loud\n")).toThrow(
      /^stint\.yaml:2:1: logLevel is "loud"; allowed is one of trace, /,
    );
  });
});

describe("settings that contradict each other", () => {
  it.each<readonly [Texts, string]>([
    [
      { defaultController: "true", managedBy: "example.com/jobs" },
      "--default-controller (true) and --managed-by (example.com/jobs) are given: the Jobs of the built-in controller have no managedBy and use upstream's finalizer; leave one of them out",
    ],
    [
      { defaultController: "true", finalizer: "example.com/jobs" },
      "--default-controller (true) and --finalizer (example.com/jobs) are given: the Jobs of the built-in controller have no managedBy and use upstream's finalizer; leave one of them out",
    ],
    [
      { shadow: "true", defaultController: "true" },
      "--shadow (true) and --default-controller (true) are given: a shadow looks at the Jobs of the built-in controller, and neither writes, leads nor records; leave one of them out",
    ],
    [
      { shadow: "true", leaseName: "other" },
      "--shadow (true) and --lease-name (other) are given: a shadow looks at the Jobs of the built-in controller, and neither writes, leads nor records; leave one of them out",
    ],
    [
      { shadow: "true", featureGates: "WorkloadWithJob=true" },
      "--shadow (true) and --feature-gates (WorkloadWithJob=true) are given: a shadow does not compare gangs",
    ],
    [
      { namespaces: Array.from({ length: 17 }, (_, i) => `n${i}`).join(",") },
      "--namespaces names 17 namespaces; allowed are 16, or none for all",
    ],
    [
      { shard: "0/2", namespaces: "team-a" },
      "--shard (0/2) and --namespaces (team-a) are given: shards are parts of all namespaces; leave one of them out",
    ],
    [
      { shadow: "true", shard: "0/2" },
      "--shadow (true) and --shard (0/2) are given: a shadow looks at the Jobs of the built-in controller, and neither writes, leads nor records; leave one of them out",
    ],
    [
      { podBackoffBase: "1h" },
      "--pod-backoff-base (3600s) is longer than --pod-backoff-max (600s), the longest delay that it grows to",
    ],
    [
      { syncRetryMax: "500ms" },
      "--sync-retry-base (1s) is longer than --sync-retry-max (500ms), the longest delay that it grows to",
    ],
    [{ leaseDuration: "15500ms" }, "--lease-duration (15500ms) is not in whole seconds, which a Lease has"],
    [
      { leaseDuration: "10s", requestTimeout: "1s" },
      "--renew-deadline (10s) is not shorter than --lease-duration (10s): a leader would give up after others have taken over",
    ],
    [
      { retryPeriod: "8500ms", requestTimeout: "1s" },
      "--retry-period (8500ms) is too long for --renew-deadline (10s): a leader would have one try",
    ],
    [
      { requestTimeout: "11500ms" },
      "--request-timeout (11500ms) and two of --retry-period (2s) are longer than --lease-duration (15s): a write starts only while the Lease is held for at least as long as the write may take, so hardly any write would start",
    ],
  ])("%j", (flags, message) => {
    expect(() => fromFlags(flags)).toThrow(new UsageError(message));
  });

  it("are named where they were given", () => {
    const read = (): Settings =>
      readConfiguration({
        flags: {},
        environment: { STINT_RENEW_DEADLINE: "20s" },
        file: { path: "stint.yaml", text: "# short\nleaseDuration: 12s\n" },
      });
    expect(read).toThrow(/^STINT_RENEW_DEADLINE \(20s\) is not shorter than stint\.yaml:2:1: leaseDuration \(12s\): /);
  });

  it("do not matter where there is no election", () => {
    expect(fromFlags({ leaderElect: "false", requestTimeout: "1m", leaseDuration: "1500ms" }).requestTimeout).toBe(
      60_000,
    );
  });

  it("do not matter without leader election", () => {
    expect(fromFlags({ shadow: "true", requestTimeout: "1m" }).requestTimeout).toBe(60_000);
  });

  it("16 namespaces are allowed", () => {
    expect(fromFlags({ namespaces: Array.from({ length: 16 }, (_, i) => `n${i}`).join(",") }).namespaces).toHaveLength(
      16,
    );
  });
});

describe("unknown variables", () => {
  it("are those that begin as settings do and are none", () => {
    expect(
      unknownVariables(SETTINGS, {
        STINT_LEASE_DURATON: "15s",
        STINT_LEASE_DURATION: "15s",
        [CONFIG_VARIABLE]: "a",
        KUBECONFIG: "b",
        STINTED: "c",
      }),
    ).toEqual(["STINT_LEASE_DURATON"]);
  });

  it("are not those that Kubernetes makes of a Service called stint, or stint-webhook", () => {
    const links = [
      "STINT_SERVICE_HOST",
      "STINT_SERVICE_PORT",
      "STINT_SERVICE_PORT_METRICS",
      "STINT_PORT",
      "STINT_PORT_8080_TCP",
      "STINT_PORT_8080_TCP_PROTO",
      "STINT_PORT_8080_TCP_PORT",
      "STINT_PORT_8080_TCP_ADDR",
      "STINT_WEBHOOK_SERVICE_HOST",
      "STINT_WEBHOOK_PORT_443_TCP",
    ];
    expect(unknownVariables(SETTINGS, Object.fromEntries(links.map((link) => [link, "x"])))).toEqual([]);
  });

  it("no setting has a name that such a Service could take", () => {
    for (const name of SETTING_NAMES)
      expect(unknownVariables(SETTINGS, { [`${variableOf(name)}X`]: "" })).toHaveLength(1);
  });
});

describe("the engine's constants", () => {
  it("are the settings, in milliseconds", () => {
    expect(constantsOf(DEFAULTS)).toEqual({
      syncBatchPeriodMs: 1_000,
      syncBurst: 4,
      syncRetryBaseMs: 1_000,
      syncRetryMaxMs: 60_000,
      podBackoffBaseMs: 10_000,
      podBackoffMaxMs: 600_000,
      maxUncountedPods: 500,
      maxPodsPerSync: 500,
    });
  });
});
