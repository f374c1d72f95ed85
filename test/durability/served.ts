/** A `stint serve` with a data folder that is killed and started again, and its clients. */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request as httpsRequest } from "node:https";
import { join } from "node:path";
import { parse } from "yaml";
import { spawnStint } from "../host-node/serving.ts";

const START_TIMEOUT_MS = 60_000;

export interface Answer {
  readonly status: number;
  readonly body: any;
}

export class Served {
  readonly #directory: string;
  readonly #main: string;
  #process: ChildProcess | undefined;
  #agent = new Agent();
  #url = "";
  #token = "";

  /** @param main the module of the command */
  constructor(directory: string, main: string) {
    this.#directory = directory;
    this.#main = main;
  }

  /** Starts it without waiting for it. */
  spawn(): void {
    const args = ["serve", "--data-dir", "data"];
    this.#process = spawnStint(args, this.#directory, process.env, this.#main);
  }

  /** Starts it, and resolves when it serves. @throws Error with what it said when it ends before */
  async start(): Promise<void> {
    this.spawn();
    const { stdout, stderr } = this.#process!;
    let output = "";
    stderr!.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) => (): void => reject(new Error(`stint serve ${why}: ${output}`));
      const timer = setTimeout(fail(`did not start in ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
      this.#process!.once("close", fail("ended"));
      stdout!.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (!output.includes("export KUBECONFIG")) return;
        clearTimeout(timer);
        resolve();
      });
    });
    const { clusters, users } = parse(readFileSync(join(this.#directory, "stint.kubeconfig"), "utf8"));
    const { server, "certificate-authority-data": authority } = clusters[0].cluster;
    this.#url = server;
    this.#token = users[0].user.token;
    this.#agent = new Agent({ keepAlive: true, ca: Buffer.from(authority, "base64").toString() });
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGKILL");
    await closed;
    this.#agent.destroy();
  }

  /** @throws Error when no answer comes */
  ask(method: string, path: string, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = this.#request(method, path, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("error", reject);
        response.on("close", () => reject(new Error("the answer is not whole")));
        response.on(
          "end",
          () => response.complete && resolve({ status: response.statusCode!, body: JSON.parse(text) }),
        );
      });
      sent.on("error", reject).end(body && JSON.stringify(body));
    });
  }

  /** Tells of each event, until the server is killed. */
  watch(path: string, tell: (event: { type: string; object: any }) => void): void {
    let text = "";
    const sent = this.#request("GET", path, (response) => {
      response.on("error", () => {});
      response.on("data", (chunk: Buffer) => {
        const lines = (text + chunk.toString()).split("\n");
        text = lines.pop()!;
        for (const line of lines) tell(JSON.parse(line));
      });
    });
    sent.on("error", () => {}).end();
  }

  #request(
    method: string,
    path: string,
    answered: Parameters<typeof httpsRequest>[2],
  ): ReturnType<typeof httpsRequest> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": type };
    return httpsRequest(`${this.#url}${path}`, { method, headers, agent: this.#agent }, answered);
  }
}
