/**
 * A real Kubernetes API server for a test: etcd and kube-apiserver as processes on loopback, with RBAC, tokens for its
 * users, and a certificate that it makes itself. Nothing else runs: no controller, no scheduler, no kubelet.
 *
 * Invariant: everything is in one temporary folder and listens on 127.0.0.1 alone; both end with stop(), and with the
 * process that started them (processes.ts). The data is worth nothing: etcd does not even sync it to disk. The
 * admission plugin ServiceAccount is off unless a test asks for it: no controller makes the account `default` of a new
 * namespace, and so no pod could be created there. Otherwise the server is as it comes.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiClient } from "./api-client.ts";
import { type BinariesOptions, findOrBuild } from "./binaries/binaries.ts";
import { ProcessGroup } from "./processes.ts";

/** On an idle machine both are ready within 3 s; this is for one that is busy. */
const READY_TIMEOUT_MS = 120_000;
/** One file, whatever a run writes: a soak of a day stays below. */
const MAX_AUDIT_LOG_MB = 1_000_000;

/**
 * Who asked for what and the answer's status, without bodies; a watch as soon as it begins, everything else when it has
 * been answered.
 */
const AUDIT_POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", verbs: ["watch"], omitStages: ["ResponseComplete"] }, { level: "Metadata" }],
};

const JOBS_AND_PODS = [
  { group: "", resources: ["pods", "pods/*"] },
  { group: "batch", resources: ["jobs", "jobs/*"] },
];
/** Jobs and pods alone: every write with what was sent and answered, and who has listed or watched them. */
const OBJECTS_AUDIT_POLICY = {
  ...AUDIT_POLICY,
  omitManagedFields: true,
  rules: [
    { level: "Metadata", verbs: ["watch"], resources: JOBS_AND_PODS, omitStages: ["ResponseComplete"] },
    { level: "Metadata", verbs: ["list"], resources: JOBS_AND_PODS },
    {
      level: "RequestResponse",
      verbs: ["create", "update", "patch", "delete", "deletecollection"],
      resources: JOBS_AND_PODS,
    },
    { level: "None" },
  ],
};

export interface User {
  readonly name: string;
  /** Default: none. `system:masters` may do everything. */
  readonly groups?: readonly string[];
}

/** A member of system:masters that every control plane has. */
export const ADMIN = "admin";

export interface ControlPlaneOptions {
  /** Users beside {@link ADMIN}, each with a token; what they may do is what RBAC objects say. */
  readonly users?: readonly User[];
  /** Of the API server: `{ GenericWorkload: true }`. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** An earlier version that the API server behaves like, with the switches that it had: `1.34`. Default: its own. */
  readonly emulatedVersion?: string;
  /** API versions to serve or not: `{ "scheduling.k8s.io/v1beta1": true }`. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  /** Beside those that are on by default: `["OwnerReferencesPermissionEnforcement"]`. */
  readonly admissionPlugins?: readonly string[];
  /** Not these, which are on by default: `["RuntimeClass"]`. */
  readonly withoutAdmissionPlugins?: readonly string[];
  /** The plugin ServiceAccount is on. Who asks for it runs upstream's `serviceaccount-controller`, too. */
  readonly serviceAccounts?: boolean;
  /** How often what is older than that is dropped from the history: `1s`. Default: the server's own five minutes. */
  readonly compactionInterval?: string;
  /** Pods may have privileged containers, as in most clusters. Default: as the server comes, which forbids them. */
  readonly allowPrivileged?: boolean;
  /**
   * Unix socket of an HTTP CONNECT proxy through which the API server reaches pods and webhooks (pod-network.ts).
   * Default: it connects to them itself.
   */
  readonly podNetworkSocket?: string;
  /**
   * What the server writes down. `requests`: each request, with who sent it and how it was answered, for
   * {@link ControlPlane.audited}. `objects`: requests for Jobs and pods alone, but writes with their bodies, for
   * {@link ControlPlane.auditLog}. Default: nothing.
   */
  readonly audit?: "requests" | "objects";
  readonly binaries?: BinariesOptions;
}

/** An event of the API server's audit log (`audit.k8s.io/v1` Event), as far as tests ask. */
export interface AuditedRequest {
  /** As RBAC knows it: `list`, `watch`, `patch`… */
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  /** None for a path that is no resource's: `/readyz`. */
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus: { readonly code: number };
}

export interface ControlPlane {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** PEM file of the certificate that the server shows. */
  readonly caFile: string;
  /** As the server says: `v1.36.3`. */
  readonly version: string;
  /** What runs, in the one temporary folder; parts that belong to this server are started here too. */
  readonly processes: ProcessGroup;
  /** The requests that have been answered so far, oldest first; a watch once it has begun. Empty without `audit`. */
  audited(): AuditedRequest[];
  /** Path of that file: an event of `audit.k8s.io/v1` a line. There is none without `audit`. */
  readonly auditLog: string;
  /** Token of a user. @throws Error when there is no such user */
  token(user?: string): string;
  /** Path of a kubeconfig file for a user. @throws Error when there is no such user */
  kubeconfig(user?: string): string;
  /** Path of a kubeconfig file with this token, and with `namespace` as its default namespace. */
  kubeconfigOf(name: string, token: string, namespace?: string): string;
  /** A client for a user. @throws Error when there is no such user */
  client(user?: string): ApiClient;
  /** Ends everything that runs in `processes`, and removes the folder. May be called again. */
  stop(): Promise<void>;
}

/** What a program beside an API server asks of it, also of one that is no {@link ControlPlane}. */
export type ReachableServer = Pick<ControlPlane, "processes" | "kubeconfig" | "client">;

/**
 * Starts etcd and kube-apiserver, and waits until the server is ready and has the namespace `default`.
 *
 * @throws Error when a program is missing and cannot be built (binaries.ts), or does not become ready; with the end of
 * its log. Nothing is left running then.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const commands = {
    etcd: await findOrBuild("etcd", options.binaries),
    apiServer: await findOrBuild("kube-apiserver", options.binaries),
  };
  const processes = new ProcessGroup("stint-control-plane-");
  try {
    return await start(processes, commands, options);
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

async function start(
  processes: ProcessGroup,
  commands: { readonly etcd: string; readonly apiServer: string },
  options: ControlPlaneOptions,
): Promise<ControlPlane> {
  const tokens = new Map<string, string>();
  const users: readonly User[] = [{ name: ADMIN, groups: ["system:masters"] }, ...(options.users ?? [])];
  for (const { name } of users) {
    if (tokens.has(name))
      throw new Error(`the user ${name} is given twice; the names of users differ, and ${ADMIN} is always there`);
    tokens.set(name, randomBytes(16).toString("hex"));
  }
  // CSV: token, name, uid, "groups".
  const tokenFile = processes.write(
    "tokens.csv",
    users.map(({ name, groups = [] }) => `${tokens.get(name)},${name},${name},"${groups.join(",")}"\n`).join(""),
  );
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "sec1", format: "pem" },
  });
  const keyFile = processes.write("service-account.key", privateKey);

  const etcdUrl = await startEtcd(processes, commands.etcd);
  const auditLog = processes.path("audit.log");
  const auditPolicyFile =
    options.audit === undefined
      ? undefined
      : processes.write(
          "audit-policy.json",
          JSON.stringify(options.audit === "objects" ? OBJECTS_AUDIT_POLICY : AUDIT_POLICY),
        );
  const egressFile =
    options.podNetworkSocket === undefined
      ? undefined
      : processes.write("egress.json", JSON.stringify(egressSelector(options.podNetworkSocket)));
  const withoutPlugins = [
    ...(options.serviceAccounts === true ? [] : ["ServiceAccount"]),
    ...(options.withoutAdmissionPlugins ?? []),
  ];
  const certificateFolder = processes.path("kube-apiserver");
  const caFile = join(certificateFolder, "apiserver.crt");
  const clientFor = (port: number, token: string): ApiClient =>
    new ApiClient({ url: `https://127.0.0.1:${port}`, ca: readFileSync(caFile, "utf8"), token });
  const apiServer = await processes.startServer({
    name: "kube-apiserver",
    command: commands.apiServer,
    args: (port) => [
      `--etcd-servers=${etcdUrl}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--secure-port=${port}`,
      `--cert-dir=${certificateFolder}`,
      // The endpoints of the service `kubernetes` may not be on loopback.
      "--endpoint-reconciler-type=none",
      "--service-cluster-ip-range=10.96.0.0/12",
      "--authorization-mode=RBAC",
      `--token-auth-file=${tokenFile}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${keyFile}`,
      `--service-account-signing-key-file=${keyFile}`,
      `--disable-admission-plugins=${withoutPlugins.join(",")}`,
      ...(options.allowPrivileged === true ? ["--allow-privileged"] : []),
      ...(options.compactionInterval ? [`--etcd-compaction-interval=${options.compactionInterval}`] : []),
      ...(options.emulatedVersion === undefined ? [] : [`--emulated-version=${options.emulatedVersion}`]),
      ...(options.admissionPlugins === undefined
        ? []
        : [`--enable-admission-plugins=${options.admissionPlugins.join(",")}`]),
      ...(auditPolicyFile === undefined
        ? []
        : [
            `--audit-policy-file=${auditPolicyFile}`,
            `--audit-log-path=${auditLog}`,
            `--audit-log-maxsize=${MAX_AUDIT_LOG_MB}`,
          ]),
      ...(egressFile === undefined ? [] : [`--egress-selector-config-file=${egressFile}`]),
      ...settings("feature-gates", options.featureGates),
      ...settings("runtime-config", options.runtimeConfig),
    ],
    isReady: async (port) => {
      const client = clientFor(port, tokens.get(ADMIN)!);
      try {
        // The namespaces of the system are made after the start.
        return (
          (await client.request("GET", "/readyz")).status === 200 &&
          (await client.request("GET", "/api/v1/namespaces/default")).status === 200
        );
      } finally {
        client.close();
      }
    },
    readyTimeoutMs: READY_TIMEOUT_MS,
  });

  const url = `https://127.0.0.1:${apiServer.port}`;
  const token = (user = ADMIN): string => {
    const found = tokens.get(user);
    if (found === undefined)
      throw new Error(
        `there is no user ${user}; there are ${[...tokens.keys()].join(", ")}. Name it in \`users\` of startControlPlane`,
      );
    return found;
  };
  const client = (user = ADMIN): ApiClient => clientFor(apiServer.port, token(user));
  const { gitVersion } = await client().succeed<{ gitVersion: string }>("GET", "/version");
  return {
    url,
    caFile,
    version: gitVersion,
    processes,
    token,
    client,
    auditLog,
    audited: () =>
      existsSync(auditLog)
        ? readFileSync(auditLog, "utf8")
            .split("\n")
            .slice(0, -1)
            .map((line) => JSON.parse(line) as AuditedRequest)
        : [],
    kubeconfig: (user = ADMIN) =>
      processes.write(
        `${encodeURIComponent(user)}.kubeconfig`,
        kubeconfigText({ server: url, caFile, user, token: token(user) }),
      ),
    kubeconfigOf: (name, token, namespace) =>
      processes.write(
        `${encodeURIComponent(name)}.kubeconfig`,
        kubeconfigText({ server: url, caFile, user: name, token, namespace }),
      ),
    stop: () => processes.stop(),
  };
}

/** Starts an etcd alone. @returns its address, `http://127.0.0.1:PORT` */
export async function startEtcd(processes: ProcessGroup, command: string): Promise<string> {
  const { port } = await processes.startServer({
    name: "etcd",
    command,
    args: (port) => [
      `--data-dir=${processes.path("etcd")}`,
      `--listen-client-urls=http://127.0.0.1:${port}`,
      `--advertise-client-urls=http://127.0.0.1:${port}`,
      "--listen-peer-urls=http://127.0.0.1:0",
      "--unsafe-no-fsync",
    ],
    isReady: async (port) => (await fetch(`http://127.0.0.1:${port}/health`)).ok,
    readyTimeoutMs: READY_TIMEOUT_MS,
  });
  return `http://127.0.0.1:${port}`;
}

/** `--FLAG=a=true,b=false`, as the programs of Kubernetes take switches by name; nothing when there are none. */
export function settings(flag: string, values: Readonly<Record<string, boolean>> = {}): string[] {
  const entries = Object.entries(values);
  return entries.length === 0 ? [] : [`--${flag}=${entries.map(([name, value]) => `${name}=${value}`).join(",")}`];
}

function egressSelector(udsName: string): object {
  const connection = { proxyProtocol: "HTTPConnect", transport: { uds: { udsName } } };
  return {
    apiVersion: "apiserver.k8s.io/v1beta1",
    kind: "EgressSelectorConfiguration",
    egressSelections: [{ name: "cluster", connection }],
  };
}

export interface KubeconfigOptions {
  readonly server: string;
  /** PEM file of the certificate that the server shows. None: a server over plain HTTP. */
  readonly caFile?: string;
  readonly user: string;
  /** None: nothing is sent. */
  readonly token?: string;
  readonly namespace?: string | undefined;
}

/** A kubeconfig file as JSON, which is YAML. */
export function kubeconfigText({ server, caFile, user, token, namespace }: KubeconfigOptions): string {
  const name = "stint-test";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    // client-node refuses plain HTTP unless told to skip the verification of a certificate that there is none of.
    clusters: [
      {
        name,
        cluster: {
          server,
          ...(caFile === undefined ? { "insecure-skip-tls-verify": true } : { "certificate-authority": caFile }),
        },
      },
    ],
    users: [{ name: user, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user, ...(namespace === undefined ? {} : { namespace }) } }],
    "current-context": name,
  });
}
