/**
 * The single executable: it says what the command says, needs neither Node nor a folder, and is the command that the
 * test packages for Go and Python start, without Node in the path.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EmptyRoot } from "../../../../scripts/release/executable/empty-root.ts";
import { makeExecutableArgs, ownPlatform } from "../../../../scripts/release/executable/platforms.ts";

const root = resolve(import.meta.dirname, "../../../..");
const PYTHON = join(root, "build/venv/bin/python");
const JOB = join(root, "examples/retry.yaml");
const platform = ownPlatform();
const hasGo = spawnSync("go", ["version"]).status === 0;
/** Without any Node: neither this one nor another one. */
const PATH = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !existsSync(join(folder, "node")))
  .join(delimiter);

describe.skipIf(platform === undefined)("the single executable", () => {
  let folder: string;
  let stint: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stint-executable-"));
    stint = join(folder, "stint");
    const args = makeExecutableArgs(platform!, join(folder, "parts"), stint);
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  }, 240_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  const ofCommand = (...args: readonly string[]): unknown => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "dist/stint.mjs"), ...args]);
    return { status, stdout: stdout.toString(), stderr: stderr.toString() };
  };
  const ofExecutable = (...args: readonly string[]): unknown => {
    const env = { ...process.env, PATH, STINT_COMMAND: "" };
    const { status, stdout, stderr } = spawnSync(stint, args, { cwd: folder, env });
    return { status, stdout: stdout.toString(), stderr: stderr.toString() };
  };

  it.each([
    [["version", "--output", "json"]],
    [["lint", JOB]],
    [["lint", join(root, "examples/no-such-file.yaml")]],
    [["explain", "Backoff"]],
    [["forecast", JOB]],
    [["completion", "bash"]],
  ])("says what the command says: %j", (args) => {
    expect(ofExecutable(...args)).toEqual(ofCommand(...args));
  });

  it("runs in an empty root, with its libraries alone", () => {
    const empty = join(folder, "root");
    mkdirSync(empty);
    const inside = new EmptyRoot(stint, empty);
    copyFileSync(JOB, join(empty, "job.yaml"));
    const libraries = inside.libraries.map((path) => basename(path).replace(/\.so.*$/, ""));
    // docs/install.md names them.
    expect(libraries.filter((name) => !name.startsWith("ld-")).toSorted()).toEqual([
      "libc",
      "libdl",
      "libgcc_s",
      "libm",
      "libpthread",
      "libstdc++",
    ]);
    expect(inside.stint("run", "--runtime", "simulated", "/job.yaml")).toContain("exit status 0");
    expect(inside.stint("lint", "/job.yaml")).toContain("1 Job");
  });

  it("is kubectl's plugin under that name", () => {
    symlinkSync(stint, join(folder, "kubectl-stint"));
    const { stdout } = spawnSync(join(folder, "kubectl-stint"), ["version"], { encoding: "utf8", env: { PATH } });
    expect(stdout).toMatch(/^stint +\d/);
  });

  it.skipIf(!hasGo)(
    "is what stinttest starts, without Node",
    () => {
      const args = ["test", "-C", join(root, "bindings/go/stinttest"), "-count=1", "-run", "^TestCluster$", "."];
      const { status, stdout } = spawnSync("go", args, {
        encoding: "utf8",
        env: { ...process.env, PATH, STINT_COMMAND: stint },
      });
      expect(stdout).toContain("ok");
      expect(status).toBe(0);
    },
    240_000,
  );

  it.skipIf(!existsSync(PYTHON))(
    "is what the fixtures of pytest start, without Node",
    () => {
      const args = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_reports.py"];
      const { status, stdout } = spawnSync(PYTHON, args, {
        cwd: join(root, "examples/testing/pytest"),
        encoding: "utf8",
        env: { ...process.env, PATH, STINT_COMMAND: stint, STINT_RECORDINGS: folder },
      });
      expect(stdout).toContain("3 passed");
      expect(status).toBe(0);
    },
    120_000,
  );
});
