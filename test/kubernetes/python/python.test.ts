/**
 * Programs with the Python clients against `stint serve`: kubernetes, kubernetes_asyncio, kr8s and lightkube; an
 * operator with kopf; and pipelines with dagster-k8s, whose client is an earlier kubernetes. A program prints a line
 * for each of its steps. Without Go these tests are skipped as all in test/kubernetes/, although they need none;
 * they do need python3.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBubblewrap } from "../../host-node/runtime/bubblewrap-here.ts";
import { type Served, startServe } from "../../host-node/serving.ts";
import { whyUnavailable } from "../binaries/binaries.ts";
import { pythonWith } from "./environment.ts";

const run = promisify(execFile);

const unavailable = whyUnavailable();
if (unavailable !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${unavailable}`);

/** Each with the number of its steps. */
type Programs = [program: string, steps: number][];

const processes = ["--runtime", "process", ...(hasBubblewrap ? [] : ["--no-isolation"])];

describe.skipIf(unavailable).each<{ server: string; options: string[]; packages?: string; programs: Programs }>([
  {
    server: "stint serve",
    options: [],
    programs: [
      ["kubernetes-client.py", 13],
      ["kubernetes-asyncio.py", 7],
      ["kr8s-client.py", 9],
      ["lightkube-client.py", 14],
      ["kopf-operator.py", 7],
    ],
  },
  {
    server: "stint serve --runtime process",
    options: processes,
    programs: [["kubernetes-streams.py", 9]],
  },
  {
    server: "stint serve --runtime process, with dagster-k8s",
    options: processes,
    packages: "requirements-dagster.txt",
    programs: [
      ["dagster-jobs.py", 2],
      ["kubernetes-streams.py", 9],
    ],
  },
])("Python against $server", ({ options, packages = "requirements.txt", programs }) => {
  let python: string;
  let served: Served | undefined;

  beforeAll(async () => {
    python = await pythonWith(packages);
    served = await startServe(options);
  });
  afterAll(() => served?.stop());

  test.each(programs)("each step of %s works", async (program, steps) => {
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
