/** What the client of webhooks makes of a configuration: whom it asks, whom it trusts, and what it cannot follow. */
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallAnswer, ClientConfig } from "../../../cluster/apiserver/contract/webhook-call.ts";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";
import { WebhookClient } from "../../../host-node/server/webhook-client.ts";

type Cluster = Parameters<ConstructorParameters<typeof WebhookClient>[0]>;
const noCluster = (): never => {
  throw new Error("nothing is read of the cluster");
};

function ask(client: ClientConfig, cluster: (...none: Cluster) => any = noCluster): Promise<CallAnswer> {
  const call = { key: "k", client, timeoutSeconds: 10, review: { request: { uid: "u" } } };
  return new Promise((resolve) => new WebhookClient(cluster).ask(call, resolve));
}

test.each(["https://[::1/", "https://a b/", "https://127.0.0.1:99999/", "https://%zz/"])(
  "%s is an address that cannot be asked, and says so",
  async (url) => expect(await ask({ url })).toEqual({ failure: `Post "${url}": Invalid URL` }),
);

test("a path that cannot be decoded is reported", async () => {
  expect(await ask({ url: "https://127.0.0.1/%zz" })).toEqual({
    failure: 'Post "https://127.0.0.1/%zz": URI malformed',
  });
});

const YEAR_MS = 365 * 86_400_000;
const certificate = createServerCertificate(Date.now());
const expired = createServerCertificate(Date.now() - 2 * YEAR_MS);
const asked: string[] = [];
const servers: Server[] = [];

async function serve({ certificate: cert, privateKey: key }: typeof certificate): Promise<number> {
  const server = createServer({ cert, key }, (request, response) => {
    asked.push(request.url!);
    response.end('{"response":{"allowed":true}}');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

let port: number;
beforeAll(async () => {
  port = await serve(certificate);
});
afterAll(() => servers.forEach((server) => server.close()));

const bundle = (...certificates: readonly string[]): string => Buffer.from(certificates.join("")).toString("base64");
const allowed = { review: { response: { allowed: true } } };

describe("the path", () => {
  // As a kube-apiserver 1.36.3 asks.
  test.each([
    ["//x", "/x"],
    ["/a//b/", "/a/b"],
    ["/a/../b", "/b"],
    ["/a//../b", "/b"],
    ["/../b/./c", "/b/c"],
    ["", "/"],
    ["/", "/"],
    ["//", "/"],
    ["/a%20b/%2e%2e/c*d", "/c%2Ad"],
    ["/validate-batch-v1-job", "/validate-batch-v1-job"],
  ])("%j is asked as %j", async (path, expected) => {
    const url = `https://127.0.0.1:${port}${path}`;
    expect(await ask({ url, caBundle: bundle(certificate.authority) })).toEqual(allowed);
    expect(asked.pop()).toBe(`${expected}?timeout=10s`);
  });
});

describe("a caBundle", () => {
  const failure = (url: string, problem: string): CallAnswer => ({ failure: `Post "${url}/?timeout=10s": ${problem}` });

  test("is trusted with the authority, or with the certificate of the webhook itself", async () => {
    const url = `https://127.0.0.1:${port}`;
    for (const caBundle of [
      bundle(certificate.authority),
      bundle(certificate.certificate),
      bundle(expired.authority, certificate.certificate),
    ])
      expect(await ask({ url, caBundle })).toEqual(allowed);
  });

  test("does not make any other certificate a good one", async () => {
    const url = `https://127.0.0.1:${port}`;
    const another = createServerCertificate(Date.now());
    const unknown = failure(url, "tls: failed to verify certificate: x509: certificate signed by unknown authority");
    for (const caBundle of [bundle(another.certificate), bundle(another.authority), ""])
      expect(await ask({ url, caBundle })).toEqual(unknown);
  });

  test("does not prolong a certificate", async () => {
    const url = `https://127.0.0.1:${await serve(expired)}`;
    for (const caBundle of [bundle(expired.certificate), bundle(expired.authority)])
      expect(await ask({ url, caBundle })).toEqual(failure(url, "certificate has expired"));
  });

  test("does not give a certificate other names", async () => {
    const bodies: Record<string, object> = {
      services: { spec: { ports: [{ port: 443 }] } },
      endpoints: { subsets: [{ addresses: [{ ip: "127.0.0.1" }], ports: [{ port }] }] },
    };
    const handle = ({ path }: { path: string }): object => ({
      status: 200,
      headers: {},
      body: JSON.stringify(bodies[path.split("/")[5]!]),
    });
    const service = { namespace: "n", name: "w", port: 443 };
    const answer = await ask({ service, caBundle: bundle(certificate.certificate) }, () => ({ handle }));
    expect(answer).toMatchObject({ failure: expect.stringContaining('Post "https://w.n.svc:443/?timeout=10s": ') });
    expect(answer).toMatchObject({ failure: expect.stringContaining("does not match certificate's altnames") });
  });
});
