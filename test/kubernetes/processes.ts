/**
 * Processes of one test and the folder they work in, which end and go together.
 *
 * Invariant: no process and no file outlives the process that made the group, however that one ends: a small shell
 * process of its own session (the janitor) waits for the end of its standard input, which comes with stop() and with
 * any death, kills what is still noted as running and removes the folder. Leaves out what the processes do.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";

/** How long a process may take to end after SIGTERM, before SIGKILL. */
const STOP_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;
/** A program that does not choose its ports as tests do may take one between its choice and its use. */
const MAX_PORT_ATTEMPTS = 5;
const TAIL_CHARACTERS = 3000;

const JANITOR = `
cat >/dev/null
for file in "$1"/*.pid; do
  [ -e "$file" ] && kill -KILL "$(cat "$file")" 2>/dev/null
done
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf "$1" 2>/dev/null && break
  sleep 1
done
`;

export interface Running {
  readonly name: string;
  readonly pid: number;
  /** Resolves when it has ended, with its exit status or signal in words. */
  readonly ended: Promise<string>;
  /** It has ended. */
  readonly exited: boolean;
  /** What it has written so far, to both streams. */
  log(): string;
  /** SIGTERM, and SIGKILL when that takes more than 10 s. Resolves when it has ended. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly name: string;
  readonly command: string;
  /** The arguments, given a free port on loopback. */
  readonly args: (port: number) => readonly string[];
  /** As of {@link ProcessGroup.start}. */
  readonly env?: Readonly<Record<string, string>>;
  /** Asked until it is true; a rejection counts as no. */
  readonly isReady: (port: number, running: Running) => Promise<boolean>;
  readonly readyTimeoutMs: number;
}

export class ProcessGroup {
  /** Temporary folder of the group, for its owner alone (mode 700). */
  readonly directory: string;
  readonly #janitor: ChildProcess;
  readonly #running = new Set<Running>();
  #started = 0;
  #stopped: Promise<void> | undefined;

  /** @param prefix of the name of the temporary folder */
  constructor(prefix: string) {
    this.directory = mkdtempSync(join(tmpdir(), prefix));
    // Detached: Ctrl-C in a terminal goes to all processes of the session, and would end it with the others.
    this.#janitor = spawn("/bin/sh", ["-c", JANITOR, "sh", this.directory], {
      cwd: "/",
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#janitor.unref();
    (this.#janitor.stdin as unknown as { unref(): void }).unref();
  }

  /** The processes that have not ended, in the order in which they began. */
  get running(): readonly Running[] {
    return [...this.#running];
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Writes a file that only its owner can read. @returns its path */
  write(name: string, content: string): string {
    writeFileSync(this.path(name), content, { mode: 0o600 });
    return this.path(name);
  }

  /**
   * Starts a program, with the folder as its home and nothing of this process's environment but PATH. `env`: beside
   * these. Both streams go to one log file.
   *
   * @throws Error when it cannot be started, or the group has been stopped
   */
  async start(
    name: string,
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Running> {
    if (this.#stopped !== undefined) throw new Error(`${name} cannot be started: its process group has been stopped`);
    const stem = `${name}-${++this.#started}`;
    const logFile = this.path(`${stem}.log`);
    const log = openSync(logFile, "w", 0o600);
    const child = spawn(command, args, {
      cwd: this.directory,
      env: { PATH: process.env["PATH"], HOME: this.directory, TMPDIR: this.directory, ...env },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    const ended = new Promise<string>((resolve) => {
      child.once("exit", (status, signal) => resolve(signal ?? `status ${status}`));
    });
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    const pid = child.pid!;
    const pidFile = this.write(`${stem}.pid`, String(pid));
    const stop = async (): Promise<void> => {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    };
    const running: Running = {
      name,
      pid,
      ended,
      stop,
      get exited() {
        return child.exitCode !== null || child.signalCode !== null;
      },
      log: () => (existsSync(logFile) ? readFileSync(logFile, "utf8") : ""),
    };
    this.#running.add(running);
    void ended.then(() => {
      this.#running.delete(running);
      rmSync(pidFile, { force: true });
    });
    return running;
  }

  /**
   * Starts a program that listens on a port, and waits until it is ready.
   *
   * @throws Error when it ends before, or is not ready in time; with the end of its log
   */
  async startServer({
    name,
    command,
    args,
    env,
    isReady,
    readyTimeoutMs,
  }: ServerOptions): Promise<{ readonly running: Running; readonly port: number }> {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const running = await this.start(name, command, args(port), env);
      const outcome = await this.#untilReady(running, () => isReady(port, running), readyTimeoutMs);
      if (outcome === "ready") return { running, port };
      await running.stop();
      if (attempt < MAX_PORT_ATTEMPTS && /address already in use/.test(running.log())) continue;
      throw new Error(`${name} ${outcome}. The end of its log:\n${running.log().slice(-TAIL_CHARACTERS)}`);
    }
  }

  async #untilReady(running: Running, isReady: () => Promise<boolean>, timeoutMs: number): Promise<string> {
    const deadline = performance.now() + timeoutMs;
    let end: string | undefined;
    void running.ended.then((how) => (end = how));
    while (performance.now() < deadline) {
      if (end !== undefined) return `ended (${end}) before it was ready`;
      if (await isReady().catch(() => false)) return "ready";
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
    return `was not ready within ${timeoutMs / 1000} s`;
  }

  /** Ends all processes, the last one first, and removes the folder. May be called again. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    for (const running of this.running.toReversed()) await running.stop();
    const gone = new Promise((resolve) => this.#janitor.once("exit", resolve));
    this.#janitor.ref();
    this.#janitor.stdin!.end();
    await gone;
  }
}
