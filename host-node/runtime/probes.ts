/**
 * Carries out one probe of a running container: a command in it, a request to it by HTTP or gRPC, or a connection to
 * one of its ports.
 *
 * Invariant: there is one result, after timeoutSeconds at the latest, and nothing of the probe runs any more then. A
 * probe reaches its own pod alone, whatever `host` says. Leaves out redirects of HTTP, and when to probe: the kubelet
 * decides that. Source: pkg/probe.
 */
import { request } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import type { ProbeResult } from "../../cluster/kubelet/container-runtime.ts";
import { MAX_TIMEOUT_MS } from "../clock.ts";
import type { PodStreams } from "./container-streams.ts";
import { connectionProblem, healthProblem, tooLate } from "./grpc-health.ts";
import type {
  Container,
  GRPCAction,
  HTTPGetAction,
  Probe as ProbeSpec,
  TCPSocketAction,
} from "../../cluster/values/kinds.ts";
import { SERVED_KUBERNETES } from "../../cluster/values/kubernetes-versions.ts";

/** The most bytes of a command's output or of an HTTP body that are read, as upstream. */
const MAX_OUTPUT_BYTES = 10 * 1024;
/** How often to check whether a new container has a process that a command can join. */
const READY_POLL_MS = 20;

/** The pod and the container that are probed. */
export interface ProbeTarget {
  readonly streams: Pick<PodStreams, "start" | "connect" | "isReady">;
  readonly podUid: string;
  readonly container: Pick<Container, "name" | "ports">;
  readonly podIP: string;
}

/** It does not reject. */
export async function probe(spec: ProbeSpec, target: ProbeTarget): Promise<ProbeResult> {
  const timeoutMs = Math.min((spec.timeoutSeconds ?? 1) * 1000, MAX_TIMEOUT_MS);
  const end = AbortSignal.timeout(timeoutMs);
  try {
    if (spec.exec !== undefined) return await probeByCommand(spec.exec.command!, target, end, timeoutMs);
    if (spec.httpGet !== undefined) return await probeByHttp(spec.httpGet, target, end);
    if (spec.grpc !== undefined) return await probeByGrpc(spec.grpc, target, end, timeoutMs);
    if (spec.tcpSocket !== undefined) return await probeByConnection(spec.tcpSocket, target, end);
    return { result: "success", output: "" };
  } catch (error) {
    return { result: "error", output: (error as Error).message };
  }
}

async function probeByCommand(
  words: readonly string[],
  { streams, podUid, container }: ProbeTarget,
  end: AbortSignal,
  timeoutMs: number,
): Promise<ProbeResult> {
  const name: string = container.name;
  while (!streams.isReady(podUid, name) && !end.aborted) await wait(READY_POLL_MS);
  const command = streams.start(podUid, name, { words, hasInput: false, hasTerminal: false });
  let output = "";
  for (const stream of [command.stdout, command.stderr])
    stream.on("data", (chunk: Buffer) => {
      if (output.length < MAX_OUTPUT_BYTES) output += chunk.toString();
    });
  const kill = (): void => command.kill();
  end.addEventListener("abort", kill);
  try {
    const exitCode = await command.end;
    if (end.aborted)
      return {
        result: "failure",
        output: `command timed out: ${JSON.stringify(words.join(" "))} timed out after ${timeoutMs / 1000}s`,
      };
    return { result: exitCode === 0 ? "success" : "failure", output: output.slice(0, MAX_OUTPUT_BYTES) };
  } finally {
    end.removeEventListener("abort", kill);
  }
}

async function probeByConnection(
  { port }: TCPSocketAction,
  target: ProbeTarget,
  end: AbortSignal,
): Promise<ProbeResult> {
  try {
    (await connection(portOf(port, target.container), target, end)).destroy();
    return { result: "success", output: "" };
  } catch (error) {
    if (error instanceof DialError) return { result: "failure", output: error.message };
    throw error;
  }
}

async function probeByGrpc(
  { port, service }: GRPCAction,
  target: ProbeTarget,
  end: AbortSignal,
  timeoutMs: number,
): Promise<ProbeResult> {
  const question = { place: `${target.podIP}:${port}`, service: service ?? "", timeoutSeconds: timeoutMs / 1000 };
  let problem: string | undefined;
  try {
    problem = await healthProblem(await connection(port, target, end), question, end);
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    problem = end.aborted ? tooLate(question) : connectionProblem(question.place, error.message);
  }
  return problem === undefined ? { result: "success", output: "" } : { result: "failure", output: problem };
}

async function probeByHttp(action: HTTPGetAction, target: ProbeTarget, end: AbortSignal): Promise<ProbeResult> {
  const port = portOf(action.port, target.container);
  const scheme = String(action.scheme ?? "HTTP").toLowerCase();
  const path = String(action.path ?? "/");
  const place = `${target.podIP}:${port}`;
  const url = `${scheme}://${place}${path.startsWith("/") ? "" : "/"}${path}`;
  let socket: Duplex | undefined;
  try {
    socket = await connection(port, target, end);
    const status = await answerOf(socket, { scheme, url, place, headers: action.httpHeaders ?? [] }, end);
    if (status >= 200 && status < 400) return { result: "success", output: "" };
    return { result: "failure", output: `HTTP probe failed with statuscode: ${status}` };
  } catch (error) {
    return { result: "failure", output: `Get ${JSON.stringify(url)}: ${(error as Error).message}` };
  } finally {
    socket?.destroy();
  }
}

interface HttpQuestion {
  readonly scheme: string;
  readonly url: string;
  readonly place: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** The status code of the answer, as soon as its head has arrived. */
function answerOf(socket: Duplex, { scheme, url, place, headers }: HttpQuestion, signal: AbortSignal): Promise<number> {
  const { pathname, search } = new URL(url);
  const all = { host: place, "user-agent": `kube-probe/${SERVED_KUBERNETES}`, accept: "*/*", connection: "close" };
  const own = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));
  return new Promise((resolve, reject) => {
    const asked = request({
      method: "GET",
      path: `${pathname}${search}`,
      headers: { ...all, ...own },
      signal,
      // A probe does not check certificates.
      createConnection: () =>
        scheme === "https" ? connectTls({ socket, rejectUnauthorized: false }) : (socket as never),
    });
    asked.once("response", (response) => {
      response.resume().on("error", () => {});
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", (error) => reject(signal.aborted ? new Error(TIMED_OUT) : error));
    asked.end();
  });
}

const TIMED_OUT = "context deadline exceeded";

/** Nothing answered at the port. */
class DialError extends Error {}

/** @throws DialError */
async function connection(port: number, { streams, podUid, podIP }: ProbeTarget, end: AbortSignal): Promise<Duplex> {
  const dial = `dial tcp ${podIP}:${port}:`;
  const timedOut = new Promise<never>((_, reject) =>
    end.addEventListener("abort", () => reject(new DialError(`${dial} i/o timeout`)), { once: true }),
  );
  const socket = streams.connect(podUid, port);
  // A connection that opens too late is closed.
  socket.then((late) => end.aborted && late.destroy()).catch(() => {});
  try {
    return (await Promise.race([socket, timedOut])).on("error", () => {});
  } catch (error) {
    if (error instanceof DialError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new DialError(`${dial} connect: ${code === "ECONNREFUSED" ? "connection refused" : message}`);
  } finally {
    timedOut.catch(() => {});
  }
}

/** @throws Error for a name that no port of the container has */
function portOf(port: number | string, container: Pick<Container, "ports">): number {
  if (typeof port === "number") return port;
  const named = (container.ports ?? []).find(({ name }) => name === port);
  const number = named?.containerPort ?? (/^\d+$/.test(port) ? Number(port) : undefined);
  if (number === undefined) throw new Error(`couldn't find port: ${JSON.stringify(port)} in pod`);
  return number;
}
