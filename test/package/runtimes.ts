/**
 * Deno and Bun, from the npm packages that have the programs themselves for this platform: those that pick one of them
 * need install scripts, which npm does not run unasked. They are kept in `$XDG_CACHE_HOME/stint/runtimes/` (`~/.cache`
 * when it is not set), because each has some hundred megabytes.
 *
 * Invariant: what is kept has the hash that is written here.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { npm, run } from "../../scripts/release/artefact.ts";

interface Runtime {
  /** By `process.platform` and `process.arch`. */
  readonly packages: Readonly<Record<string, { readonly name: string; readonly integrity: string }>>;
  readonly version: string;
  /** In the package. */
  readonly program: string;
}

const RUNTIMES = {
  deno: {
    packages: {
      "linux-x64": {
        name: "@deno/linux-x64-glibc",
        integrity: "sha512-3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==",
      },
    },
    version: "2.9.6",
    program: "deno",
  },
  bun: {
    packages: {
      "linux-x64": {
        name: "@oven/bun-linux-x64",
        integrity: "sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==",
      },
    },
    version: "1.4.5",
    program: "bin/bun",
  },
} as const satisfies Record<string, Runtime>;

/** @returns the path of the program. @throws Error where there is none for this platform, or it is not the one */
export function findOrFetch(name: keyof typeof RUNTIMES): string {
  const { packages, version, program }: Runtime = RUNTIMES[name];
  const platform = `${process.platform}-${process.arch}`;
  const wanted = packages[platform];
  if (wanted === undefined)
    throw new Error(`there is no ${name} for ${platform}; allowed are ${Object.keys(packages).join(", ")}`);
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "stint/runtimes");
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(join(folder, program))) return join(folder, program);
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, `${name}-`));
  try {
    const [{ filename }] = JSON.parse(npm(["pack", "--json", `${wanted.name}@${version}`], { cwd: scratch }));
    const hash = createHash("sha512")
      .update(readFileSync(join(scratch, filename)))
      .digest("base64");
    if (`sha512-${hash}` !== wanted.integrity)
      throw new Error(`${wanted.name}@${version} has the hash sha512-${hash}; it should have ${wanted.integrity}`);
    run("tar", ["-xzf", filename], { cwd: scratch });
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(scratch, "package"), folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return join(folder, program);
}
