/** Starts the real `stint serve` as a separate process, for tests that are its clients. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkOutput } from "./cli/closed-schema.ts";

/** The command, as source. */
export const MAIN = resolve(import.meta.dirname, "../../host-node/cli/main.ts");
/** The command as set-up has bundled it. */
export const BUNDLE = resolve(import.meta.dirname, "../../dist/stint.mjs");

/**
 * Node's compile cache, if `npm test` sets one: a process with a separate environment gets it too.
 */
const { NODE_COMPILE_CACHE } = process.env;
const compileCache: NodeJS.ProcessEnv = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

export interface Served {
  readonly directory: string;
  readonly kubeconfig: string;
  readonly process: ChildProcess;
  readonly port: number;
  /** What it has written so far, to both streams. */
  output(): string;
  /** Ends it as Ctrl-C does and resolves with its exit status. Also removes the directory. */
  stop(): Promise<number | null>;
}

export interface Ended {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command as a process; `cwd` is where it runs, `main` its module. */
export function spawnStint(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
  main = MAIN,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [main, ...args], { cwd, env: { ...compileCache, ...env }, stdio: "pipe" });
}

/** Runs the command to its end; `input` is its standard input, `main` its module. */
export async function runStint(
  args: readonly string[],
  cwd: string,
  { env, input = "", main }: { env?: NodeJS.ProcessEnv; input?: string; main?: string } = {},
): Promise<Ended> {
  const child = spawnStint(args, cwd, env, main);
  const text = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (text.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (text.err += chunk.toString()));
  child.stdin.on("error", () => {}).end(input); // It may end without having read.
  const exit = await new Promise<number | null>((resolve) => child.once("close", resolve));
  checkOutput(args, text.out);
  return { exit, ...text };
}

/** With these words a test that is killed leaves no server behind: its end of the pipe closes. */
const ENDS_WITH_THE_TEST = ["--until-stdin-closes"];

/** In a separate folder unless one is given. @throws Error with what it said, when it ends before it serves */
export async function startServe(
  args: readonly string[] = [],
  directory = mkdtempSync(join(tmpdir(), "stint-serve-")),
  lifetime = ENDS_WITH_THE_TEST,
  main = MAIN,
): Promise<Served> {
  const child = spawnStint(["serve", ...args, ...lifetime], directory, process.env, main);
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  let output = "";
  const port = await new Promise<number>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const found = /https:\/\/127\.0\.0\.1:(\d+)/.exec(output);
      if (found !== null && output.includes("export KUBECONFIG")) resolve(Number(found[1]));
    });
    void exit.then((status) => reject(new Error(`stint serve ended with ${status}: ${output}`)));
  });
  const stop = async (): Promise<number | null> => {
    child.kill("SIGINT");
    const status = await exit;
    rmSync(directory, { recursive: true });
    return status;
  };
  return {
    directory,
    kubeconfig: join(directory, "stint.kubeconfig"),
    process: child,
    port,
    output: () => output,
    stop,
  };
}
