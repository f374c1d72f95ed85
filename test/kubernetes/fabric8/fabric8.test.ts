/**
 * A program with fabric8's kubernetes-client against `stint serve`, with two of its transports. The steps are in
 * fabric8-client.java. Without Java and Maven it is skipped with a message; with STINT_REQUIRE_CLUSTER=1 that is an
 * error.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startServe } from "../../host-node/serving.ts";
import { findOrFetchLibraries, whyNoJava } from "./libraries.ts";

const run = promisify(execFile);
/** The first run on a machine fetches the libraries. */
const TIMEOUT_MS = 600_000;
const TRANSPORTS = ["vertx", "okhttp"];
const STEPS = [
  "version and discovery",
  "create a Job and wait for its end",
  "logs",
  "watchLog of a container that runs",
  "a Job that fails",
  "watch",
  "informer",
  "lists in pieces, labels and fields",
  "server-side apply, its conflict, and force",
  "edit, scale and three kinds of patches",
  "an update of a stale object",
  "suspend and resume",
  "objects of a manifest, and generic ones",
  "CronJob, events and an access review",
  "leader election",
  "run",
  "exec, its output, input and status",
  "port-forward",
  "evict",
  "delete in the foreground, and wait",
  "delete collections",
];

const missing = whyNoJava();
if (missing !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${missing}`);
if (missing !== undefined) console.warn(`the test of fabric8's client is skipped: ${missing}`);

test.skipIf(missing !== undefined)(
  "each step of a program with fabric8's client works, with both transports",
  async () => {
    const libraries = await findOrFetchLibraries();
    const served = await startServe(["--runtime", "process", "--no-isolation"]);
    try {
      // A program this short gains nothing from the JVM's second compiler.
      const options = ["-XX:TieredStopAtLevel=1", "-cp", join(libraries, "*")];
      const program = join(import.meta.dirname, "fabric8-client.java");
      const { stdout } = await run("java", [...options, program, ...TRANSPORTS], {
        env: { PATH: process.env["PATH"], KUBECONFIG: served.kubeconfig, HOME: served.directory },
      });
      expect(stdout.trim().split("\n")).toEqual(
        TRANSPORTS.flatMap((transport) => STEPS.map((step) => `ok ${transport} ${step}`)),
      );
    } finally {
      await served.stop();
    }
  },
  TIMEOUT_MS,
);
