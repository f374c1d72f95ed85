/** The project of examples/testing/vitest as a user's own, in a folder with its packages. */
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
const EXAMPLE = join(ROOT, "examples/testing/vitest");

export interface VitestRun {
  readonly status: number | null;
  readonly output: string;
}

export class VitestProject {
  readonly #folder: string;

  /** @param folder is made @param install puts the package stint into a folder, which is not there yet */
  constructor(folder: string, install: (to: string) => void) {
    this.#folder = folder;
    cpSync(EXAMPLE, folder, { recursive: true });
    for (const name of ["vitest", "@kubernetes/client-node"]) {
      const link = join(folder, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), link);
    }
    const own = join(folder, "node_modules/@stint-dev/stint");
    mkdirSync(dirname(own), { recursive: true });
    install(own);
  }

  path(file: string): string {
    return join(this.#folder, file);
  }

  /** @throws Error when the text is not there exactly once */
  change(file: string, text: string, by: string): void {
    const parts = readFileSync(this.path(file), "utf8").split(text);
    if (parts.length !== 2) throw new Error(`${JSON.stringify(text)} is in ${file} ${parts.length - 1} times`);
    writeFileSync(this.path(file), parts.join(by));
  }

  test(environment: NodeJS.ProcessEnv = {}): VitestRun {
    // A run of vitest inside another one must not take that for its own.
    const { VITEST, VITEST_POOL_ID, VITEST_WORKER_ID, TEST, ...rest } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(this.#folder, "node_modules/vitest/vitest.mjs"), "run"],
      { cwd: this.#folder, encoding: "utf8", env: { ...rest, NO_COLOR: "1", ...environment } },
    );
    return { status, output: `${stdout}${stderr}` };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
