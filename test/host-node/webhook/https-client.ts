/** A client of the webhook for tests: one request a connection, trusting one authority. */
import type { ClientRequest, IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, type PeerCertificate } from "node:tls";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string | Uint8Array;
}

/** A request whose body the caller writes. */
export function open(
  url: string,
  authority: string,
  { method = "POST", headers = {} }: Omit<RequestOptions, "body"> = {},
): ClientRequest {
  return httpsRequest(url, {
    method,
    ca: authority,
    agent: false,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** Resolves with the answer to an open request. */
export function answerTo(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on("error", reject).on("response", (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, body }));
    });
  });
}

/** One request and its answer. */
export function ask(url: string, authority: string, options: RequestOptions = {}): Promise<Answer> {
  const request = open(url, authority, options);
  const answer = answerTo(request);
  request.end(options.body);
  return answer;
}

/** The certificate that a new connection gets, without verifying it. */
export function certificateAt(url: string): Promise<PeerCertificate> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate());
      socket.end();
    });
    socket.on("error", reject);
  });
}
