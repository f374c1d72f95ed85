/**
 * Programs of others as clients of a real `stint serve`: their home is the folder of the server, so that they find no
 * settings of the user's and leave nothing behind.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Served } from "../../host-node/serving.ts";
import { ApiClient } from "../api-client.ts";
import type { ReachableServer } from "../control-plane.ts";
import { ProcessGroup } from "../processes.ts";

/** How long a program may take, before it is ended; less than a test may. */
const PROGRAM_TIMEOUT_MS = 100_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export interface Ran {
  /** Null: it was ended by a signal. */
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export function environmentOf({ kubeconfig, directory }: Served): Readonly<Record<string, string>> {
  return { PATH: process.env["PATH"] ?? "", HOME: directory, KUBECONFIG: kubeconfig };
}

/** Runs a program to its end. */
export function runProgram(served: Served, command: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { env: environmentOf(served), timeout: PROGRAM_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES },
      (_error, out, err) => resolve({ status: child.exitCode, out, err }),
    );
    child.stdin!.end();
  });
}

/** @throws Error with what it said, when it does not end with status 0 */
export async function succeed(served: Served, command: string, args: readonly string[]): Promise<string> {
  const { status, out, err } = await runProgram(served, command, args);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: status ${status}\n${out}${err}`);
  return out;
}

/** A client with the token of the kubeconfig. */
export function clientOf({ kubeconfig }: Served): ApiClient {
  const { clusters, users } = parse(readFileSync(kubeconfig, "utf8"));
  return new ApiClient({
    url: clusters[0].cluster.server,
    ca: Buffer.from(clusters[0].cluster["certificate-authority-data"], "base64").toString(),
    token: users[0].user.token,
  });
}

/** For the programs that run beside an API server: they end with `processes.stop()`. */
export function reachableServer(served: Served): ReachableServer {
  return {
    processes: new ProcessGroup("stint-beside-serve-"),
    kubeconfig: () => served.kubeconfig,
    client: () => clientOf(served),
  };
}
