/**
 * A node for a real API server, and who puts pods on it: Stint's kubelet, whose pods are processes of this machine, and
 * its scheduler, in this process and over HTTP.
 */
import { Kubelet } from "../../../cluster/kubelet/kubelet.ts";
import { Scheduler } from "../../../cluster/scheduler/scheduler.ts";
import { RealClock } from "../../../host-node/clock.ts";
import { createProcessRuntime } from "../../../host-node/cli/process-runtime.ts";
import { nodeFor } from "../../../host-node/runtime/node.ts";
import { connect } from "../../../host-node/transport/connect.ts";
import { secureRandomNumbers } from "../../../host-node/embedded/secure-random.ts";

export interface Node {
  /** Ends all pods at once. */
  stop(): Promise<void>;
}

export interface NodeOptions {
  readonly kubeconfig: string;
  readonly gangScheduling: boolean;
}

/** @throws UsageError where bubblewrap is missing */
export function startNode({ kubeconfig, gangScheduling }: NodeOptions): Node {
  const clock = new RealClock();
  const isolation = { isolation: true, shareProcesses: false, network: false, visible: [], allowHostPath: true };
  const runtime = createProcessRuntime(isolation, "/");
  const connection = connect({ clock, kubeconfig, environment: {} });
  const shared = {
    transport: connection.transport,
    clock,
    random: secureRandomNumbers(),
    // 409 and 404 are normal when several clients write.
    onProblem: ({ status, message }: { readonly status: number; readonly message: string }): void => {
      if (status !== 409 && status !== 404) console.error(`note: ${message}`);
    },
  };
  const parts = [new Kubelet({ ...shared, ...nodeFor(runtime, false) }), new Scheduler({ ...shared, gangScheduling })];
  for (const part of parts) part.start();
  return {
    async stop() {
      for (const part of parts) part.stop();
      runtime.close();
      await connection.close();
      clock.stop();
    },
  };
}
