/**
 * Where an API server is and what it wants to see: address, trust, client certificate, token.
 *
 * Invariant: no credential gets into an error or a log; what rotates (token files, client certificates, commands that make
 * tokens, the kubeconfig itself) is read anew while the process runs, and at once after the server refused it.
 * Reading and authenticating is client-node's; this adds when to ask it, and which errors a user sees.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import type { AgentOptions, RequestOptions } from "node:https";
import { type ConnectOptions, type DispatcherOptions, KubeConfig } from "@kubernetes/client-node";
import { UsageError } from "../usage-error.ts";

/** How long credentials are used before it is asked whether they still hold. A token file is read once a minute by client-node itself. */
const FRESH_MS = 10_000;
/** A server that refuses what is read anew gets it again no sooner than this. */
const MIN_RELOAD_INTERVAL_MS = 10_000;
const SERVICE_ACCOUNT_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token";

export interface CredentialsSource {
  /** A kubeconfig file; undefined: what kubectl would take ($KUBECONFIG, ~/.kube/config), else the service account of the pod. */
  readonly kubeconfig: string | undefined;
  /** Undefined: the current one. */
  readonly context: string | undefined;
}

/** What one request needs. */
export interface Access {
  readonly headers: Readonly<Record<string, string>>;
  readonly connection: DispatcherOptions;
  /** Equal for connections that may be shared. */
  readonly connectionKey: string;
}

export class Credentials {
  /** `https://10.0.0.1:6443`. */
  readonly origin: string;
  /** In front of every path: empty, or `/k8s/clusters/x` of a server behind a gateway. */
  readonly basePath: string;
  /** Of the context, or of the pod. */
  readonly namespace: string | undefined;
  /** A sentence's part for people: the file and context, or the service account. */
  readonly description: string;
  readonly #source: CredentialsSource;
  #config: KubeConfig;
  #access: Access | undefined;
  #freshUntilMs = -Infinity;
  #reloadedMs = -Infinity;

  private constructor(source: CredentialsSource, config: KubeConfig) {
    const url = serverOf(config);
    this.origin = url.origin;
    this.basePath = url.pathname.replace(/\/+$/, "");
    this.namespace = config.getContextObject(config.getCurrentContext())?.namespace;
    this.description = describe(source, config);
    this.#source = source;
    this.#config = config;
  }

  /** @throws UsageError when there are none, or they name no server. */
  static load(source: CredentialsSource): Credentials {
    return new Credentials(source, read(source));
  }

  /** What `now` is known to hold, without waiting; undefined: ask `renew`. */
  fresh(nowMs: number): Access | undefined {
    return nowMs < this.#freshUntilMs ? this.#access : undefined;
  }

  /** Reads what rotates. @throws Error when a file or a command that makes tokens fails. */
  async renew(nowMs: number): Promise<Access> {
    const config = this.#config;
    const options: RequestOptions = { headers: {} };
    await config.applyToHTTPSOptions(options);
    const { headers, auth, agent: _agent, ...tls } = options;
    const connection = config.createDispatcherOptions(config.getCurrentCluster(), tls as AgentOptions);
    const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString("base64")}` } : {};
    const own = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
    this.#access = { headers: { ...basic, ...own }, connection, connectionKey: keyOf(connection) };
    this.#freshUntilMs = nowMs + FRESH_MS;
    return this.#access;
  }

  /** The server answered 401: everything is read anew before the next request. */
  refused(nowMs: number): void {
    if (nowMs - this.#reloadedMs < MIN_RELOAD_INTERVAL_MS) return;
    this.#reloadedMs = nowMs;
    this.#freshUntilMs = -Infinity;
    try {
      const config = read(this.#source);
      // The file may have been rewritten for another cluster, which must not see what is meant for this one.
      if (serverOf(config).origin === this.origin) this.#config = config;
    } catch {
      // A file that is being rewritten: what was read before stays until it can be read.
    }
  }
}

function read({ kubeconfig, context }: CredentialsSource): KubeConfig {
  const config = new KubeConfig();
  const where = kubeconfig ?? process.env["KUBECONFIG"] ?? "~/.kube/config";
  try {
    if (kubeconfig !== undefined) config.loadFromFile(kubeconfig);
    else if (!process.env["KUBECONFIG"] && existsSync(SERVICE_ACCOUNT_TOKEN) && process.env["KUBERNETES_SERVICE_HOST"]) config.loadFromCluster();
    else config.loadFromDefault();
  } catch (error) {
    throw new UsageError(`the kubeconfig ${where} cannot be used: ${problemOf(error)}.\nName one with --kubeconfig FILE or in $KUBECONFIG; inside a pod its service account is used.`);
  }
  if (context !== undefined) {
    if (config.getContextObject(context) === null) {
      const known = config.getContexts().map(({ name }) => name);
      throw new UsageError(`the context is ${JSON.stringify(context)}; ${where} has ${known.length === 0 ? "none" : known.join(", ")}`);
    }
    config.setCurrentContext(context);
  }
  // client-node's answer to nothing found.
  if (config.getCurrentContext() === "loaded-context" && config.getCurrentCluster()?.server === "http://localhost:8080") {
    throw new UsageError("there is no kubeconfig and no service account of a pod: nothing says where the API server is.\nName a kubeconfig with --kubeconfig FILE or in $KUBECONFIG.");
  }
  return config;
}

/** Errors of the YAML reader quote the file, which holds secrets: only their first line is told, and nothing quoted. */
function problemOf(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "this user may not read it";
  if (code === "EISDIR") return "it is a directory";
  return name === "YAMLException" ? "it is not YAML" : message.split("\n", 1)[0]!.replace(/["'].*["']/, "…");
}

function serverOf(config: KubeConfig): URL {
  const server = config.getCurrentCluster()?.server;
  const url = URL.parse(String(server));
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  const context = config.getCurrentContext();
  throw new UsageError(
    server === undefined
      ? `the context ${JSON.stringify(context ?? "")} of the kubeconfig names no cluster; allowed is one with a cluster that has a server. Name another with --context`
      : `the server of context ${JSON.stringify(context)} is ${JSON.stringify(server)}; allowed is a URL that begins with https://`,
  );
}

function describe({ kubeconfig }: CredentialsSource, config: KubeConfig): string {
  const context = config.getCurrentContext();
  if (context === "inClusterContext") return "the service account of this pod";
  return `context ${context} of ${kubeconfig ?? process.env["KUBECONFIG"] ?? "~/.kube/config"}`;
}

/** A digest, so that no key is kept beside the one in use. */
function keyOf(connection: DispatcherOptions): string {
  const tls: Partial<ConnectOptions> = connection.type === "none" ? {} : connection.type === "agent" ? connection.connect : connection.requestTls;
  const hash = createHash("sha256").update(connection.type);
  if ("uri" in connection) hash.update(connection.uri);
  for (const part of [tls.ca, tls.cert, tls.key, tls.pfx, tls.passphrase, tls.servername, tls.rejectUnauthorized]) hash.update(`\n${String(part)}`);
  return hash.digest("hex");
}
