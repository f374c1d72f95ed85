/**
 * How to reach an API server and authenticate there: address, trust, client certificate, token.
 *
 * Invariant: no credential gets into an error or a log. Credentials that rotate (token files, client certificates,
 * commands that make tokens, the kubeconfig itself) are read again while the process runs, and at once after the server
 * refused them. The package client-node reads and authenticates. This file decides when to ask it, and which errors a
 * user sees.
 */
import { createHash } from "node:crypto";
import type { AgentOptions, RequestOptions } from "node:https";
import { type ConnectOptions, type DispatcherOptions, KubeConfig } from "@kubernetes/client-node";
import { UsageError } from "../usage-error.ts";
import { ExecCredentials } from "./exec-credentials.ts";
import { findKubeconfig, type FoundKubeconfig, type KubeconfigPlace, unsupportedField } from "./kubeconfig-file.ts";

/**
 * How long credentials are used before client-node is asked for new ones. A token file is read once a minute by
 * client-node itself.
 */
const FRESH_MS = 10_000;
/** If the server refuses new credentials too, they are not read again before this time has passed. */
const MIN_RELOAD_INTERVAL_MS = 10_000;
/** Supported proxies. */
const PROXY = /^(https?|socks5h?|socks):\/\//;

export interface CredentialsSource extends KubeconfigPlace {
  /** Undefined: the current one. */
  readonly context: string | undefined;
  /** How long a command that makes tokens may take; undefined: 30 s. */
  readonly commandTimeoutMs?: number | undefined;
}

/** What one request needs to authenticate. */
export interface Access {
  readonly headers: Readonly<Record<string, string>>;
  readonly connection: DispatcherOptions;
  /** Requests with equal keys may share connections. */
  readonly connectionKey: string;
}

export class Credentials {
  /** `https://10.0.0.1:6443`. */
  readonly origin: string;
  /** Prefix of every path: empty, or `/k8s/clusters/x` for a server behind a gateway. */
  readonly basePath: string;
  /** Namespace of the context, or of the pod. */
  readonly namespace: string | undefined;
  /** Names the file and context, or the service account, as a part of a sentence. */
  readonly description: string;
  readonly #source: CredentialsSource;
  #config: KubeConfig;
  #access: Access | undefined;
  #freshUntilMs = -Infinity;
  #reloadedMs = -Infinity;

  private constructor(source: CredentialsSource, { config, description }: Found) {
    const url = serverOf(config);
    this.origin = url.origin;
    this.basePath = basePathOf(url);
    this.namespace = config.getContextObject(config.getCurrentContext())?.namespace;
    this.description = description;
    this.#source = source;
    this.#config = config;
  }

  /** @throws UsageError when there are none, or they name no server. */
  static load(source: CredentialsSource): Credentials {
    return new Credentials(source, read(source));
  }

  /** Credentials that are still fresh, without waiting. Undefined: call `renew`. */
  fresh(nowMs: number): Access | undefined {
    return nowMs < this.#freshUntilMs ? this.#access : undefined;
  }

  /** Reads credentials that rotate. @throws Error when a file or a command that makes tokens fails. */
  async renew(nowMs: number): Promise<Access> {
    const config = this.#config;
    const options: RequestOptions = { headers: {} };
    await config.applyToHTTPSOptions(options);
    const { headers, auth, agent: _agent, ...tls } = options;
    const connection = withRemoteNames(config.createDispatcherOptions(config.getCurrentCluster(), tls as AgentOptions));
    const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString("base64")}` } : {};
    // A token file may end with a newline, which no header can hold.
    const own = Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value).trim()]),
    );
    this.#access = { headers: { ...basic, ...own }, connection, connectionKey: keyOf(connection) };
    this.#freshUntilMs = nowMs + FRESH_MS;
    return this.#access;
  }

  /** The server answered 401: everything is read again before the next request. */
  refused(nowMs: number): void {
    if (nowMs - this.#reloadedMs < MIN_RELOAD_INTERVAL_MS) return;
    this.#reloadedMs = nowMs;
    this.#freshUntilMs = -Infinity;
    try {
      const { config } = read(this.#source);
      // The file may now be for another cluster. Credentials for that one must not be sent to this one, or over another
      // proxy.
      if (wayOf(config) === wayOf(this.#config)) this.#config = config;
    } catch {
      // Somebody is just rewriting the file. Keep the old content until it can be read.
    }
  }
}

interface Found {
  readonly config: KubeConfig;
  readonly description: string;
}

function read(source: CredentialsSource): Found {
  const found = findKubeconfig(source);
  const config = new KubeConfig();
  config.addAuthenticator(new ExecCredentials({ environment: source.environment, timeoutMs: source.commandTimeoutMs }));
  try {
    // As in kubectl, an incomplete entry matters only to a context that uses it.
    config.loadFromString(JSON.stringify(found.content), { onInvalidEntry: "filter" });
  } catch (error) {
    throw new UsageError(`the kubeconfig ${found.name} cannot be used: ${(error as Error).message}`);
  }
  if (source.context !== undefined) {
    if (config.getContextObject(source.context) === null) {
      const known = config.getContexts().map(({ name }) => name);
      throw new UsageError(
        `the context is ${JSON.stringify(source.context)}; ${found.name} has ${known.length === 0 ? "none" : known.join(", ")}`,
      );
    }
    config.setCurrentContext(source.context);
  }
  check(config, found);
  return {
    config,
    description: found.isServiceAccount ? found.name : `context ${config.getCurrentContext()} of ${found.name}`,
  };
}

/** Refuses what would fail at the first request, or would silently do something else. */
function check(config: KubeConfig, found: FoundKubeconfig): void {
  const url = serverOf(config);
  const context = JSON.stringify(config.getCurrentContext());
  const { skipTLSVerify, proxyUrl } = config.getCurrentCluster()!;
  if (url.protocol === "http:" && !skipTLSVerify) {
    throw new UsageError(
      `the server of context ${context} is ${url.origin}, where everybody in between can read the credentials; allowed is https://, or http:// and insecure-skip-tls-verify: true`,
    );
  }
  if (proxyUrl && !PROXY.test(proxyUrl))
    throw new UsageError(
      `the proxy-url of context ${context} begins with ${JSON.stringify(proxyUrl.split("://", 1)[0])}; allowed are http, https and socks5`,
    );
  const user = config.getContextObject(config.getCurrentContext())?.user ?? "";
  if (config.getCurrentUser() === null)
    throw new UsageError(`the user of context ${context} is ${JSON.stringify(user)}, which ${found.name} has not`);
  const unsupported = unsupportedField(found, user);
  if (unsupported !== undefined)
    throw new UsageError(
      `the user ${JSON.stringify(user)} of ${found.name} has ${unsupported}, which is not supported; allowed is as, to act as one user`,
    );
}

function serverOf(config: KubeConfig): URL {
  const server = config.getCurrentCluster()?.server;
  const url = URL.parse(String(server));
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  const context = config.getCurrentContext();
  throw new UsageError(
    server === undefined
      ? `the context ${JSON.stringify(context ?? "")} of the kubeconfig names no cluster; allowed is one with a cluster that has a server. Name another with --context`
      : `the server of context ${JSON.stringify(context)} is ${JSON.stringify(server.replace(/\/\/[^/@]*@/, "//…@"))}; allowed is a URL that begins with https://`,
  );
}

function basePathOf(server: URL): string {
  return server.pathname.replace(/\/+$/, "");
}

/** Where requests go, and through which proxy, without the credentials. */
function wayOf(config: KubeConfig): string {
  const server = serverOf(config);
  const { proxyUrl } = config.getCurrentCluster()!;
  const proxy = proxyUrl ? URL.parse(proxyUrl) : null;
  return `${server.origin}${basePathOf(server)} ${proxy === null ? "" : `${proxy.protocol}//${proxy.host}`}`;
}

/** `socks5h` means that the proxy looks names up. Here it always does. */
function withRemoteNames(connection: DispatcherOptions): DispatcherOptions {
  return connection.type === "socks"
    ? { ...connection, uri: connection.uri.replace(/^socks5h:/, "socks5:") }
    : connection;
}

/** A digest, so that no second copy of a private key stays in memory. */
function keyOf(connection: DispatcherOptions): string {
  const tls: Partial<ConnectOptions> =
    connection.type === "none" ? {} : connection.type === "agent" ? connection.connect : connection.requestTls;
  const hash = createHash("sha256").update(connection.type);
  if ("uri" in connection) hash.update(connection.uri);
  for (const part of [tls.ca, tls.cert, tls.key, tls.pfx, tls.passphrase, tls.servername, tls.rejectUnauthorized])
    hash.update(`\n${String(part)}`);
  return hash.digest("hex");
}
