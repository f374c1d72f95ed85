/**
 * Questions to an API server, with the credentials of a kubeconfig: GETs and dry runs, and nothing else.
 *
 * Invariant: each question ends with an answer, or with a sentence that says what was tried and what to do. Nothing is
 * ever written. Credentials go only to the server that the kubeconfig names, and are in no error.
 */
import type { ApiRequest, ApiResponse, Clock } from "../../../bindings/js/host.ts";
import { errorOf } from "../../../cluster/client/client.ts";
import type { Credentials } from "../../transport/credentials.ts";
import { HttpTransport } from "../../transport/http-transport.ts";
import { ServerClock } from "../../transport/server-clock.ts";
import { UsageError } from "../../usage-error.ts";
import { printable } from "../../words/printable.ts";

const TIME_LIMIT_MS = 10_000;
/** At most three questions are asked at once: two lists of Events and a page of pods. */
const MAX_CONNECTIONS = 3;
const STATUS_UNAUTHORIZED = 401;
const JSON_TYPE = "application/json";

/** Reads from one API server. Call `close` when done. */
export class ApiReader {
  readonly #credentials: Credentials;
  readonly #clock: Clock;
  readonly #transport: HttpTransport;
  /** What went wrong with the present request. */
  #problem = "";
  /** Wall time by the server's clock, because remaining waits are computed from times that the server has written. */
  readonly serverClock: ServerClock;

  constructor(credentials: Credentials, clock: Clock) {
    this.#credentials = credentials;
    this.#clock = clock;
    this.serverClock = new ServerClock(clock);
    const onProblem = (problem: string): void => void (this.#problem = problem);
    this.#transport = new HttpTransport({
      credentials,
      clock,
      maxConnections: MAX_CONNECTIONS,
      requestTimeoutMs: TIME_LIMIT_MS,
      idleTimeoutMs: TIME_LIMIT_MS,
      serverClock: this.serverClock,
      onProblem,
    });
  }

  /** `https://10.0.0.1:6443`. */
  get origin(): string {
    return printable(this.#credentials.origin);
  }

  /** The time by the server's clock. */
  now(): number {
    return this.serverClock.now();
  }

  /** Every status but 401 counts as an answer. @throws UsageError when there is none */
  get(path: string, accept = JSON_TYPE): Promise<ApiResponse> {
    return this.#ask({ method: "GET", path, headers: { accept, "user-agent": "stint" } });
  }

  /** The server's answer to a JSON patch, which it does not apply. @throws UsageError as `get` does */
  dryRun(path: string, patch: object): Promise<ApiResponse> {
    const headers = { accept: JSON_TYPE, "content-type": "application/json-patch+json", "user-agent": "stint" };
    return this.#ask({ method: "PATCH", path: `${path}?dryRun=All`, headers, body: JSON.stringify(patch) });
  }

  async #ask(request: ApiRequest): Promise<ApiResponse> {
    await this.#renew();
    const { response, problem } = await new Promise<{ response: ApiResponse; problem: string }>((resolve) => {
      this.#transport.send(request, (response) => resolve({ response, problem: this.#problem }));
    });
    if (response.status === 0) throw new UsageError(this.#unreachable(problem));
    if (response.status === STATUS_UNAUTHORIZED) {
      throw new UsageError(
        `${this.origin} refuses the credentials of ${this.#place}: they have expired, or belong to another server.\nName the right kubeconfig with --kubeconfig FILE, or in $KUBECONFIG.`,
      );
    }
    return response;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  get #place(): string {
    return printable(this.#credentials.description);
  }

  /**
   * Reads the credentials again. A command that makes tokens has a separate time limit, so that its delay is not blamed
   * on the server.
   */
  async #renew(): Promise<void> {
    if (this.#credentials.fresh(this.#clock.now()) !== undefined) return;
    try {
      await this.#credentials.renew(this.#clock.now());
    } catch (error) {
      throw new UsageError(`the credentials of ${this.#place} cannot be used: ${printable((error as Error).message)}`);
    }
  }

  #unreachable(problem: string): string {
    const place = `${this.origin}, which ${this.#place} names`;
    if (problem.includes("ECONNREFUSED"))
      return `no server listens at ${place}: that server has ended.\nStart it again (\`stint serve\`, if it was that), or name the kubeconfig of a running server with --kubeconfig FILE, or in $KUBECONFIG.`;
    if (problem.includes("no answer within"))
      return `no answer within ${TIME_LIMIT_MS / 1000} s from ${place}.\nIs the server stopped or very busy? Try again.`;
    // The server has another certificate, or speaks no TLS.
    const trust = /\b(\w*(?:CERT|VERIFY|SIGNATURE)\w*|ERR_SSL\w*|EPROTO)\b/.exec(problem)?.[1];
    if (trust !== undefined)
      return `another server than the one of ${this.#place} listens at ${this.origin}; it was sent no credentials (${trust}).\nName the kubeconfig of the running server with --kubeconfig FILE, or in $KUBECONFIG.`;
    return `cannot ask ${place}: ${printable(problem)}.\nIs that server still running?`;
  }
}

/** `403: pods is forbidden: …`, for people. */
export function refusalOf(response: ApiResponse): string {
  return `${response.status}: ${printable(errorOf(response).message)}`;
}
