/**
 * A program with kube-rs against `stint serve`. The steps are in src/main.rs. Without cargo it is skipped with a
 * message; with STINT_REQUIRE_CLUSTER=1 that is an error.
 */
import { execFile, spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startServe } from "../../host-node/serving.ts";

const run = promisify(execFile);
/** A first build compiles 200 crates, which takes some minutes on two busy cores. */
const TIMEOUT_MS = 900_000;
/** What cargo builds is kept. */
const TARGET = process.env["CARGO_TARGET_DIR"] ?? join(homedir(), ".cache/stint/kube-rs");

const hasCargo = spawnSync("cargo", ["--version"]).status === 0;
if (!hasCargo && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error("STINT_REQUIRE_CLUSTER is 1, and there is no cargo in $PATH: install Rust 1.89 or newer");
if (!hasCargo) console.warn("the test of kube-rs is skipped: there is no cargo in $PATH");

test.skipIf(!hasCargo)(
  "each step of a program with kube-rs works",
  async () => {
    const cargo = { cwd: import.meta.dirname, env: { ...process.env, CARGO_TARGET_DIR: TARGET } };
    await run("cargo", ["fmt", "--check"], cargo);
    await run("cargo", ["build", "--locked", "--quiet"], cargo);
    const served = await startServe(["--runtime", "process", "--no-isolation"]);
    try {
      const { stdout } = await run(join(TARGET, "debug/kube-rs-client"), [], {
        env: { KUBECONFIG: served.kubeconfig, HOME: served.directory },
      });
      expect(stdout.trim().split("\n")).toEqual([
        "ok version and discovery",
        "ok create a Job, watch it to its end",
        "ok logs",
        "ok follow a log to its end",
        "ok server-side apply, its conflict, and force",
        "ok patch, a stale update, and what is not there",
        "ok exec, its output and its status",
        "ok delete, with the pods",
      ]);
    } finally {
      await served.stop();
    }
  },
  TIMEOUT_MS,
);
