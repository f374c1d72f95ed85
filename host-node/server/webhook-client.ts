/**
 * Asks admission webhooks over HTTPS, on behalf of the cluster. Failures are reported in the words of the API server's
 * own client, as far as they can be known here. A service is found by its Endpoints, because nothing else has an
 * address in this cluster.
 */
import { Agent, request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import type { AskWebhook } from "../../cluster/apiserver/admission-plugins/pending-review.ts";
import type { Call, CallAnswer } from "../../cluster/apiserver/contract/webhook-call.ts";
import type { Cluster } from "../../cluster/index.ts";
import { trusting } from "../transport/trust.ts";
import { webhookUrl } from "./webhook-url.ts";

/** The most bytes of a webhook's answer. */
const MAX_ANSWER_BYTES = 3 * 1024 * 1024;
/** Calls under way at the same time; others wait for them. */
const MAX_SOCKETS = 256;

type Service = NonNullable<Call["client"]["service"]>;
interface Address {
  readonly host: string;
  readonly port: number;
}

interface Target {
  /** The URL in errors. */
  readonly url: string;
  /** The address to connect to; undefined: that of the URL. */
  readonly address?: Address;
  /** Why it cannot be asked. */
  readonly problem?: string;
}

export class WebhookClient {
  readonly #cluster: () => Pick<Cluster, "handle">;
  readonly #agent = new Agent({ keepAlive: false, maxSockets: MAX_SOCKETS });

  constructor(cluster: () => Pick<Cluster, "handle">) {
    this.#cluster = cluster;
  }

  readonly ask: AskWebhook = (call, done) => {
    const later = (url: string, problem: string): unknown =>
      setImmediate(() => done({ failure: `Post ${JSON.stringify(url)}: ${problem}` }));
    try {
      const { url, address, problem } = this.#target(call);
      if (problem === undefined) this.#post(url, address, call, done);
      else later(url, problem);
    } catch (error) {
      // A configuration may have an address or a certificate that Node refuses.
      later(call.client.url ?? "", (error as Error).message);
    }
  };

  #target({ client, timeoutSeconds }: Call): Target {
    const { service, url = "" } = client;
    if (service === undefined) return { url: webhookUrl(url, timeoutSeconds) };
    const { name, namespace, port, path } = service;
    const found = this.#addressOf(service);
    return {
      url: webhookUrl(`https://${name}.${namespace}.svc:${port}${path || "/"}`, timeoutSeconds),
      ...(typeof found === "string" ? { problem: found } : { address: found }),
    };
  }

  /** The address of a service; a text says why there is none. */
  #addressOf({ name, namespace, port }: Service): Address | string {
    const service = this.#read(namespace, "services", name);
    if (service === undefined) return `service ${JSON.stringify(name)} not found`;
    const ports: readonly { name?: string; port: number }[] = service["spec"]?.ports ?? [];
    const wanted = ports.find((one) => one.port === port);
    if (wanted === undefined) return `no service port ${port} found for service ${JSON.stringify(name)}`;
    for (const { addresses = [], ports: open = [] } of this.#read(namespace, "endpoints", name)?.["subsets"] ?? []) {
      const match = open.find((one: { name?: string }) => (one.name ?? "") === (wanted.name ?? ""));
      if (match !== undefined && addresses.length > 0) return { host: addresses[0].ip, port: match.port };
    }
    return `no endpoints available for service ${JSON.stringify(name)}`;
  }

  #read(namespace: string, resource: string, name: string): Record<string, any> | undefined {
    const path = `/api/v1/namespaces/${namespace}/${resource}/${name}`;
    const answer = this.#cluster().handle({ method: "GET", path, headers: {} });
    return "body" in answer && answer.status === 200 ? JSON.parse(String(answer.body)) : undefined;
  }

  #post(text: string, address: Address | undefined, call: Call, done: (answer: CallAnswer) => void): void {
    const { client, review, timeoutSeconds } = call;
    const authority = client.caBundle && Buffer.from(client.caBundle, "base64").toString();
    const body = Buffer.from(JSON.stringify(review));
    const fail = (problem: string): void => done({ failure: `Post ${JSON.stringify(text)}: ${problem}` });
    const url = new URL(text);
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    const request = httpsRequest(
      {
        ...(address ?? { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port === "" ? 443 : Number(url.port) }),
        method: "POST",
        path: url.pathname + url.search,
        agent: this.#agent,
        signal,
        ...trusting(authority),
        ...(address && { servername: url.hostname }),
        headers: {
          "host": url.host,
          "content-type": "application/json",
          "accept": "application/json, */*",
          "content-length": body.length,
          "user-agent": "kube-apiserver-admission",
        },
      },
      (response) => readAnswer(response, done, (error) => fail(problemOf(error, signal))),
    );
    request.once("error", (error) => fail(problemOf(error, signal)));
    request.end(body);
  }
}

function readAnswer(
  response: IncomingMessage,
  done: (answer: CallAnswer) => void,
  fail: (error: NodeJS.ErrnoException) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.once("error", fail);
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy(new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`));
    else chunks.push(chunk);
  });
  response.once("end", () => done(answerOf(response.statusCode ?? 0, Buffer.concat(chunks).toString())));
}

function answerOf(status: number, text: string): CallAnswer {
  if (status === 404) return { failure: "the server could not find the requested resource" };
  if (status < 200 || status > 299)
    return {
      failure: `an error on the server (${JSON.stringify(text.trim())}) has prevented the request from succeeding`,
    };
  try {
    const review: unknown = JSON.parse(text);
    if (typeof review === "object" && review !== null) return { review: review as Record<string, never> };
  } catch {
    // Text that is no JSON is no object either.
  }
  return { failure: "couldn't get version/kind; json parse error: the answer is not a JSON object" };
}

const PROBLEMS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  SELF_SIGNED_CERT_IN_CHAIN: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
};

function problemOf(error: NodeJS.ErrnoException & { address?: string; port?: number }, signal: AbortSignal): string {
  if (signal.aborted) return "context deadline exceeded";
  const { code = "", message, address, port } = error;
  if (code === "ECONNREFUSED") return `dial tcp ${address}:${port}: connect: connection refused`;
  return PROBLEMS[code] ?? message;
}
