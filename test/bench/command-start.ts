/**
 * Commands that a person waits for, from the start of their process to its end: `stint why JOB` beside a server that
 * has nothing else to do, and `stint lint FILE`. Beside them are their parts: Node itself, what every command loads,
 * and the compilation of the engine; and the same without compiled code from an earlier start.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { modulePath } from "../../scripts/build-engine.ts";
import { BUNDLE, startServe } from "../host-node/serving.ts";
import { clientOf } from "../kubernetes/clients/programs.ts";
import type { Bench, Contender } from "./measure.ts";

const MANIFEST = resolve(import.meta.dirname, "../../examples/pi.yaml");
const AIM_WHY_MICROS = 400_000;
const AIM_LINT_MICROS = 150_000;
const JOBS_PATH = "/apis/batch/v1/namespaces/default/jobs";
const FAILING_JOB = {
  metadata: { name: "fails" },
  spec: {
    backoffLimit: 0,
    template: {
      metadata: { annotations: { "stint.dev/simulate": '{"exitCode": 1, "logs": ["no such table"]}' } },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] },
    },
  },
};

export function commandStartBenches(isQuick: boolean): Bench[] {
  const starts = isQuick ? 3 : 15;
  return [
    {
      title: "stint why JOB, from its start to its end",
      unit: { kind: "long", per: "command" },
      contenders: () => [
        { name: "stint why", run: () => whyMicros(starts, {}) },
        { name: "aim", amount: AIM_WHY_MICROS },
        { name: "without compiled code", run: () => whyMicros(starts, { NODE_DISABLE_COMPILE_CACHE: "1" }) },
        ...parts(starts),
      ],
    },
    {
      title: "stint lint FILE, from its start to its end",
      unit: { kind: "long", per: "command" },
      contenders: () => [
        { name: "stint lint", run: () => lintMicros(starts, {}) },
        { name: "aim", amount: AIM_LINT_MICROS },
        { name: "without compiled code", run: () => lintMicros(starts, { NODE_DISABLE_COMPILE_CACHE: "1" }) },
        ...parts(starts),
      ],
    },
  ];
}

/** What each of them does before it does its own. */
function parts(starts: number): Contender[] {
  return [
    { name: "node alone", run: () => inFolder((folder) => micros(starts, ["--eval", "0"], folder, {})) },
    { name: "stint --version", run: () => inFolder((folder) => micros(starts, [BUNDLE, "--version"], folder, {})) },
    { name: "compile of the engine", run: () => compileMicros(starts) },
  ];
}

async function whyMicros(starts: number, environment: NodeJS.ProcessEnv): Promise<number> {
  const served = await startServe(["--clock", "virtual", "--control"]);
  try {
    const client = clientOf(served);
    await client.succeed("POST", JOBS_PATH, FAILING_JOB);
    await client.succeed("POST", "/control/v1/until-idle", {});
    const command = [BUNDLE, "why", "fails", "--kubeconfig", served.kubeconfig];
    return await micros(starts, command, served.directory, environment);
  } finally {
    await served.stop();
  }
}

function lintMicros(starts: number, environment: NodeJS.ProcessEnv): Promise<number> {
  return inFolder((folder) => {
    copyFileSync(MANIFEST, join(folder, "job.yaml"));
    return micros(starts, [BUNDLE, "lint", "job.yaml"], folder, environment);
  });
}

async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "stint-bench-"));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The median of processes that run to their end. One more comes before them, whose compiled code they find. */
async function micros(
  starts: number,
  args: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i <= starts; i++) {
    const began = performance.now();
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, "caches"), ...environment };
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
    const [status] = (await once(child, "close")) as [number | null];
    if (status !== 0 && status !== 1) throw new Error(`${args.join(" ")} ended with status ${status}`);
    if (i > 0) times.push((performance.now() - began) * 1000);
  }
  return middle(times);
}

/** As a command does it, in this process. */
async function compileMicros(times: number): Promise<number> {
  const bytes = readFileSync(modulePath("engine"));
  const taken: number[] = [];
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    await WebAssembly.compile(bytes);
    taken.push((performance.now() - began) * 1000);
  }
  return middle(taken);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
