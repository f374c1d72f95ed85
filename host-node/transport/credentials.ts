/**
 * How to reach an API server and authenticate there: address, trust, client certificate, token.
 *
 * Invariant: no credential gets into an error or a log. Credentials that rotate (token files, client certificates,
 * commands that make tokens, the kubeconfig itself) are read again while the process runs, and at once after the server
 * refused them. This file decides when they are read, kubeconfig-context.ts and user-credentials.ts how.
 */
import { createHash } from "node:crypto";
import { connectorsFor, type NewConnector, type Tls } from "./connector.ts";
import { contextOf, type KubeconfigContext, trustOf, wayOf } from "./kubeconfig-context.ts";
import { findKubeconfig, type KubeconfigPlace } from "./kubeconfig-file.ts";
import { UserCredentials } from "./user-credentials.ts";

/** How long credentials are used before they are read again. */
const FRESH_MS = 10_000;
/** If the server refuses new credentials too, they are not read again before this time has passed. */
const MIN_RELOAD_INTERVAL_MS = 10_000;

export interface CredentialsSource extends KubeconfigPlace {
  /** Undefined: the current one. */
  readonly context: string | undefined;
  /** How long a command that makes tokens may take; undefined: 30 s. */
  readonly commandTimeoutMs?: number | undefined;
}

/** What one request needs to authenticate. */
export interface Access {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Tls;
  readonly proxy: string | undefined;
  /** Makes connections with this trust and certificate. */
  readonly newConnector: NewConnector;
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
  /** Reads ask for compressed answers. */
  readonly asksCompressed: boolean;
  /** Names the file and context, or the service account, as a part of a sentence. */
  readonly description: string;
  readonly #source: CredentialsSource;
  #read: Read;
  #access: Access | undefined;
  #freshUntilMs = -Infinity;
  #reloadedMs = -Infinity;

  private constructor(source: CredentialsSource, read: Read) {
    ({ origin: this.origin, basePath: this.basePath } = read.context);
    ({ namespace: this.namespace, description: this.description } = read.context);
    this.asksCompressed = read.context.asksCompressed;
    this.#source = source;
    this.#read = read;
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
    const { context, user } = this.#read;
    const { headers, certificate } = await user.read();
    const tls = { ...trustOf(context), ...certificate };
    const newConnector = await connectorsFor(context, tls);
    this.#access = { headers, tls, proxy: context.proxy, newConnector, connectionKey: keyOf(context.proxy, tls) };
    this.#freshUntilMs = nowMs + FRESH_MS;
    return this.#access;
  }

  /** The server answered 401: all credentials are read again before the next request. */
  refused(nowMs: number): void {
    if (nowMs - this.#reloadedMs < MIN_RELOAD_INTERVAL_MS) return;
    this.#reloadedMs = nowMs;
    this.#freshUntilMs = -Infinity;
    try {
      const again = read(this.#source);
      // The file may now be for another cluster. Credentials for that one must not be sent to this one, or over another
      // proxy.
      if (wayOf(again.context) === wayOf(this.#read.context)) this.#read = again;
    } catch {
      // Another process is just rewriting the file. Keep the old content until it can be read.
    }
  }
}

/** The content of a kubeconfig. */
interface Read {
  readonly context: KubeconfigContext;
  readonly user: UserCredentials;
}

function read(source: CredentialsSource): Read {
  const context = contextOf(findKubeconfig(source), source.context);
  const { environment, commandTimeoutMs } = source;
  return { context, user: new UserCredentials(context.user, { environment, timeoutMs: commandTimeoutMs }) };
}

/** A digest, so that no second copy of a private key stays in memory. */
function keyOf(proxy: string | undefined, tls: Tls): string {
  const hash = createHash("sha256");
  for (const part of [proxy, tls.ca, tls.cert, tls.key, tls.servername, tls.rejectUnauthorized])
    hash.update(`${String(part)}\n`);
  return hash.digest("hex");
}
