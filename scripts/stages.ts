/** All checks as commands: the one list for `npm test`, `npm run check` and `npm run dev`. */
import { spawnSync } from "node:child_process";
import { delimiter, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const toolFolder = join(root, "node_modules/.bin");
/** Path of a command of the dependencies. */
export const tool = (name: string): string => join(toolFolder, name);
/** The tools are scripts that search for `node` in the path. With this they find the one that runs this process. */
export const toolEnvironment = { ...process.env, PATH: `${toolFolder}${delimiter}${process.env["PATH"] ?? ""}` };

export interface Stage {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const formatArgs = [
  "--cache",
  "--cache-location",
  "build/prettier",
  "--log-level",
  "warn",
  "**/*.{ts,tsx,mjs,js,css,html}",
];

export const stages = {
  format: { name: "format (npm run format fixes it)", command: tool("prettier"), args: ["--check", ...formatArgs] },
  fixFormat: { name: "format", command: tool("prettier"), args: ["--write", ...formatArgs] },
  lint: { name: "lint", command: tool("oxlint"), args: ["--type-aware"] },
  types: ["tsconfig.json", "bindings/js/tsconfig.json", "host-browser/tsconfig.json"].map((project): Stage => ({
    name: `types (${project})`,
    command: tool("tsc"),
    args: ["-p", project],
  })),
  engine: { name: "engine unit tests", command: tool("asp"), args: ["--summary", "--no-logo"] },
  tests: { name: "tests", command: tool("vitest"), args: ["run", "--project", "own process", "--project", "shared"] },
  endToEnd: { name: "end-to-end tests", command: tool("vitest"), args: ["run", "--project", "e2e"] },
  long: { name: "long tests", command: tool("vitest"), args: ["run", "--project", "long"] },
  /** For files and folders that are given. */
  chosenTests: { name: "tests", command: tool("vitest"), args: ["run"] },
} as const satisfies Record<string, Stage | readonly Stage[]>;

/**
 * Runs all stages, one after another; `env` is added to their environment.
 * @returns the exit status: 0 only if all have succeeded
 */
export function runStages(list: readonly Stage[], env: Readonly<Record<string, string>> = {}): number {
  const failed: string[] = [];
  for (const { name, command, args } of list) {
    console.log(`\n— ${name}`);
    const { status, error } = spawnSync(command, args, {
      cwd: root,
      env: { ...toolEnvironment, ...env },
      stdio: "inherit",
    });
    if (error !== undefined) console.error(error.message);
    if (status !== 0) failed.push(name);
  }
  if (failed.length > 0) console.error(`\nfailed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}
