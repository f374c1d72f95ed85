/**
 * Lists of a real API server as streams, compressed: since 1.37 it sends them so on request, and the transport of
 * `stint controller` reads them as they come. Lists of more than 128 KiB in pages are compressed by every version.
 */
import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { get } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiRequest } from "../../bindings/js/host.ts";
import { RealClock } from "../../host-node/clock.ts";
import { Credentials } from "../../host-node/transport/credentials.ts";
import { HttpTransport } from "../../host-node/transport/http-transport.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { TESTED_VERSION } from "./tested-version.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const STREAM = `${CONFIG_MAPS}?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
const LISTED = 40;
const BYTES_OF_EACH = 10_000;
const COMPRESSES_STREAMS = Number(TESTED_VERSION.split(".")[1]) >= 37;

interface Event {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> } };
}

describe.skipIf(whyUnavailable() !== undefined)("lists of a real API server", () => {
  let controlPlane: ControlPlane;
  let transport: HttpTransport;
  const clock = new RealClock();
  const create = (name: string): Promise<unknown> =>
    controlPlane.client().succeed("POST", CONFIG_MAPS, { metadata: { name }, data: { a: "a".repeat(BYTES_OF_EACH) } });

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    transport = new HttpTransport({
      credentials: Credentials.load({ kubeconfig: controlPlane.kubeconfig(), context: undefined, environment: {} }),
      clock,
      maxConnections: 4,
      requestTimeoutMs: 30_000,
      idleTimeoutMs: 100_000,
    });
    for (let index = 0; index < LISTED; index++) await create(`listed-${index}`);
  });
  afterAll(async () => {
    await transport?.close();
    clock.stop();
    await controlPlane?.stop();
  });

  /** The headers with which the server answers what the transport asks. */
  function headersOf(path: string): Promise<IncomingHttpHeaders> {
    const { url, caFile, token } = controlPlane;
    const headers = { "accept": "application/json", "accept-encoding": "gzip", "authorization": `Bearer ${token()}` };
    return new Promise((resolve, reject) => {
      get(`${url}${path}`, { ca: readFileSync(caFile), headers }, (response: IncomingMessage) => {
        response.destroy();
        resolve(response.headers);
      }).once("error", reject);
    });
  }
  const read = (path: string): ApiRequest => ({ method: "GET", path, headers: { accept: "application/json" } });

  it("come compressed in pages", async () => {
    expect((await headersOf(CONFIG_MAPS))["content-encoding"]).toBe("gzip");
    const { status, headers, body } = await new Promise<Parameters<Parameters<HttpTransport["send"]>[1]>[0]>(
      (resolve) => transport.send(read(CONFIG_MAPS), resolve),
    );
    expect([status, headers["content-encoding"]]).toEqual([200, undefined]);
    const { items } = JSON.parse(Buffer.from(body as Uint8Array).toString()) as { items: unknown[] };
    expect(items.length).toBeGreaterThanOrEqual(LISTED);
  });

  it("come compressed as streams, event by event", async () => {
    const { "content-encoding": encoding } = await headersOf(STREAM);
    expect(encoding).toBe(COMPRESSES_STREAMS ? "gzip" : undefined);
    const events: Event[] = [];
    let rest = "";
    let heard = (): void => {};
    const close = transport.stream(read(STREAM), {
      open: () => {},
      data: (chunk) => {
        const lines = (rest + Buffer.from(chunk as Uint8Array).toString()).split("\n");
        rest = lines.pop()!;
        events.push(...lines.map((line) => JSON.parse(line) as Event));
        heard();
      },
      end: () => expect.fail("the watch ended"),
    });
    const until = (holds: (event: Event) => boolean): Promise<void> =>
      new Promise((resolve) => {
        heard = () => {
          if (events.some(holds)) resolve();
        };
        heard();
      });
    await until(({ object }) => object.metadata.annotations?.["k8s.io/initial-events-end"] === "true");
    const names = events.filter(({ type }) => type === "ADDED").map(({ object }) => object.metadata.name);
    expect(names.filter((name) => name.startsWith("listed-"))).toHaveLength(LISTED);
    for (const name of ["first", "second"]) {
      await create(name);
      await until(({ type, object }) => type === "ADDED" && object.metadata.name === name);
    }
    close();
  });

  it("are not compressed as a watch without its first events", async () => {
    expect((await headersOf(`${CONFIG_MAPS}?watch=true&resourceVersion=0`))["content-encoding"]).toBeUndefined();
  });
});
