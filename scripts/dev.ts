/**
 * `npm run dev`: runs the tests that a change touches, and checks the types, again at each save. A change in assembly/
 * first rebuilds the engine, so the tests use the new one: as a debug build, which takes seconds where a release build
 * takes half a minute. Ends with Ctrl-C.
 */
import { spawn, spawnSync } from "node:child_process";
import { watch } from "node:fs";
import { join, resolve } from "node:path";
import { tool, toolEnvironment } from "./stages.ts";

const root = resolve(import.meta.dirname, "..");
process.env["STINT_ENGINE"] = "debug";
const environment = { ...toolEnvironment, STINT_ENGINE: "debug" };
/** An editor writes a file in several steps. */
const DEBOUNCE_MS = 150;

const children = [
  spawn(tool("vitest"), ["--watch"], { cwd: root, env: environment, stdio: "inherit" }),
  spawn(tool("tsc"), ["-p", "tsconfig.json", "--watch", "--preserveWatchOutput"], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
  }),
];

let debounce: NodeJS.Timeout | undefined;
watch(join(root, "assembly"), { recursive: true }, () => {
  clearTimeout(debounce);
  debounce = setTimeout(
    () => spawnSync(process.execPath, [join(root, "scripts/build-engine.ts")], { cwd: root, stdio: "inherit" }),
    DEBOUNCE_MS,
  );
});

for (const child of children) child.on("exit", (code) => end(code ?? 0));
process.on("SIGINT", () => end(0));
process.on("SIGTERM", () => end(0));

function end(exitCode: number): never {
  for (const child of children) child.kill();
  process.exit(exitCode);
}
