/**
 * The Java libraries of pom.xml, fetched once with Maven and kept in `$XDG_CACHE_HOME/stint/fabric8/HASH/` (`~/.cache`
 * when unset). The hash is that of pom.xml. The JVM compiles a single source file itself, so Maven starts only for the
 * first test on a machine.
 */
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const POM = join(import.meta.dirname, "pom.xml");
const COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

const CACHE = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "stint", "fabric8");

/** What is missing for a test in Java, as part of a sentence; undefined when nothing is. */
export function whyNoJava(): string | undefined {
  const missing = ["javac", "mvn"].filter((command) => spawnSync(command, ["--version"]).error !== undefined);
  if (missing.length === 0) return undefined;
  return `there is no ${missing.join(" and no ")} in $PATH: install a JDK of Java 17 or newer, and Maven`;
}

/** The folder with the libraries. @throws Error with what Maven said, when one cannot be fetched */
export async function findOrFetchLibraries(): Promise<string> {
  const hash = createHash("sha256").update(readFileSync(POM)).digest("hex").slice(0, 16);
  const folder = join(CACHE, hash);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const fetched = mkdtempSync(join(CACHE, "fetch-"));
  try {
    await run("mvn", ["--batch-mode", "--quiet", "--file", POM, COPY, `-DoutputDirectory=${fetched}`]);
    // Of two processes that fetch at once, one has the folder first.
    if (!existsSync(folder)) renameSync(fetched, folder);
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
  return folder;
}
