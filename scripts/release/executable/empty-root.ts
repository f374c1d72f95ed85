/**
 * A folder as the root of a process, with an executable and the shared libraries that it needs, and nothing else: what
 * a container image from nothing has.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../artefact.ts";

/** Root may do it; others may in a new namespace of users, or by sudo. */
const WAYS = [["chroot"], ["unshare", "--user", "--map-root-user", "chroot"], ["sudo", "-n", "chroot"]] as const;

export class EmptyRoot {
  readonly folder: string;
  readonly libraries: readonly string[];
  readonly #way: readonly string[];

  /** @param executable becomes `/stint` in the folder. @throws Error when no process may get another root here */
  constructor(executable: string, folder: string) {
    const way = WAYS.find(([command, ...args]) => spawnSync(command, [...args, "/", "true"]).status === 0);
    if (way === undefined) throw new Error("neither chroot nor unshare nor sudo may change the root of a process here");
    this.#way = way;
    this.folder = folder;
    this.libraries = [...run("ldd", [executable]).matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!);
    copyFileSync(executable, join(folder, "stint"));
    for (const path of this.libraries) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      copyFileSync(path, join(folder, path));
    }
  }

  /** @throws Error when it fails */
  stint(...args: readonly string[]): string {
    const [command, ...before] = this.#way;
    return run(command!, [...before, this.folder, "/stint", ...args], { env: { NODE_EXTRA_CA_CERTS: "" } });
  }
}
