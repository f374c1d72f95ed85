/**
 * Programs with the Python clients against `stint serve`: kubernetes, kubernetes_asyncio and kr8s. A program prints a
 * line for each of its steps. Without Go these tests are skipped as all in test/kubernetes/, although they need none;
 * they do need python3.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, startServe } from "../../host-node/serving.ts";
import { whyUnavailable } from "../binaries/binaries.ts";
import { pythonWithClients } from "./environment.ts";

const run = promisify(execFile);

const unavailable = whyUnavailable();
if (unavailable !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${unavailable}`);

describe.skipIf(unavailable)("Python against stint serve", () => {
  let python: string;
  let served: Served | undefined;

  beforeAll(async () => {
    python = await pythonWithClients();
    served = await startServe();
  });
  afterAll(() => served?.stop());

  test.each([
    ["kubernetes-client.py", 13],
    ["kubernetes-asyncio.py", 7],
    ["kr8s-client.py", 9],
  ])("each step of %s works", async (program, steps) => {
    const { stdout } = await run(python, [join(import.meta.dirname, program)], {
      env: { PATH: process.env["PATH"], KUBECONFIG: served!.kubeconfig, HOME: served!.directory },
    });
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(Array.from({ length: steps }, () => "ok"));
  });
});
