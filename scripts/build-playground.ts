/**
 * Bundles the playground: host-browser/ and the engine in one flat folder of static files that any web server can
 * serve.
 *
 * Leaves out building the engine and the schema: set-up has done that before.
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { readYaml } from "../cluster/yaml/yaml-library.ts";
import { run } from "../host-browser/catalogue/make.ts";
import { engineVersionOf } from "../host-browser/worker/engine-version.ts";
import { prepare } from "../host-browser/worker/prepared-yaml.ts";
import { modulePath } from "./build-engine.ts";
import { decisionsHtml } from "./decisions-html.ts";

const root = path.resolve(import.meta.dirname, "..");
const app = path.join(root, "host-browser/app");

/** Browsers of about the last two years. The newest feature that is used is light-dark() in the style sheet. */
const TARGET = ["chrome123", "firefox122", "safari17.5"];

/** The manifest of the page's first lesson (host-browser/catalogue/first-lesson.ts). */
const FIRST_MANIFEST = path.join(root, "examples/one-fails.yaml");

const COMMON = {
  bundle: true,
  format: "esm",
  target: TARGET,
  loader: { ".yaml": "text" },
  minify: true,
  sourcemap: "linked",
  logLevel: "warning",
} as const satisfies BuildOptions;

/** @param folder is emptied and filled. @throws Error when the engine has not been built or a bundle does not build. */
export async function buildPlayground(folder: string): Promise<void> {
  empty(folder);
  await build({ ...COMMON, entryPoints: { start: path.join(app, "start.ts") }, outdir: folder });
  // The lazily loaded parts, the editor and most lessons, are separate bundles.
  const { metafile } = await build({
    ...COMMON,
    entryPoints: {
      main: path.join(app, "main.tsx"),
      rest: path.join(app, "style/rest.css"),
      document: path.join(app, "style/document.css"),
    },
    outdir: folder,
    splitting: true,
    chunkNames: "[name]-[hash]",
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [besides("start")],
    metafile: true,
  });
  const { yaml, ...world } = run(readFileSync(FIRST_MANIFEST, "utf8"));
  // Not split: chunks that the Worker shares with the page would be fetched one after another.
  await build({
    ...COMMON,
    entryPoints: { worker: path.join(root, "host-browser/worker/worker.ts") },
    define: {
      FIRST_MANIFEST: JSON.stringify(prepare(yaml, readYaml(yaml))),
      FIRST_WORLD: JSON.stringify(JSON.stringify(world)),
      ENGINE_VERSION: JSON.stringify(await engineVersionOf(readFileSync(modulePath("core")))),
    },
    outdir: folder,
  });
  // Lazily loaded parts of the Worker, and the Workers that run seeds.
  await build({
    ...COMMON,
    entryPoints: {
      "yaml-library": path.join(root, "cluster/yaml/yaml-library.ts"),
      "lazy-parts": path.join(root, "cluster/simulation/lazy-parts.ts"),
      looks: path.join(root, "host-browser/worker/looks.ts"),
      door: path.join(root, "host-browser/door/door.ts"),
      "recorded-run": path.join(root, "host-browser/share/recorded-run.ts"),
      "seed-worker": path.join(root, "host-browser/odds/seed-worker.ts"),
    },
    outdir: folder,
  });
  copyFileSync(path.join(app, "icon.svg"), path.join(folder, "icon.svg"));
  writeFileSync(path.join(folder, "index.html"), indexHtml(metafile));
  writeFileSync(path.join(folder, "decisions.html"), decisionsHtml());
  copyFileSync(modulePath("core"), path.join(folder, "engine.wasm"));
  copyFileSync(modulePath("engine"), path.join(folder, "whole-engine.wasm"));
  await buildServiceWorker(folder);
}

/** It knows all other files. */
async function buildServiceWorker(folder: string): Promise<void> {
  const files = readdirSync(folder)
    .filter((name) => !name.endsWith(".map") && name !== "index.html")
    .sort();
  const hash = createHash("sha256");
  for (const name of [...files, "index.html"]) hash.update(readFileSync(path.join(folder, name)));
  await build({
    ...COMMON,
    entryPoints: { "service-worker": path.join(app, "service-worker.ts") },
    define: { FILES: JSON.stringify(files), BUILD: JSON.stringify(hash.digest("hex").slice(0, 16)) },
    outdir: folder,
  });
}

/** A module of the app that stays a separate file, beside the bundle that imports it. */
function besides(name: string): Plugin {
  const filter = new RegExp(`^\\./${name}\\.ts$`);
  return {
    name: "besides",
    setup: ({ onResolve }) => onResolve({ filter }, () => ({ path: `./${name}.js`, external: true })),
  };
}

/** The page's index.html; modules that main.js imports are fetched with it and not after it. */
function indexHtml({ outputs }: Metafile): string {
  const [, main] = Object.entries(outputs).find(([file]) => path.basename(file) === "main.js")!;
  const links = main.imports
    .filter(({ kind, external }) => kind === "import-statement" && external !== true)
    .map(({ path: file }) => `    <link rel="modulepreload" href="${path.basename(file)}" />\n`);
  return readFileSync(path.join(app, "index.html"), "utf8").replace("  </head>\n", `${links.join("")}  </head>\n`);
}

function empty(folder: string): void {
  const engine = modulePath("core");
  if (!existsSync(engine))
    throw new Error(`${path.relative(root, engine)} is missing; run \`node scripts/setup.mjs\` first`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
