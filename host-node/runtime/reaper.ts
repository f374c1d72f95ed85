/**
 * A tiny shell process that outlives this one by a moment: when this process is gone, however it went, it kills what
 * the containers left running and removes their files.
 *
 * Invariant: it knows every container that runs, and the mark and the output of all of them (see process-table.ts). It
 * learns of our end by the end of its standard input, which nobody else holds open, so that even SIGKILL leaves nothing
 * behind. Nothing of its own environment or command comes from a pod.
 */
import { type ChildProcess, spawn } from "node:child_process";

// pkill finds what moved into another process group of the session, grep and find what left the session; where one is
// missing the rest has to do. Who was killed starts no other process, so a few passes find all.
const SCRIPT = `
trap '' HUP INT TERM
pids=' '
while read -r op pid; do
  case $op in
    add) pids="$pids$pid " ;;
    del) case $pids in *" $pid "*) pids="\${pids%% $pid *} \${pids#* $pid }" ;; esac ;;
  esac
done
exec 2>/dev/null
for pid in $pids; do
  kill -s KILL -- "-$pid"
  pkill -KILL -s "$pid"
done
passes=0
while [ $passes -lt 50 ]; do
  passes=$((passes + 1))
  found=$(
    grep -slF -- "$2" /proc/[0-9]*/environ
    find /proc/[0-9]*/fd/[12] -maxdepth 0 -lname "$1/pipe-*"
  )
  [ -n "$found" ] || break
  for path in $found; do
    pid=\${path#/proc/}
    kill -s KILL "\${pid%%/*}"
  done
done
chmod -R u+rwX -- "$1"
rm -rf -- "$1"
`;

export class Reaper {
  readonly #shell: ChildProcess;

  /** `directory`, in which the pipes are made, is removed in the end; what has `mark` in its environment is killed. */
  constructor(directory: string, mark: string) {
    // A session of its own: Ctrl-C in the terminal must not reach it.
    this.#shell = spawn("/bin/sh", ["-c", SCRIPT, "stint-reaper", directory, mark], {
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
    });
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
