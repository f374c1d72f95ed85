/**
 * Bundles the playground: host-browser/ and the engine in one flat folder of static files that any web server can
 * serve.
 *
 * Leaves out building the engine and the schema: set-up has done that before.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { modulePath } from "./build-engine.ts";

const root = path.resolve(import.meta.dirname, "..");
const page = path.join(root, "host-browser/page");

/** Browsers of about the last two years. The newest feature that is used is light-dark() in the style sheet. */
const TARGET = ["chrome123", "firefox120", "safari17.5"];

/** @param folder is emptied and filled. @throws Error when the engine has not been built or a bundle does not build. */
export async function buildPlayground(folder: string): Promise<void> {
  const engine = modulePath("engine");
  if (!existsSync(engine))
    throw new Error(`${path.relative(root, engine)} is missing; run \`node scripts/setup.mjs\` first`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: { main: path.join(page, "main.ts"), worker: path.join(root, "host-browser/worker.ts") },
    outdir: folder,
    bundle: true,
    format: "esm",
    target: TARGET,
    loader: { ".yaml": "text" },
    minify: true,
    sourcemap: "linked",
    logLevel: "warning",
  });
  for (const file of ["index.html", "style.css", "icon.svg"])
    copyFileSync(path.join(page, file), path.join(folder, file));
  copyFileSync(engine, path.join(folder, "engine.wasm"));
}
