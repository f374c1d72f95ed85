/** An HTTPS server on loopback that answers as a test says and notes what it is asked, with a kubeconfig for it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { stringify } from "yaml";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** Of the client's certificate; undefined: it showed none. */
  readonly fingerprint: string | undefined;
}

export class ApiStandIn {
  readonly directory = mkdtempSync(join(tmpdir(), "stint-transport-"));
  readonly asked: Asked[] = [];
  /** Sockets that clients have opened so far, in order. */
  readonly sockets: Socket[] = [];
  /** How many connections were opened, also those that ended before they were secure. */
  connections = 0;
  /** Requests that have not been answered, now and at most. */
  open = 0;
  mostOpen = 0;
  answer: (request: Asked, response: ServerResponse) => void = (_request, response) => response.end("{}");
  #server!: ReturnType<typeof createServer>;
  #authority!: string;
  /** What the server shows, in PEM. */
  certificate!: string;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  static async start(): Promise<ApiStandIn> {
    const standIn = new ApiStandIn();
    const { authority, certificate, privateKey } = createServerCertificate(Date.now());
    standIn.#authority = authority;
    standIn.certificate = certificate;
    standIn.#server = createServer(
      { cert: certificate, key: privateKey, requestCert: true, rejectUnauthorized: false, keepAliveTimeout: 60_000 },
      (request, response) => standIn.#take(request, response),
    );
    standIn.#server.on("connection", () => standIn.connections++);
    standIn.#server.on("secureConnection", (socket) => standIn.sockets.push(socket));
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve));
    return standIn;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  write(name: string, content: string): string {
    const path = join(this.directory, name);
    writeFileSync(path, content);
    return path;
  }

  /** Writes a kubeconfig and returns its path. */
  kubeconfig(user: object = { token: "t1" }, cluster: object = {}): string {
    return this.write(
      "kubeconfig",
      stringify({
        "current-context": "test",
        clusters: [
          {
            name: "test",
            cluster: {
              server: `https://127.0.0.1:${this.port}`,
              "certificate-authority-data": Buffer.from(this.#authority).toString("base64"),
              ...cluster,
            },
          },
        ],
        users: [{ name: "test", user }],
        contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
      }),
    );
  }

  /** Waits until so many requests have come in all. */
  hasBeenAsked(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.asked.length >= count) resolve();
      else this.#waiting.push({ count, resolve });
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.directory, { recursive: true });
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    this.mostOpen = Math.max(this.mostOpen, ++this.open);
    response.on("close", () => this.open--);
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        const { fingerprint256 } = (request.socket as TLSSocket).getPeerCertificate();
        const asked = {
          method: request.method!,
          path: request.url!,
          headers: request.headers,
          body: Buffer.concat(chunks),
          fingerprint: fingerprint256,
        };
        this.asked.push(asked);
        for (const { count, resolve } of this.#waiting) if (this.asked.length >= count) resolve();
        this.answer(asked, response);
      });
  }
}
