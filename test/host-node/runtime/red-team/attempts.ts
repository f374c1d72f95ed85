/**
 * Attempts to get out of the sandbox, or to do harm from inside it. Each is a script that is really run in a container.
 * Where that can be done without harm it is also run without isolation, against the same prey, to show that it is the
 * sandbox that stops it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import type { VolumeFiles } from "../../../../cluster/kubelet/container-runtime.ts";
import type { Pod } from "../../../../cluster/values/kinds.ts";
import { ProcessRuntime, type ProcessRuntimeOptions } from "../../../../host-node/runtime/process-runtime.ts";
import { bubblewrap, hasBubblewrap } from "../bubblewrap-here.ts";
import { createPod, podOf, start } from "../running.ts";

export const isRoot = process.getuid!() === 0;
/** What an attempt that succeeds shows. */
export const PREY = "the prey of the red team";
/** The last line of every script: it was not ended half-way. */
const END = "tried everything";

export interface Tried {
  /** Both outputs together. */
  readonly output: string;
  readonly exitCode: number | undefined;
  /** The container did not even start. */
  readonly refusal: string | undefined;
}

export interface AttemptOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly container?: object;
  readonly spec?: object;
  readonly files?: VolumeFiles;
}

/** Undoes what was made, also inside a test, where afterAll would come too late. */
const atTheEnd: (() => void)[] = [];
afterAll(() => atTheEnd.forEach((undo) => undo()));

/** Tests that are skipped without bubblewrap; nothing is made for them then. */
export function redTeam(name: string, tests: () => void): void {
  if (hasBubblewrap) describe(`red team: ${name}`, tests);
  else it.skip(`red team: ${name}`, () => {});
}

/** A runtime inside bubblewrap, closed after the tests of the file. */
export function sandboxed(options: Partial<ProcessRuntimeOptions> = {}): ProcessRuntime {
  return closedInTheEnd(
    new ProcessRuntime({ isolation: { bubblewrap }, network: false, workingDirectory: "/", ...options }),
  );
}

/** A runtime without isolation, closed after the tests of the file. */
export function bare(): ProcessRuntime {
  return closedInTheEnd(new ProcessRuntime({ isolation: "none", network: true, workingDirectory: "/" }));
}

function closedInTheEnd(runtime: ProcessRuntime): ProcessRuntime {
  atTheEnd.push(() => runtime.close());
  return runtime;
}

/** Runs a shell script as a container. @throws Error when it started and did not come to its end */
export async function attempt(runtime: ProcessRuntime, script: string, options: AttemptOptions = {}): Promise<Tried> {
  const pod = podOf(["sh", "-c", `${script}\necho ${END}`], options.container ?? {}, options.spec ?? {});
  const tried = await tryPod(runtime, pod, options);
  if (tried.refusal === undefined && !tried.output.includes(END))
    throw new Error(`the attempt did not come to its end: ${JSON.stringify(tried)}`);
  return { ...tried, output: tried.output.replaceAll(`${END}\n`, "") };
}

/** Runs the first container of a pod. */
export async function tryPod(
  runtime: ProcessRuntime,
  pod: Pod,
  { env = {}, files }: AttemptOptions = {},
): Promise<Tried> {
  try {
    await createPod(runtime, pod, files);
  } catch (error) {
    return { output: "", exitCode: undefined, refusal: (error as Error).message };
  }
  const running = start(
    runtime,
    pod,
    Object.entries(env).map(([name, value]) => ({ name, value })),
  );
  const { exit, failed } = await running.end;
  return { output: running.stdout() + running.stderr(), exitCode: exit?.exitCode, refusal: failed?.message };
}

/**
 * A folder of this machine, open to everybody, that no container has any business with; removed after the tests of the
 * file.
 */
export function preyFolder(): string {
  // Not below /tmp, which is hidden for another reason. No user may look into root's home, and its containers run
  // as another user.
  return temporaryFolder(isRoot ? "/srv" : homedir());
}

export function temporaryFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, ".stint-red-team-"));
  atTheEnd.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A file with the prey in it. */
export function preyFile(folder: string): string {
  const path = join(folder, "prey");
  writeFileSync(path, `${PREY}\n`, { mode: 0o644 });
  return path;
}

/** System calls that no common program makes, by number on x86-64 and arm64; for perl's `syscall`. */
const SYSTEM_CALLS: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  add_key: [248, 217],
  bpf: [321, 280],
  io_uring_setup: [425, 425],
  keyctl: [250, 219],
  open_by_handle_at: [304, 265],
  perf_event_open: [298, 241],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  request_key: [249, 218],
  shmget: [29, 194],
  unshare: [272, 97],
  userfaultfd: [323, 282],
};

export function systemCall(name: string): number {
  const numbers = SYSTEM_CALLS[name];
  if (numbers === undefined || !["x64", "arm64"].includes(process.arch))
    throw new Error(`the number of ${name} on ${process.arch} is not known here`);
  return numbers[process.arch === "x64" ? 0 : 1];
}

/**
 * A line of shell that makes one system call and prints what it returned. Perl is on every Debian; arguments are Perl.
 */
export function perlCall(name: string, ...args: readonly (number | string)[]): string {
  return `perl -e '$r = syscall(${[systemCall(name), ...args].join(", ")}); print "${name}: ", $r == -1 ? "refused: $!" : "returned $r", "\\n"'`;
}

/** The words of a process of this machine; none if it has ended. */
export function commandLineOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
