/** All checks as commands: the one list for `npm test`, `npm run check` and `npm run dev`. */
import { spawn } from "node:child_process";
import { delimiter, join, resolve } from "node:path";
import { type Turn, Turns } from "./ci/turns.ts";

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

const formatted = "**/*.{ts,tsx,mjs,js,css,html}";

export const stages = {
  format: { name: "format (npm run format fixes it)", command: tool("oxfmt"), args: ["--check", formatted] },
  fixFormat: { name: "format", command: tool("oxfmt"), args: ["--write", formatted] },
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

/** @returns whether it succeeded; what it prints goes to `turn`, or without one to the terminal */
function run({ command, args }: Stage, env: Readonly<Record<string, string>>, turn?: Turn): Promise<boolean> {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...toolEnvironment, ...env },
    stdio: turn === undefined ? "inherit" : ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => turn?.print(text));
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(error.message);
      resolve(false);
    });
    child.once("close", (status) => resolve(status === 0));
  });
}

/**
 * Runs all stages of `list`, one after another; `env` is added to their environment. The stages of `beside` run at the
 * same time, also one after another, and what they print comes last.
 *
 * @returns the exit status: 0 only if all have succeeded
 */
export async function runStages(
  list: readonly Stage[],
  { env = {}, beside = [] }: { env?: Readonly<Record<string, string>>; beside?: readonly Stage[] } = {},
): Promise<number> {
  const failed: string[] = [];
  const turns = new Turns((text) => process.stdout.write(text));
  const [first, last] = [turns.begin(), turns.begin()];
  const runInOrder = async (some: readonly Stage[], titles: Turn, turn?: Turn): Promise<void> => {
    for (const stage of some) {
      titles.print(`\n— ${stage.name}\n`);
      if (!(await run(stage, env, turn))) failed.push(stage.name);
    }
    titles.end();
  };
  await Promise.all([runInOrder(list, first), runInOrder(beside, last, last)]);
  if (failed.length > 0) console.error(`\nfailed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}
