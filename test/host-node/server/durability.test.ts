/** The HTTPS server in front of a cluster that is saved: what waits for the disk, and in which order it goes out. */
import { get, request as httpsRequest } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RealClock } from "../../../host-node/clock.ts";
import { DurableWrites } from "../../../host-node/data/durable-writes.ts";
import { type RunningServer, startServer } from "../../../host-node/server/https-server.ts";
import { Harness } from "../../cluster/apiserver/harness.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const headers = { authorization: "Bearer t", "content-type": "application/json" };

const harness = new Harness();
const turns: (() => void)[] = [];
const committed: number[] = [];
let commitWanted = (): void => {};
const writes = new DurableWrites({
  commit: (_changes, revision) => void committed.push(revision),
  soon: (callback) => {
    turns.push(callback);
    commitWanted();
  },
  onFailure: () => {},
});
let server: RunningServer;

beforeAll(async () => {
  harness.cluster.observe(writes.take);
  server = await startServer({
    handler: harness.cluster,
    port: 0,
    token: "t",
    clock: new RealClock(),
    durability: writes,
    onCrowded: () => {},
    onError: (error) => {
      throw error;
    },
  });
});
afterAll(() => server.close());

/** What came, in the order in which it came. */
const heard: string[] = [];

function send(method: string, path: string, body?: object, sent: Record<string, string> = headers): Promise<void> {
  return new Promise((resolve, reject) => {
    const { port, authority: ca } = server;
    const request = httpsRequest(
      { host: "127.0.0.1", port, ca, method, path, headers: sent, agent: false },
      (response) => {
        heard.push(`${method} ${response.statusCode}`);
        response.resume().on("end", resolve);
      },
    );
    request.on("error", reject).end(body && JSON.stringify(body));
  });
}

/** Resolves when the server wants to commit. */
const wanted = (): Promise<void> => new Promise((resolve) => (commitWanted = resolve));
const commit = (): void => turns.splice(0).forEach((callback) => callback());

const refusals: readonly string[] = Array.from({ length: 5 }, () => "PUT 401");

test("answers, reads and lines of watches wait for the commit of what was written before them", async () => {
  const line = new Promise<void>((resolve) => {
    const { port, authority: ca } = server;
    get({ host: "127.0.0.1", port, ca, path: `${MAPS}?watch=1&resourceVersion=1`, headers, agent: false }, (response) =>
      response.on("data", (chunk: Buffer) => {
        heard.push(`watch ${JSON.parse(chunk.toString()).object.metadata.name}`);
        resolve();
      }),
    );
  });
  await send("GET", MAPS);
  const written = wanted();
  const create = send("POST", MAPS, { metadata: { name: "a" } });
  await written;
  const read = send("GET", `${MAPS}/a`);
  // Refusals wait for nothing. When they have come, the others would have come, too.
  for (let i = 0; i < 5; i++) await send("PUT", MAPS, undefined, {});
  expect(heard).toEqual(["GET 200", ...refusals]);
  expect(committed).toEqual([]);
  commit();
  await Promise.all([create, read, line]);
  expect(heard.toSorted()).toEqual(["GET 200", "GET 200", "POST 201", ...refusals, "watch a"]);
  expect(committed).toHaveLength(1);
});
