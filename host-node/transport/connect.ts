/**
 * Access to a real API server for programs of your own, in one call: credentials as kubectl finds them, and connections
 * that are kept alive. Its result names no type of another package, so the declarations of its export need none.
 */
import type { Clock, Transport } from "../../bindings/js/host.ts";
import { Credentials } from "./credentials.ts";
import { HttpTransport } from "./http-transport.ts";

const DEFAULT_MAX_CONNECTIONS = 64;
const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
/** A watch gets a bookmark once a minute. */
const DEFAULT_IDLE_TIMEOUT_MS = 5 * 60_000;

export interface ConnectOptions {
  readonly clock: Clock;
  /** Path of a kubeconfig; else the one that kubectl would use, else the service account of the pod. */
  readonly kubeconfig?: string;
  /** One of its contexts; else the current one. */
  readonly context?: string;
  /** KUBECONFIG, HOME and the variables of a pod are read, and commands that make tokens get it: `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For requests that are answered; streams have their own. 64 unless given. */
  readonly maxConnections?: number;
  /** From handing over a request to the last byte of its answer. 30 s unless given. */
  readonly requestTimeoutMs?: number;
  /** The longest silence of a watch. 5 minutes unless given. */
  readonly idleTimeoutMs?: number;
  /** One sentence about a request that got no answer. It holds no credential. */
  readonly onProblem?: (problem: string) => void;
}

export interface Connection {
  readonly transport: Transport;
  /** `https://10.0.0.1:6443`. */
  readonly origin: string;
  /** Names the file and the context, or the service account, as a part of a sentence. */
  readonly description: string;
  /** Of the context, or of the pod. */
  readonly namespace: string | undefined;
  /** Ends every connection. Requests under way are answered with status 0. */
  close(): Promise<void>;
}

/** Nothing is sent yet. @throws UsageError when there are no credentials, or they name no server */
export function connect(options: ConnectOptions): Connection {
  const { clock, kubeconfig, context, environment, onProblem } = options;
  const credentials = Credentials.load({ kubeconfig, context, environment });
  const transport = new HttpTransport({
    credentials,
    clock,
    maxConnections: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
    requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    idleTimeoutMs: options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
    ...(onProblem === undefined ? {} : { onProblem }),
  });
  const { origin, description, namespace } = credentials;
  return { transport, origin, description, namespace, close: () => transport.close() };
}
