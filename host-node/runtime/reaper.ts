/**
 * A tiny shell process that outlives this one by a moment: when this process is gone, however it went, it kills what the
 * containers left running and removes their files.
 *
 * Invariant: it knows every container that runs. It learns of our end by the end of its standard input, which nobody
 * else holds open, so that even SIGKILL leaves nothing behind.
 */
import { type ChildProcess, spawn } from "node:child_process";

// pkill finds what moved into another process group of the session; where it is missing the group has to do.
const SCRIPT = `
trap '' HUP INT TERM
pids=' '
while read -r op pid; do
  case $op in
    add) pids="$pids$pid " ;;
    del) case $pids in *" $pid "*) pids="\${pids%% $pid *} \${pids#* $pid }" ;; esac ;;
  esac
done
for pid in $pids; do
  kill -s KILL -- "-$pid"
  pkill -KILL -s "$pid"
done 2>/dev/null
rm -rf -- "$1"
`;

export class Reaper {
  readonly #shell: ChildProcess;

  /** `directory` is removed in the end. */
  constructor(directory: string) {
    // A session of its own: Ctrl-C in the terminal must not reach it.
    this.#shell = spawn("/bin/sh", ["-c", SCRIPT, "stint-reaper", directory], { detached: true, cwd: "/", env: { PATH: "/usr/bin:/bin" }, stdio: ["pipe", "ignore", "ignore"] });
    this.#shell.unref();
    // If it dies the containers run on without this safety net; writing to it must then not end this process.
    this.#shell.stdin!.on("error", () => {});
    (this.#shell.stdin as unknown as { unref(): void }).unref();
  }

  /** `pid` leads a process group and a session of its own. */
  add(pid: number): void {
    this.#shell.stdin!.write(`add ${pid}\n`);
  }

  /** The container is over, and nothing of it runs any more. */
  remove(pid: number): void {
    this.#shell.stdin!.write(`del ${pid}\n`);
  }

  /** Lets it do its work now and end. */
  close(): void {
    this.#shell.stdin!.end();
  }
}
