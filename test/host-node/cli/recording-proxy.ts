/** A proxy in front of `stint serve` that records the requests of its clients. It is spoken to without TLS. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { Served } from "../serving.ts";

export interface Recorded {
  readonly method: string;
  readonly path: string;
}

export class RecordingProxy {
  readonly requests: Recorded[] = [];
  /** Names the proxy. It has the token of the server. */
  readonly kubeconfig: string;
  readonly #server: Server;

  private constructor(server: Server, kubeconfig: string) {
    this.#server = server;
    this.kubeconfig = kubeconfig;
  }

  static async start({ kubeconfig, directory }: Served): Promise<RecordingProxy> {
    const config = parse(readFileSync(kubeconfig, "utf8"));
    const { server: target, "certificate-authority-data": authority } = config.clusters[0].cluster;
    const ca = Buffer.from(authority, "base64");
    const server = createServer((asked, answer) => {
      const { method = "", url: path = "", headers } = asked;
      proxy.requests.push({ method, path });
      const own = { ...headers, host: new URL(target).host };
      const passedOn = request(`${target}${path}`, { method, headers: own, ca, agent: false }, (response) => {
        answer.writeHead(response.statusCode!, response.headers);
        response.pipe(answer);
      });
      passedOn.on("error", () => answer.destroy());
      answer.on("close", () => passedOn.destroy());
      asked.pipe(passedOn);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    config.clusters[0].cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
    const path = join(directory, "proxy.kubeconfig");
    writeFileSync(path, stringify(config));
    const proxy = new RecordingProxy(server, path);
    return proxy;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
