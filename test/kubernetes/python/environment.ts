/**
 * Python environments with the packages of a list beside this file, made once with the `python3` that is there and kept
 * in `$XDG_CACHE_HOME/stint/python/HASH/` (`~/.cache` when unset). The hash is that of the list and of Python's
 * version. Packages that want other versions of one library have separate lists.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The path of its Python. @throws Error when there is no python3, or a package cannot be installed */
export async function pythonWith(list: string): Promise<string> {
  const requirements = join(import.meta.dirname, list);
  const { stdout: version } = await run("python3", ["-VV"]);
  const hash = createHash("sha256").update(readFileSync(requirements)).update(version).digest("hex").slice(0, 16);
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const folder = join(cache, "stint", "python", hash);
  const python = join(folder, "bin", "python");
  const isWhole = join(folder, "whole");
  if (existsSync(isWhole)) return python;
  rmSync(folder, { recursive: true, force: true });
  await run("python3", ["-m", "venv", folder]);
  await run(python, ["-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", requirements]);
  writeFileSync(isWhole, "");
  return python;
}
