/**
 * Removes what containers have written, whatever they have made of it: folders without rights, trees deeper than a path
 * may be long.
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";

// chmod and rm go down step by step, and follow no link on the way.
const SCRIPT = 'chmod -R u+rwX -- "$1"; rm -rf -- "$1"';

/**
 * At once where that is possible, else soon, by a shell. A process that is being killed may still write: what is left
 * then goes with the reaper.
 */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    const shell = spawn("/bin/sh", ["-c", SCRIPT, "stint-remove", path], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: "ignore",
    });
    shell.on("error", () => {}); // As above.
    shell.unref();
  }
}
