/** Kubernetes' own scheduler, as a process: it binds pods of every API server that it can list from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiClient } from "./api-client.ts";
import { findOrBuild } from "./binaries/binaries.ts";
import { ADMIN, type ReachableServer } from "./control-plane.ts";

const READY_TIMEOUT_MS = 60_000;

/**
 * Starts it with leader election, and waits until it leads and has listed all that it watches. It ends with the
 * processes of the server at the latest.
 *
 * @throws Error as {@link startControlPlane} does, with what it still waits for
 */
export async function startUpstreamScheduler({ processes, kubeconfig }: ReachableServer): Promise<void> {
  const command = await findOrBuild("kube-scheduler");
  const certificateFolder = processes.path("kube-scheduler");
  const isReady = async (port: number): Promise<boolean> => {
    const ca = readFileSync(join(certificateFolder, "kube-scheduler.crt"), "utf8");
    const client = new ApiClient({ url: `https://127.0.0.1:${port}`, ca });
    try {
      return (await client.request("GET", "/readyz")).status === 200;
    } finally {
      client.close();
    }
  };
  await processes.startServer({
    name: "kube-scheduler",
    command,
    args: (port) => [
      `--kubeconfig=${kubeconfig(ADMIN)}`,
      "--leader-elect=true",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--cert-dir=${certificateFolder}`,
      "--authorization-always-allow-paths=/readyz",
    ],
    isReady,
    readyTimeoutMs: READY_TIMEOUT_MS,
  });
}
