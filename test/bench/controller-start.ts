/**
 * `stint controller` beside an API server without Jobs: from the start of its process until it has listed everything,
 * and its memory then; again after its metrics were read once, which loads what measures the process. The baseline is
 * Node itself, which does nothing.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { BUNDLE } from "../host-node/serving.ts";
import type { Bench } from "./measure.ts";
import { median, NODE, residentBytes } from "./processes.ts";

const AIM_MICROS = 200_000;
/** 0.85 of upstream's controller-manager with nothing but the Job controller, on the machine where it had 74 MB. */
const AIM_BYTES = 63_000_000;
const POLL_MS = 2;

export function controllerStartBenches(isQuick: boolean): Bench[] {
  const starts = isQuick ? 3 : 15;
  const benches: Bench[] = [
    {
      title: "stint controller, from its start until it has listed",
      unit: { kind: "long", per: "start" },
      contenders: () => [
        { name: "stint controller", run: () => controllers(starts, ({ micros }) => micros) },
        {
          name: "node alone",
          run: () =>
            median(
              starts,
              () => NODE,
              (_child, micros) => micros,
            ),
        },
        { name: "aim", amount: AIM_MICROS },
      ],
    },
  ];
  // Only Linux says it of another process.
  if (existsSync("/proc/self/status"))
    benches.push({
      title: "stint controller, its memory when it has listed",
      unit: { kind: "bytes", per: "controller" },
      contenders: () => [
        { name: "stint controller", run: () => controllers(1, ({ child }) => residentBytes(child)) },
        { name: "after metrics were read", run: () => controllers(1, memoryAfterMetrics) },
        { name: "node alone", run: () => median(1, () => NODE, residentBytes) },
        { name: "aim", amount: AIM_BYTES },
      ],
    });
  return benches;
}

interface Listed {
  readonly child: ChildProcess;
  /** Where it serves its own pages. */
  readonly url: string;
  readonly micros: number;
}

async function memoryAfterMetrics({ child, url }: Listed): Promise<number> {
  await (await fetch(`${url}/metrics`)).text();
  return residentBytes(child);
}

/** The median of what is measured of controllers that have just listed, one after another. */
async function controllers(starts: number, measure: (listed: Listed) => number | Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "stint-bench-"));
  const kubeconfig = join(folder, "config");
  const serve = [BUNDLE, "serve", "--api-only", "--until-stdin-closes", "--kubeconfig", kubeconfig];
  const server = spawn(process.execPath, serve, { stdio: ["pipe", "pipe", "inherit"] });
  await once(server.stdout, "data");
  const amounts: number[] = [];
  for (let i = 0; i < starts; i++) amounts.push(await ofController(kubeconfig, measure));
  server.stdin.end();
  await once(server, "close");
  rmSync(folder, { recursive: true });
  return amounts.toSorted((a, b) => a - b)[starts >> 1]!;
}

async function ofController(
  kubeconfig: string,
  measure: (listed: Listed) => number | Promise<number>,
): Promise<number> {
  const args = [BUNDLE, "controller", "--kubeconfig", kubeconfig, "--leader-elect=false", "--listen", "127.0.0.1:0"];
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const url = await urlOf(child);
    while (!(await isReady(url))) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    return await measure({ child, url, micros: (performance.now() - began) * 1000 });
  } finally {
    child.stdout.resume();
    child.kill();
    await once(child, "close");
  }
}

/** Where it serves its pages, as its log says. @throws Error when it ends before */
async function urlOf({ stdout }: { readonly stdout: Readable }): Promise<string> {
  for await (const line of createInterface(stdout)) {
    const { url } = JSON.parse(line) as { readonly url?: string };
    // What it says later is dropped.
    if (url !== undefined) return url;
  }
  throw new Error("stint controller ended before it served its pages");
}

/** An address that does not answer yet is not ready. */
async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
}
