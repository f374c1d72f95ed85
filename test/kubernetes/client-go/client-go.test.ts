/**
 * Programs with client-go against `stint serve`: typed clients, informers, the metadata client, apply and leader
 * election, with client-go's default settings and with protobuf alone. The steps are in main.go.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, startServe } from "../../host-node/serving.ts";
import { whyUnavailable } from "../binaries/binaries.ts";

const run = promisify(execFile);
/** Of one client. */
const STEPS = 22;

const unavailable = whyUnavailable();
if (unavailable !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${unavailable}`);

describe.skipIf(unavailable)("client-go against stint serve", () => {
  let folder: string;
  let served: Served | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stint-client-go-"));
    await run("go", ["build", "-mod=readonly", "-o", join(folder, "client-go"), "."], { cwd: import.meta.dirname });
    served = await startServe();
  });
  afterAll(async () => {
    await served?.stop();
    rmSync(folder, { recursive: true });
  });

  test("each step works, with default settings and with protobuf alone", async () => {
    const { stdout } = await run(join(folder, "client-go"), [], { env: { KUBECONFIG: served!.kubeconfig } });
    const steps = stdout.trim().split("\n");
    expect(steps.filter((step) => step.startsWith("ok default: "))).toHaveLength(STEPS);
    expect(steps.filter((step) => step.startsWith("ok protobuf: "))).toHaveLength(STEPS);
  });
});
