/**
 * A tiny shell process that outlives this one by a moment. When this process ends, in whatever way, the shell kills
 * what the containers left running and removes their files and control groups.
 *
 * Invariant: it knows every running container, and the mark and the output of all of them (see process-table.ts). It
 * notices our end by the end of its standard input, which no other process holds open, so even SIGKILL leaves nothing
 * behind. Nothing in its environment or command comes from a pod.
 */
import { type ChildProcess, spawn } from "node:child_process";

// pkill finds processes in other groups of the session. grep and find find those that left the session. If one of these
// programs is missing, the others have to suffice. A killed process starts no other, so a few passes find all.
const SCRIPT = `
trap '' HUP INT TERM
pids=' '
while read -r op pid; do
  case $op in
    add) pids="$pids$pid " ;;
    group) set -- "$@" "$pid" ;;
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
shift 2
passes=0
while [ $passes -lt 50 ]; do
  passes=$((passes + 1))
  left=no
  for prefix; do
    for group in "$prefix"*; do
      [ ! -d "$group" ] || rmdir -- "$group" || left=yes
    done
  done
  [ $left = yes ] || break
  sleep 0.1
done
`;

export class Reaper {
  readonly #shell: ChildProcess;

  /**
   * At the end the shell removes `directory`, in which the pipes are made, and kills every process with `mark` in its
   * environment.
   */
  constructor(directory: string, mark: string) {
    // A separate session: Ctrl-C in the terminal must not reach it.
    this.#shell = spawn("/bin/sh", ["-c", SCRIPT, "stint-reaper", directory, mark], {
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#shell.unref();
    // If the shell dies, the containers run on without this safety net. Writing to it must not end this process then.
    this.#shell.stdin!.on("error", () => {});
    (this.#shell.stdin as unknown as { unref(): void }).unref();
  }

  /** `pid` leads its own process group and session. */
  add(pid: number): void {
    this.#shell.stdin!.write(`add ${pid}\n`);
  }

  /** At the end the shell removes the control groups whose paths begin so. */
  addGroups(prefix: string): void {
    this.#shell.stdin!.write(`group ${prefix}\n`);
  }

  /** The container has ended, and none of its processes runs any more. */
  remove(pid: number): void {
    this.#shell.stdin!.write(`del ${pid}\n`);
  }

  /** Makes the shell clean up now, and end. */
  close(): void {
    this.#shell.stdin!.end();
  }
}
