/**
 * Asks a server by gRPC whether it is healthy: one call of grpc.health.v1.Health/Check over HTTP/2, without TLS, on an
 * open connection.
 *
 * Invariant: it makes one call at most, and its connection is closed after the answer. Leaves out all other parts of
 * gRPC: compression, streams of messages, retries. Source: pkg/probe/grpc/grpc.go.
 */
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import type { Duplex } from "node:stream";
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { SERVED_KUBERNETES } from "../../cluster/values/kubernetes-versions.ts";

/** A message begins with a byte that says whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
const MAX_ANSWER_BYTES = 4096;
/** Field 1 of the request, a string; of the answer, an enumeration. */
const SERVICE_TAG = (1 << 3) | 2;
const STATUS_FIELD = 1;
const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
const UNKNOWN = 2;
const UNIMPLEMENTED = 12;
const UNAVAILABLE = 14;
/** The codes of gRPC in the order of their numbers, as Go prints them. */
const CODES = [
  ...["OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists"],
  ...["PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented"],
  ...["Internal", "Unavailable", "DataLoss", "Unauthenticated"],
];

export interface HealthQuestion {
  /** The address of the server in messages: `10.0.0.7:8080`. */
  readonly place: string;
  /** Empty: the server as a whole. */
  readonly service: string;
  readonly timeoutSeconds: number;
}

/** @returns undefined for a healthy one, otherwise the problem, in the words of the kubelet */
export async function healthProblem(
  connection: Duplex,
  question: HealthQuestion,
  end: AbortSignal,
): Promise<string | undefined> {
  const { place, timeoutSeconds } = question;
  const session = connect(`http://${place}`, { createConnection: () => connection });
  let speaks = false;
  const answer = new Promise<void>((resolve) => session.once("remoteSettings", () => resolve())).then(() => {
    speaks = true;
    return call(session, question.service);
  });
  const failure = new Promise<never>((_, reject) => {
    session.on("error", reject).once("close", () => reject(new Error("connection closed")));
    end.addEventListener("abort", () => reject(new Error("context deadline exceeded")), { once: true });
  });
  try {
    return problemIn(await Promise.race([answer, failure]));
  } catch (error) {
    const { message } = error as Error;
    if (end.aborted)
      return speaks ? `timeout: health rpc did not complete within ${timeoutSeconds}s` : tooLate(question);
    return speaks ? rpcProblem({ code: UNAVAILABLE, message }) : connectionProblem(place, message);
  } finally {
    for (const promise of [answer, failure]) promise.catch(() => {}); // The first of them has settled the result.
    session.destroy();
  }
}

/** For a server to which no connection is open. */
export function connectionProblem(place: string, why: string): string {
  return `error: failed to connect service at ${JSON.stringify(place)}: ${why}`;
}

/** For a server that has not begun to speak HTTP/2 in time. */
export function tooLate({ place, timeoutSeconds }: HealthQuestion): string {
  return `timeout: failed to connect service ${JSON.stringify(place)} within ${timeoutSeconds}s: context deadline exceeded`;
}

interface Answer {
  readonly code: number;
  readonly message: string;
  readonly body: Buffer;
}

function problemIn({ code, message, body }: Answer): string | undefined {
  if (code !== 0) return rpcProblem({ code, message });
  const status = statusIn(body);
  const name = STATUSES[status] ?? String(status);
  return name === "SERVING" ? undefined : `service unhealthy (responded with ${JSON.stringify(name)})`;
}

function rpcProblem({ code, message }: Omit<Answer, "body">): string {
  if (code === UNIMPLEMENTED)
    return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`;
  return `error: health rpc probe failed: rpc error: code = ${CODES[code] ?? `Code(${code})`} desc = ${message}`;
}

function call(session: ClientHttp2Session, service: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
      "user-agent": `kube-probe/${SERVED_KUBERNETES}`,
    });
    let told: IncomingHttpHeaders = {};
    let body = Buffer.alloc(0);
    const hear = (headers: IncomingHttpHeaders): void => void (told = { ...told, ...headers });
    stream.on("response", hear).on("trailers", hear).on("error", reject);
    stream.on("data", (chunk: Buffer) => {
      if (body.length < MAX_ANSWER_BYTES) body = Buffer.concat([body, chunk]);
    });
    stream.once("end", () => resolve(answerOf(told, body)));
    stream.end(
      framed(service === "" ? new Uint8Array() : new BinaryWriter().uint32(SERVICE_TAG).string(service).finish()),
    );
  });
}

function answerOf(told: IncomingHttpHeaders, body: Buffer): Answer {
  const code = told["grpc-status"];
  if (code !== undefined) return { code: Number(code), message: decoded(String(told["grpc-message"] ?? "")), body };
  const message = `unexpected HTTP status code received from server: ${told[":status"]}`;
  return { code: Number(told[":status"]) === 404 ? UNIMPLEMENTED : UNKNOWN, message, body };
}

/** @throws Error for what is no message */
function statusIn(body: Buffer): number {
  const reader = new BinaryReader(body.subarray(PREFIX_BYTES));
  let status = 0;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === STATUS_FIELD) status = reader.int32();
    else reader.skip(type);
  }
  return status;
}

function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** A message of gRPC is percent-encoded. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
