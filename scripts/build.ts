/**
 * Bundles what the package ships into dist/: the `stint` command, the libraries behind its exports, and the engine.
 *
 * Invariant: dist/ needs no node_modules; everything that is imported is inside. Leaves out the engine itself
 * (build-engine.ts) and, unless asked for with --types, the type declarations, which only a published package needs.
 */
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const EXECUTABLE = 0o755;

const shared = { absWorkingDir: root, bundle: true, format: "esm", target: "node22", legalComments: "none", logLevel: "warning" } as const;

mkdirSync(dist, { recursive: true });
await Promise.all([
  build({
    ...shared,
    platform: "node",
    entryPoints: { stint: "host-node/cli/main.ts", node: "host-node/index.ts" },
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    // Some dependencies are CommonJS and call require for Node's own modules.
    banner: { js: 'import { createRequire as stintCreateRequire } from "node:module"; const require = stintCreateRequire(import.meta.url);' },
  }),
  build({ ...shared, platform: "neutral", entryPoints: { index: "bindings/js/index.ts", cluster: "cluster/index.ts" }, outdir: "dist", outExtension: { ".js": ".mjs" } }),
]);
copyFileSync(join(root, "build/engine.wasm"), join(dist, "engine.wasm"));
chmodSync(join(dist, "stint.mjs"), EXECUTABLE);

if (process.argv.includes("--types")) {
  const { status } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.types.json"], { cwd: root, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
