/** `stint serve --data-dir` as a process that is killed and started again. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { buildModule } from "../../../scripts/build-engine.ts";
import { runStint, type Served, startServe } from "../serving.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

let running: Served | undefined;
let directory = "";
beforeAll(async () => {
  await buildModule("engine");
});
afterEach(() => {
  running?.process.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

async function serve(): Promise<Served> {
  return (running = await startServe(["--data-dir", "data"], directory));
}

/** Asks as a kubeconfig says. */
function ask(kubeconfig: string, method: string, path: string, body?: object): Promise<any> {
  const { clusters, users } = parse(readFileSync(kubeconfig, "utf8"));
  const { server, "certificate-authority-data": authority } = clusters[0].cluster;
  const headers = { authorization: `Bearer ${users[0].user.token}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${server}${path}`,
      { method, headers, ca: Buffer.from(authority, "base64").toString(), agent: false },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve(JSON.parse(text)));
      },
    );
    sent.on("error", reject).end(body && JSON.stringify(body));
  });
}

test("objects are there after a kill, for clients with the kubeconfig of before", async () => {
  directory = mkdtempSync(join(tmpdir(), "stint-data-"));
  const first = await serve();
  expect(first.output()).toContain("What is written is kept in data.\n");
  const copy = join(directory, "copy.kubeconfig");
  copyFileSync(first.kubeconfig, copy);
  const written = await ask(copy, "POST", MAPS, { metadata: { name: "m" }, data: { a: "b" } });
  expect(written.data).toEqual({ a: "b" });
  const second = await runStint(["serve", "--data-dir", "data", "--kubeconfig", "other"], directory);
  expect([second.exit, second.err]).toEqual([
    2,
    `stint: ${join(directory, "data")} is in use by another stint serve (process ${first.process.pid} on ${hostname()}); end that one, or name another with --data-dir\n`,
  ]);
  first.process.kill("SIGKILL");
  await new Promise((resolve) => first.process.once("close", resolve));
  const third = await serve();
  expect(third.output()).toContain("was left behind by a server that was killed, and is replaced");
  expect(await ask(copy, "GET", `${MAPS}/m`)).toEqual(written);
  expect(readFileSync(third.kubeconfig, "utf8").replace(/pid: \d+/, "")).toBe(
    readFileSync(copy, "utf8").replace(/pid: \d+/, ""),
  );
});
