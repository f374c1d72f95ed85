/**
 * The API servers that are compared: the real one with etcd, and `stint serve` as it is built, without and with a data
 * folder.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { MAX_WATCHES } from "../../../../host-node/server/connection-limits.ts";
import { spawnStint } from "../../../host-node/serving.ts";
import { ADMIN, startControlPlane } from "../../control-plane.ts";
import { startKwok } from "../../kwok.ts";
import { usageOf } from "../../process-usage.ts";
import { BUNDLE } from "../../../host-node/serving.ts";
import { startUpstreamController } from "../../upstream-controller.ts";

export const NAMES = ["real", "stint", "kept"] as const;
export type Name = (typeof NAMES)[number];

export interface BenchServer {
  readonly url: string;
  /** PEM of the certificate. */
  readonly ca: string;
  readonly token: string;
  /** User and system time of every process of the server so far. */
  cpuSeconds(): number;
  residentBytes(): number;
  stop(): Promise<void>;
}

/** `api`: nothing acts on the objects. `cluster`: a Job controller, and a kubelet whose pods end at once. */
export type Form = "api" | "cluster";

export function startServer(name: Name, form: Form): Promise<BenchServer> {
  return name === "real" ? startReal(form) : startStint(form, name === "kept" ? ["--data-dir", "data"] : []);
}

async function startReal(form: Form): Promise<BenchServer> {
  const controlPlane = await startControlPlane();
  try {
    if (form === "cluster") {
      await startKwok(controlPlane);
      await startUpstreamController(controlPlane, { clientQps: -1 });
    }
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
  const pids = controlPlane.processes.running.map(({ pid }) => pid);
  return {
    url: controlPlane.url,
    ca: readFileSync(controlPlane.caFile, "utf8"),
    token: controlPlane.token(ADMIN),
    ...usageOfAll(pids),
    stop: () => controlPlane.stop(),
  };
}

async function startStint(form: Form, more: readonly string[]): Promise<BenchServer> {
  const directory = mkdtempSync(join(tmpdir(), "stint-bench-serve-"));
  const forms = { api: ["--api-only"], cluster: [] };
  const child = spawnStint(
    ["serve", "--max-watches", String(MAX_WATCHES), ...forms[form], ...more],
    directory,
    process.env,
    BUNDLE,
  );
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let output = "";
    const hear = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes("export KUBECONFIG")) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    void ended.then(() => reject(new Error(`stint serve ended: ${output}`)));
  });
  return {
    ...readKubeconfig(join(directory, "stint.kubeconfig")),
    ...usageOfAll([child.pid!]),
    async stop() {
      child.kill("SIGINT");
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}

function usageOfAll(pids: readonly number[]): Pick<BenchServer, "cpuSeconds" | "residentBytes"> {
  const sum = (of: (pid: number) => number): number => pids.reduce((total, pid) => total + of(pid), 0);
  return {
    cpuSeconds: () => sum((pid) => usageOf(pid).cpuSeconds),
    residentBytes: () => sum((pid) => usageOf(pid).residentBytes),
  };
}

function readKubeconfig(file: string): Pick<BenchServer, "url" | "ca" | "token"> {
  const { clusters, users } = parse(readFileSync(file, "utf8"));
  const { server, "certificate-authority-data": ca } = clusters[0].cluster;
  return { url: server, ca: Buffer.from(ca, "base64").toString(), token: users[0].user.token };
}
