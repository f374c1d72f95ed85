/**
 * The real kubectl as a client of a real `stint serve`. Tests with it are skipped with a message where there is no
 * kubectl; with STINT_REQUIRE_KUBECTL=1 that is an error.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import type { Served } from "./serving.ts";

export const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl && process.env["STINT_REQUIRE_KUBECTL"] === "1")
  throw new Error("STINT_REQUIRE_KUBECTL is 1 and there is no kubectl in $PATH");
if (!hasKubectl) console.warn("kubectl tests are skipped: there is no kubectl in $PATH");

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export function startKubectl(served: Served, args: readonly string[]): ChildProcess {
  // Its cache of what a server serves goes by address and lives for hours; ports come again.
  return spawn("kubectl", ["--cache-dir", join(served.directory, "cache"), ...args], {
    env: environmentOf(served),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

export function kubectl(served: Served, args: readonly string[], input = ""): Promise<Ran> {
  return ranToEnd(startKubectl(served, args), input);
}

/** @throws when it fails or says something on standard error */
export async function succeed(served: Served, args: readonly string[], input = ""): Promise<string> {
  return outputOf(await kubectl(served, args, input));
}

/** Lines for a shell, as the documents show them. @throws when they fail or say something on standard error */
export async function shell(served: Served, lines: string): Promise<string> {
  // Without the start-up files: a bash whose standard input is a socket reads them, as one that was started over the
  // network.
  return outputOf(
    await ranToEnd(
      spawn("bash", ["--norc", "-euo", "pipefail", "-c", lines], {
        env: environmentOf(served),
        stdio: ["pipe", "pipe", "pipe"],
      }),
    ),
  );
}

function environmentOf({ kubeconfig, directory }: Served): NodeJS.ProcessEnv {
  return { ...process.env, KUBECONFIG: kubeconfig, HOME: directory };
}

function outputOf({ status, out, err }: Ran): string {
  expect(err).toBe("");
  expect(status).toBe(0);
  return out;
}

function ranToEnd(child: ChildProcess, input = ""): Promise<Ran> {
  let out = "";
  let err = "";
  child.stdout!.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr!.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.stdin!.end(input);
  return new Promise((resolve) => child.once("close", (status) => resolve({ status, out, err })));
}
