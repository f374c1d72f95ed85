/** A server of webhooks for tests: the last part of a path says how it answers. It remembers what it has heard. */
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";
import type { ServerCertificate } from "../../../host-node/server/server-certificate.ts";

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: any;
}

/** What a webhook received. */
export interface Heard {
  readonly path: string;
  readonly review: Review;
}

const patch = (...operations: object[]): object => ({
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

/** Parts of the response. */
const responses: Readonly<Record<string, (request: any) => object>> = {
  "allow": () => ({}),
  "warn": () => ({ warnings: ["careful", "really"] }),
  "deny": () => ({ allowed: false }),
  "deny-message": () => ({ allowed: false, status: { message: "not like this" } }),
  "deny-reason": () => ({ allowed: false, status: { reason: "Conflict" } }),
  "deny-code": () => ({
    allowed: false,
    status: { code: 422, reason: "Invalid", message: "no", details: { name: "x" } },
  }),
  "deny-low": () => ({ allowed: false, status: { code: 200, message: "fine" } }),
  "deny-warn": () => ({ allowed: false, warnings: ["careful"] }),
  "label": ({ object }) =>
    patch({
      op: "add",
      path: "/metadata/labels",
      value: { ...object.metadata.labels, seen: String(Object.keys(object.metadata.labels ?? {}).length) },
    }),
  "data": () => patch({ op: "add", path: "/data", value: { made: "by a webhook" } }),
  "spoil": () => patch({ op: "add", path: "/metadata/labels", value: { "a b": "" } }),
  "no-patch": () => ({ patchType: "JSONPatch", patch: Buffer.from("{").toString("base64") }),
  "untyped": () => ({ patch: Buffer.from("[]").toString("base64") }),
  "typed": () => ({ patchType: "JSONPatch" }),
  "merge": () => ({ patchType: "MergePatch", patch: Buffer.from("{}").toString("base64") }),
  "other-uid": () => ({ uid: "other" }),
};

/** Whole answers. */
const answers: Readonly<Record<string, readonly [status: number, text: string]>> = {
  "fails": [500, "out of order\n"],
  "missing": [404, "nothing here"],
  "empty": [200, "{}"],
  "silent": [200, JSON.stringify({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" })],
};

export class WebhookServer {
  readonly certificate: ServerCertificate;
  readonly #server: Server;
  #heard: Heard[] = [];

  private constructor(certificate: ServerCertificate) {
    this.certificate = certificate;
    this.#server = createServer(
      { cert: certificate.certificate, key: certificate.privateKey },
      async (request, response) => {
        let text = "";
        for await (const chunk of request) text += String(chunk);
        const review = JSON.parse(text) as Review;
        const { pathname } = new URL(request.url!, "https://localhost");
        this.#heard.push({ path: request.url!, review });
        const how = pathname.slice(pathname.lastIndexOf("/") + 1);
        // The API server waits in vain for this one.
        if (how === "never") return;
        const [status, answer] = answers[how] ?? [200, JSON.stringify(answerTo(review, how))];
        response.writeHead(status).end(answer);
      },
    );
  }

  static async start(): Promise<WebhookServer> {
    const server = new WebhookServer(createServerCertificate(Date.now()));
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** What was heard since it was asked last. Webhooks that only validate hear at the same time. */
  heard(): readonly Heard[] {
    const heard = this.#heard;
    this.#heard = [];
    return heard;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function answerTo({ kind, apiVersion, request }: Review, how: string): object {
  return { kind, apiVersion, response: { uid: request.uid, allowed: true, ...responses[how]!(request) } };
}
