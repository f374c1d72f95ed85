/**
 * A faulty network between a controller and its API server: watches that are cut, answers that get lost,
 * delays, 429, 500 and 410, other documents than were asked for, error pages without a Status, and requests that arrive
 * after their time-out or twice. Plain HTTP on loopback; the token of each request goes on to the real server, which
 * decides what it may.
 *
 * Invariant: what is forwarded is forwarded byte for byte, and once but for the requests that are doubled; a fault is
 * an answer that a real server, proxy or network could give. Creations are neither late nor doubled: a second pod is no
 * controller's fault, and the Jobs of a soak count theirs. Which request meets which fault follows from one seed and
 * the order of the requests; none stays away for long by chance (lots.ts).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { readFileSync } from "node:fs";
import { seeded } from "../cluster/component-harness.ts";
import { ADMIN, type ControlPlane, kubeconfigText } from "./control-plane.ts";
import { Lots } from "./lots.ts";

/** Shares of the requests, and times. */
export interface Faults {
  /** Answered with 429 and Retry-After: 1, not forwarded. */
  readonly throttled: number;
  /** Answered with 500, not forwarded. */
  readonly failed: number;
  /** The connection ends before anything is forwarded. */
  readonly refused: number;
  /** The connection ends after the server has answered: the outcome is unknown to the client. */
  readonly lost: number;
  /** The connection ends in the middle of the answer. */
  readonly torn: number;
  /** Forwarded after up to `maxDelayMs`. */
  readonly delayed: number;
  readonly maxDelayMs: number;
  /** Answered 200 with another document, forwarded or not. */
  readonly wrongDocuments: number;
  /** Answered with a proxy's page, forwarded or not. */
  readonly errorPages: number;
  /** The connection ends, and up to `maxLatenessMs` later the request is forwarded. */
  readonly late: number;
  /** Forwarded, and up to `maxLatenessMs` later once more. */
  readonly doubled: number;
  readonly maxLatenessMs: number;
  /** Watches that are answered with status 410. */
  readonly expired: number;
  /**
   * Longest life of a watch: it ends without a word, in the middle of a line, politely, or with an ERROR event of 410.
   */
  readonly maxWatchMs: number;
}

export const BAD_DAY: Faults = {
  throttled: 0.03,
  failed: 0.03,
  refused: 0.02,
  lost: 0.03,
  torn: 0.01,
  delayed: 0.1,
  maxDelayMs: 500,
  expired: 0.1,
  maxWatchMs: 15_000,
  wrongDocuments: 0.02,
  errorPages: 0.02,
  late: 0.02,
  doubled: 0.03,
  maxLatenessMs: 3_000,
};

const GONE = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "too old resource version: 1 (2)",
  reason: "Expired",
  code: 410,
};

const LIST = { apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] };
const WRONG_DOCUMENTS: readonly unknown[] = [
  {},
  null,
  { ...GONE, status: "Success", code: 200 },
  { ...LIST, kind: "ConfigMapList" },
  { ...LIST, kind: "PodList", items: undefined },
  { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: LIST.metadata, rows: [] },
];
const PAGE_STATUSES = [502, 503, 504, 408];
/** Of what is answered wrongly, the share that is forwarded all the same. */
const FORWARDED = 0.5;

export interface FaultProxy {
  /** Of a kubeconfig that leads through it, for a user of the control plane. */
  kubeconfig(user?: string): string;
  /** Faults so far, by kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** No faults from now on. */
  heal(): void;
  stop(): Promise<void>;
}

/** Starts it on a free port of loopback. */
export async function startFaultProxy(
  controlPlane: ControlPlane,
  seed: number,
  faults: Faults = BAD_DAY,
): Promise<FaultProxy> {
  const random = seeded(seed);
  const counts: Record<string, number> = {};
  const agent = new Agent({ ca: readFileSync(controlPlane.caFile), keepAlive: true });
  let isHealed = false;
  const lots = new Lots(random);
  const happens = (kind: keyof Faults): boolean => {
    const isHit = lots.draw(kind, faults[kind]) && !isHealed;
    if (isHit) counts[kind] = (counts[kind] ?? 0) + 1;
    return isHit;
  };
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const isWatch = /[?&]watch=(true|1)\b/.test(request.url ?? "");
    if (happens("refused")) return void request.socket.destroy();
    if (happens("throttled"))
      return answer(
        response,
        429,
        { ...GONE, reason: "TooManyRequests", code: 429, message: "the server has received too many requests" },
        { "retry-after": "1" },
      );
    if (happens("failed"))
      return answer(response, 500, {
        ...GONE,
        reason: "InternalError",
        code: 500,
        message: "etcdserver: request timed out",
      });
    if (isWatch && happens("expired")) return answer(response, 410, GONE);
    if (!isWatch && happens("wrongDocuments"))
      return instead(request, () => answer(response, 200, pick(WRONG_DOCUMENTS)));
    if (!isWatch && happens("errorPages")) return instead(request, () => answerPage(response, pick(PAGE_STATUSES)));
    if (CHANGES.has(request.method!) && happens("late")) return void forwardLate(request);
    if (CHANGES.has(request.method!) && happens("doubled")) {
      // Both read the body from its beginning.
      void bodyOf(request).then((body) =>
        setTimeout(() => forwardAlone(request, body), random() * faults.maxLatenessMs),
      );
      return forward(request, response, isWatch);
    }
    const delayMs = happens("delayed") ? random() * faults.maxDelayMs : 0;
    setTimeout(() => forward(request, response, isWatch), delayMs);
  };
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  // What the server says to it is thrown away.
  const forwardAlone = (request: IncomingMessage, body: Buffer): void => {
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const onward = httpsRequest(
      new URL(request.url!, controlPlane.url),
      { method: request.method!, headers, agent },
      (answered) => answered.resume(),
    );
    onward.on("error", () => {});
    onward.end(body);
  };
  const instead = (request: IncomingMessage, answerIt: () => void): void => {
    const isForwarded = random() < FORWARDED;
    void bodyOf(request).then((body) => {
      if (isForwarded) forwardAlone(request, body);
      answerIt();
    });
  };
  const forwardLate = async (request: IncomingMessage): Promise<void> => {
    const body = await bodyOf(request);
    request.socket.destroy();
    setTimeout(() => forwardAlone(request, body), random() * faults.maxLatenessMs);
  };
  const forward = (request: IncomingMessage, response: ServerResponse, isWatch: boolean): void => {
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const onward = httpsRequest(
      new URL(request.url!, controlPlane.url),
      { method: request.method!, headers, agent },
      (answered) => {
        if (isWatch && answered.statusCode === 200) return watch(answered, response);
        if (happens("lost")) {
          answered.resume();
          return void request.socket.destroy();
        }
        response.writeHead(answered.statusCode!, answered.headers);
        if (!happens("torn")) return void answered.pipe(response);
        answered.once("data", (chunk: Buffer) =>
          response.write(chunk.subarray(0, chunk.length >> 1), () => request.socket.destroy()),
        );
      },
    );
    onward.on("error", () => request.socket.destroy());
    request.pipe(onward);
  };
  const watch = (answered: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, answered.headers);
    response.flushHeaders();
    answered.pipe(response);
    answered.on("error", () => response.destroy());
    if (isHealed) return;
    const timer = setTimeout(() => {
      counts["watchesEnded"] = (counts["watchesEnded"] ?? 0) + 1;
      answered.unpipe(response);
      answered.destroy();
      const how = random();
      if (how < 0.3) response.destroy();
      else if (how < 0.5) response.write('{"type":"MODIFIED","object":{"kind":"P', () => response.destroy());
      else if (how < 0.7) response.end(`${JSON.stringify({ type: "ERROR", object: GONE })}\n`);
      else response.end();
    }, random() * faults.maxWatchMs);
    response.on("close", () => {
      clearTimeout(timer);
      answered.destroy();
    });
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    counts,
    kubeconfig: (user) => writeKubeconfig(controlPlane, server, user),
    heal: () => {
      isHealed = true;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}

/** Methods of the requests that may come late or twice. */
const CHANGES: ReadonlySet<string> = new Set(["PATCH", "PUT", "DELETE"]);

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => request.once("end", resolve).once("close", resolve));
  return Buffer.concat(chunks);
}

function answerPage(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "text/html" }).end(`<html><body><h1>${status}</h1></body></html>`);
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

function writeKubeconfig({ processes, token }: ControlPlane, server: Server, user = ADMIN): string {
  const { port } = server.address() as { port: number };
  return processes.write(
    `proxy-${port}-${user}.kubeconfig`,
    kubeconfigText({ server: `http://127.0.0.1:${port}`, user, token: token(user), namespace: "default" }),
  );
}
