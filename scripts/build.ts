/**
 * Bundles what the package ships into dist/: the `stint` command, the libraries behind its exports, and the engine.
 *
 * Invariant: the folder needs no node_modules, because the bundles contain everything that they import. Leaves out
 * building the engine (build-engine.ts), and the type declarations, which only a published package needs
 * (release/npm-tree.ts). build/bundled.json lists the files of packages that are in dist/.
 */
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { NODE_BUNDLE } from "./bundle-options.ts";

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "dist");
const EXECUTABLE = 0o755;

const shared = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "node22",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
} as const;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const bundles = await Promise.all([
  build({
    ...shared,
    ...NODE_BUNDLE,
    // A command loads only its own part.
    splitting: true,
    // Chunks are beside the engine, because the code looks for it in its own folder.
    chunkNames: "chunk-[hash]",
    entryPoints: {
      stint: "host-node/cli/main.ts",
      node: "host-node/index.ts",
      testing: "host-node/testing/index.ts",
      "testing-vitest": "host-node/testing/vitest.ts",
      "testing-jest": "host-node/testing/jest.ts",
      "testing-jest-environment": "host-node/testing/jest-environment.ts",
    },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    // Some dependencies are CommonJS and call require for Node's own modules.
    banner: {
      js: 'import { createRequire as stintCreateRequire } from "node:module"; const require = stintCreateRequire(import.meta.url);',
    },
  }),
  build({
    ...shared,
    platform: "neutral",
    entryPoints: { index: "bindings/js/index.ts", cluster: "cluster/index.ts" },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
  }),
]);
copyFileSync(join(root, "build/engine.wasm"), join(folder, "engine.wasm"));
copyFileSync(join(root, "build/openapi.json"), join(folder, "openapi.json"));
copyFileSync(join(root, "host-node/cli/json/schema.json"), join(folder, "schema.json"));
chmodSync(join(folder, "stint.mjs"), EXECUTABLE);

const files = bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs));
const bundled = [...new Set(files.filter((file) => file.startsWith("node_modules/")))].toSorted();
writeFileSync(join(root, "build/bundled.json"), JSON.stringify(bundled, null, 2));
