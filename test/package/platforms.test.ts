/**
 * The package in Node, bundled by esbuild, in Chromium, in Deno and in Bun: each reviews a Job, gives advice about it,
 * and runs it to its end in the in-memory cluster, by the programs of the README and of docs/cluster.md. Nothing here
 * is skipped: what is missing is an error.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { run } from "../../scripts/release/artefact.ts";
import { launchChromium } from "../host-browser/browser/chromium.ts";
import { findOrFetch } from "./runtimes.ts";

const folder = inject("userFolder");

const EXPECTED = {
  refused: expect.stringContaining("spec.parallelism: Invalid value: -1: must be greater than or equal to 0"),
  advice: ["NoDeadline", "NoTimeToLive", "3 to 9 pods"],
  end: "Complete",
  succeeded: 3,
  failed: 1,
};

/** Writes a program that prints what `program` returns. @returns its path */
function writeMain(name: string, engineModule: string): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    `import { program } from "./program.mjs";\n${engineModule}\nconsole.log(await program(module));\n`,
  );
  return path;
}

const OF_NODE = `import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
const module = await WebAssembly.compile(await readFile(fileURLToPath(import.meta.resolve("@stint-dev/stint/engine.wasm"))));`;
const OF_DENO = `
const module = await WebAssembly.compile(await Deno.readFile(new URL(import.meta.resolve("@stint-dev/stint/engine.wasm"))));`;
const OF_BUNDLE = `import bytes from "@stint-dev/stint/engine.wasm";
const module = await WebAssembly.compile(bytes);`;

const said = (command: string, args: readonly string[]): unknown => JSON.parse(run(command, args, { cwd: folder }));

test("Node runs it", () => {
  expect(said("node", [writeMain("node.mjs", OF_NODE)])).toEqual(EXPECTED);
});

test("Deno runs it, with no right but to read", () => {
  const main = writeMain("deno.mjs", OF_DENO);
  const options = ["--no-remote", "--no-prompt", "--node-modules-dir=manual", `--allow-read=${folder}`];
  expect(said(findOrFetch("deno"), ["run", ...options, main])).toEqual(EXPECTED);
});

test("Bun runs it", () => {
  expect(said(findOrFetch("bun"), ["run", "--no-install", writeMain("bun.mjs", OF_NODE)])).toEqual(EXPECTED);
});

async function bundle(platform: "node" | "browser"): Promise<string> {
  const outfile = join(folder, platform, "bundle.mjs");
  await build({
    entryPoints: [writeMain(`for-${platform}.mjs`, OF_BUNDLE)],
    outfile,
    platform,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    logLevel: "error",
    loader: { ".wasm": "binary" },
  });
  return outfile;
}

test("a bundle of esbuild runs in Node, away from the package", async () => {
  const elsewhere = join(folder, "..", "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "bundle.mjs"), readFileSync(await bundle("node")));
  expect(said("node", [join(elsewhere, "bundle.mjs")])).toEqual(EXPECTED);
});

describe("Chromium", () => {
  const TYPES: Readonly<Record<string, string>> = {
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".html": "text/html",
  };
  /** Whatever is not needed is not allowed. */
  const policy = (scripts: string): string =>
    `default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval' ${scripts}`;
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });

  afterAll(() => browser?.close());

  /** What the first line of the page's console has; `files` are served by their names. */
  async function lineOf(files: ReadonlyMap<string, Uint8Array | string>, scripts = ""): Promise<unknown> {
    const server = createServer((request, response) => {
      const name = request.url!.slice(1);
      const file = files.get(name);
      response.writeHead(file === undefined ? 404 : 200, {
        "content-type": TYPES[extname(name)] ?? "text/plain",
        "content-security-policy": policy(scripts),
      });
      response.end(file);
    });
    await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
    const page = await browser.newPage();
    try {
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      const line = page.waitForEvent("console", { predicate: (message) => message.type() === "log", timeout: 60_000 });
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/page.html`);
      const text = await line.then(
        (message) => message.text(),
        (error: Error) => {
          throw new Error(`the page printed nothing: ${faults.join("; ") || error.message}`);
        },
      );
      return JSON.parse(text);
    } finally {
      await page.close();
      server.close();
    }
  }

  test("runs a bundle of esbuild", async () => {
    const script = readFileSync(await bundle("browser"));
    const page = `<!doctype html><script type="module" src="bundle.mjs"></script>`;
    const files = new Map<string, Uint8Array | string>([
      ["page.html", page],
      ["bundle.mjs", script],
    ]);
    expect(await lineOf(files)).toEqual(EXPECTED);
  });

  test("runs it without a bundler", async () => {
    const main = `const module = await WebAssembly.compileStreaming(fetch("engine.wasm"));`;
    writeMain("main.mjs", main);
    const imports = { "@stint-dev/stint": "./index.mjs", "@stint-dev/stint/cluster": "./dist-cluster.mjs" };
    const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
      <script type="module" src="main.mjs"></script>`;
    const own = readdirSync(folder).filter((name) => name.endsWith(".mjs"));
    const dist = (name: string): Uint8Array => readFileSync(join(folder, "node_modules/@stint-dev/stint/dist", name));
    const files = new Map<string, Uint8Array | string>([
      ["page.html", page],
      ...own.map((name) => [name, readFileSync(join(folder, name))] as const),
      ["index.mjs", dist("index.mjs")],
      ["dist-cluster.mjs", dist("cluster.mjs")],
      ["engine.wasm", dist("engine.wasm")],
    ]);
    expect(await lineOf(files, "'unsafe-inline'")).toEqual(EXPECTED);
  });
});
