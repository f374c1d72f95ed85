/**
 * A small web server for a folder of static files, only on loopback.
 *
 * It sends text compressed, under a strict content security policy: scripts and styles of this folder alone; on the
 * site's pages, which the generator writes so, also those that are in the page.
 *
 * Invariant: it serves only the files that were in the folder when it started, from memory: a request names a key of a
 * map, never a path. It answers only requests for its own address, so a foreign name that points here (DNS rebinding)
 * does not reach it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".js": "text/javascript; charset=utf-8",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
  ".yaml": "text/plain; charset=utf-8",
};
/** The playground names the same policy in its own page, for servers that send no headers. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";
const POLICIES = {
  playground: POLICY,
  site: "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'",
} as const;
/** Any page may embed a page with this parameter in a frame: it has nothing that a user could click by mistake. */
const EMBEDDED = /[?&]embed=1(&|$)/;
const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "vary": "accept-encoding",
};
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 100;

interface ServedFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Absent: compression does not make it smaller. */
  readonly gzipped?: Buffer;
}

export interface FolderServer {
  /** `http://127.0.0.1:8080/` */
  readonly url: string;
  close(): Promise<void>;
}

export interface FolderOptions {
  /** Where the folder is at the address: `/stint/`. Default: `/`. */
  readonly base?: string;
  /** Whose pages they are. */
  readonly policy?: keyof typeof POLICIES;
}

/**
 * @param port 0: a free one
 * @throws Error (code EADDRINUSE) when the port is taken
 */
export async function serveFolder(
  folder: string,
  port: number,
  { base = "/", policy = "playground" }: FolderOptions = {},
): Promise<FolderServer> {
  const files = readFiles(folder, base);

  let authorities: readonly string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const refuse = (status: number, message: string): void =>
      void response
        .writeHead(status, {
          ...HEADERS,
          "content-security-policy": POLICIES[policy],
          "content-type": "text/plain; charset=utf-8",
        })
        .end(`${message}\n`);
    if (!authorities.includes(request.headers.host ?? "")) {
      refuse(421, `this server answers for ${authorities.join(" and ")} alone`);
      return;
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      refuse(405, `${request.method} is not allowed; GET and HEAD are`);
      return;
    }
    const url = request.url ?? "";
    const file = files.get(url.split("?", 1)[0]!);
    if (file === undefined) {
      refuse(404, "there is no such file");
      return;
    }
    const isGzipped = file.gzipped !== undefined && /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
    const bytes = isGzipped ? file.gzipped! : file.bytes;
    response.writeHead(200, {
      ...HEADERS,
      "content-security-policy": `${POLICIES[policy]}; frame-ancestors ${EMBEDDED.test(url) ? "*" : "'none'"}`,
      "content-type": file.type,
      "content-length": bytes.length,
      ...(isGzipped ? { "content-encoding": "gzip" } : {}),
    });
    response.end(request.method === "HEAD" ? undefined : bytes);
  };

  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }, answer);
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  authorities = [`127.0.0.1:${bound}`, `localhost:${bound}`];
  return {
    url: `http://127.0.0.1:${bound}${base}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Each file by its path at the address; the index of a folder also by the folder's. */
function readFiles(folder: string, base: string): ReadonlyMap<string, ServedFile> {
  const files = new Map<string, ServedFile>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const name = path.relative(folder, path.join(entry.parentPath, entry.name));
    const at = base + name.split(path.sep).join("/");
    const served = readServed(folder, name);
    files.set(at, served);
    if (entry.name === "index.html") files.set(at.slice(0, -"index.html".length), served);
  }
  return files;
}

function readServed(folder: string, name: string): ServedFile {
  const bytes = readFileSync(path.join(folder, name));
  const gzipped = gzipSync(bytes, { level: 9 });
  const type = TYPES[path.extname(name)] ?? "application/octet-stream";
  return { type, bytes, ...(gzipped.length < bytes.length ? { gzipped } : {}) };
}
