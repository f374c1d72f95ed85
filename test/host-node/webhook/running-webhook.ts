/** Starts the real `stint webhook` as a separate process, for tests that call it or have it called. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerCertificate } from "../../../host-node/server/server-certificate.ts";
import { spawnStint } from "../serving.ts";

export interface RunningWebhook {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  readonly pid: number;
  /** What it has logged so far. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** Ends it by SIGTERM and resolves with its exit status. May be called again. */
  stop(): Promise<number | null>;
}

/**
 * Writes tls.crt and tls.key into a folder and starts the webhook there, on a free port unless `args` name one.
 *
 * @param main module of the command; default: the one of the source tree
 * @throws Error with what it said, when it ends before it serves
 */
export async function startWebhook(
  directory: string,
  { certificate, privateKey }: ServerCertificate,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  main?: string,
): Promise<RunningWebhook> {
  writeFileSync(join(directory, "tls.crt"), certificate);
  writeFileSync(join(directory, "tls.key"), privateKey);
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const child = spawnStint(
    ["webhook", "--cert", "tls.crt", "--key", "tls.key", ...port, ...args],
    directory,
    { ...process.env, ...env },
    main,
  );
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  let output = "";
  let errors = "";
  let isServing = false;
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      // Not in all that it logs later: that can be much.
      const found = isServing ? null : /"url":"(https:[^"]+)"/.exec(output);
      if (found === null) return;
      isServing = true;
      resolve(found[1]!);
    });
    void exit.then((status) => reject(new Error(`stint webhook ended with ${status}: ${output}${errors}`)));
  });
  return {
    url,
    pid: child.pid!,
    log: () =>
      output
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    stop: () => {
      child.kill("SIGTERM");
      return exit;
    },
  };
}
