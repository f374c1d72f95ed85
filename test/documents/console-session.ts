/**
 * A shell in which the commands of one document run, one after another, as a reader types them: in a folder with the
 * examples, with `stint` in its path, and with ports that nothing else uses, because its network is separate.
 *
 * Invariant: nothing outlives it: it is alone in a namespace of processes, which ends with it. Servers run on in the
 * background until then, as in another terminal.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Command, isDocumented } from "./console-blocks.ts";

const root = path.resolve(import.meta.dirname, "../..");
/** They go on until they are ended. */
const SERVER = /^stint (serve|controller|webhook)\b/;
/** They change nothing, so they are asked again until what they show has happened. */
const READER = /^(stint why|kubectl get|curl )/;
/** Files are shared; network and processes are not. */
const SEPARATE = ["--dev-bind", "/", "/", "--unshare-net", "--unshare-pid", "--die-with-parent"];
const PATIENCE_MS = 25_000;
const PAUSE_MS = 250;
const SENTINEL = "\u001E";

export class ConsoleSession {
  readonly #scratch = mkdtempSync(path.join(tmpdir(), "stint-console-"));
  readonly #shell: ChildProcess;
  #answers = "";
  #count = 0;

  constructor() {
    const [bin, work, home] = ["bin", "work", "home"].map((name) => path.join(this.#scratch, name));
    for (const folder of [bin!, work!, home!]) mkdirSync(folder);
    symlinkSync(path.join(root, "stint"), path.join(bin!, "stint"));
    symlinkSync(path.join(root, "examples"), path.join(work!, "examples"));
    const { PATH } = process.env;
    this.#shell = spawn("bwrap", [...SEPARATE, "--chdir", work!, "bash", "--norc"], {
      env: { PATH: `${bin}:${PATH}`, HOME: home, LANG: "C.UTF-8" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#shell.stdout!.setEncoding("utf8").on("data", (text: string) => (this.#answers += text));
  }

  /** Runs lines that the document does not show. @throws Error when one of them fails, which ends the session */
  async prepare(script: string): Promise<void> {
    await this.#run(`set -e\n${script}\nset +e`);
  }

  /** Runs a line as a reader types it. @returns its exit status, and what it printed */
  async outcome(line: string): Promise<{ readonly status: number; readonly output: string }> {
    const output = await this.#run(line);
    const status = await this.#run("echo $last");
    return { status: Number(status), output };
  }

  /** Runs a documented command. @returns what it printed in place of what the document has, or undefined */
  async surprise(command: Command, isInOrder: boolean): Promise<string | undefined> {
    const deadline = performance.now() + PATIENCE_MS;
    const read = SERVER.test(command.text) ? await this.#serve(command.text) : () => this.#run(command.text);
    for (;;) {
      const output = await read();
      if (isDocumented(output, command, isInOrder)) return undefined;
      const mayComeYet = SERVER.test(command.text) || READER.test(command.text);
      if (!mayComeYet || performance.now() > deadline) return output;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#shell.once("close", resolve));
    this.#shell.kill("SIGKILL");
    await ended;
    rmSync(this.#scratch, { recursive: true, force: true });
  }

  /** Starts a server. @returns what reads its output so far */
  async #serve(text: string): Promise<() => Promise<string>> {
    const file = path.join(this.#scratch, `server-${this.#count}`);
    // The shell makes it only when the server starts.
    writeFileSync(file, "");
    await this.#run(`${text} >${file} 2>&1 &`);
    return () => Promise.resolve(readFileSync(file, "utf8"));
  }

  async #run(text: string): Promise<string> {
    const file = path.join(this.#scratch, `output-${this.#count++}`);
    this.#answers = "";
    // A command sees the status of the one before it.
    this.#shell.stdin!.write(
      `(exit \${last:-0})\n{ ${text}\n} </dev/null >${file} 2>&1\nlast=$?\nprintf '${SENTINEL}'\n`,
    );
    while (!this.#answers.includes(SENTINEL)) {
      if (this.#shell.exitCode !== null)
        throw new Error(`the shell ended with ${this.#shell.exitCode}: ${text}\n${readFileSync(file, "utf8")}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return readFileSync(file, "utf8");
  }
}
