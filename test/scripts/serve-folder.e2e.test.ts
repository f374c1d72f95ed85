/** The web server of `npm run playground`: it serves the files of one folder, to this machine alone. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtPlayground } from "../../scripts/built-playground.ts";
import { type FolderServer, serveFolder } from "../../scripts/serve-folder.ts";

let site: string;
let server: FolderServer;

beforeAll(async () => {
  site = await builtPlayground();
  server = await serveFolder(site, 0);
});

afterAll(async () => {
  await server.close();
});

describe("the server", () => {
  const get = (
    target: string,
    host?: string,
    method = "GET",
    encoding?: string,
  ): Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }> =>
    new Promise((resolve, reject) => {
      const asked = request(
        new URL(target, server.url),
        {
          method,
          headers: {
            ...(host === undefined ? {} : { host }),
            ...(encoding === undefined ? {} : { "accept-encoding": encoding }),
          },
        },
        (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
          response.on("end", () => resolve({ status: response.statusCode!, body, headers: response.headers }));
        },
      );
      asked.on("error", reject).end();
    });

  test("serves the files of the folder, under a policy that allows nothing from elsewhere", async () => {
    const index = await get("/");
    expect(index.status).toBe(200);
    expect(index.body).toContain("Stint");
    expect(index.headers["content-security-policy"]).toContain("default-src 'none'");
    expect((await get("/engine.wasm")).headers["content-type"]).toBe("application/wasm");
    expect((await get("/main.js", undefined, "HEAD")).body).toBe("");
  });

  test("sends files compressed to clients that accept it", async () => {
    const plain = await get("/main.js");
    const gzipped = await get("/main.js", undefined, "HEAD", "br, gzip");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(gzipped.headers).toMatchObject({ "content-encoding": "gzip", "vary": "accept-encoding" });
    expect(Number(gzipped.headers["content-length"])).toBeLessThan(Number(plain.headers["content-length"]) / 2);
  });

  test("lets another site frame a page only where its address asks for it", async () => {
    const policy = async (target: string) => (await get(target)).headers["content-security-policy"];
    expect(await policy("/")).toContain("frame-ancestors 'none'");
    expect(await policy("/?embed=10")).toContain("frame-ancestors 'none'");
    expect(await policy("/?theme=dark&embed=1")).toContain("frame-ancestors *");
    for (const target of ["/", "/?embed=1"]) expect(await policy(target)).not.toMatch(/'unsafe-/);
  });

  test("and the page itself name the same policy, for servers that send no headers", async () => {
    const { body, headers } = await get("/");
    const own = /http-equiv="content-security-policy"\s+content="([^"]+)"/.exec(body)![1]!;
    const sent = String(headers["content-security-policy"]).replace(/; frame-ancestors.*/, "");
    expect(own.replace(/\s+/g, " ").trim()).toBe(sent);
  });

  test.each([
    ["/../package.json", undefined, "GET", 404],
    ["/%2e%2e/package.json", undefined, "GET", 404],
    ["/nothing.js", undefined, "GET", 404],
    ["/", undefined, "POST", 405],
    ["/", "example.com", "GET", 421],
    ["/", "127.0.0.1", "GET", 421],
  ])("refuses %s for host %s by %s with %i", async (target, host, method, status) => {
    expect((await get(target, host, method)).status).toBe(status);
  });

  test("says that a port is in use", async () => {
    await expect(serveFolder(site, Number(new URL(server.url).port))).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });
});
