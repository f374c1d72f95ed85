/**
 * `stint controller` in the form of deploy/controller/overlays/single-namespace: one namespace, no election, no port.
 * Leaves out the measuring.
 */
import type { ControlPlane } from "../control-plane.ts";
import type { Running } from "../processes.ts";
import { BUNDLE } from "../../host-node/serving.ts";
import { deployedContainer } from "./deployed.ts";

const NAMESPACE = "default";
const READY_TIMEOUT_MS = 60_000;
/** What it logs once it may act. */
const ACTS = '"msg":"acts without an election"';

/** spec.managedBy of the Jobs that it runs. */
export const SIDECAR_MANAGER = "stint.dev/job-controller";

/**
 * It ends with the control plane. `isAsDeployed`: with the environment of the manifest, which tunes Node's memory; else
 * with Node's own settings.
 * @throws Error when it does not start, with the end of its log
 */
export async function startSidecar(
  controlPlane: ControlPlane,
  { isAsDeployed }: { readonly isAsDeployed: boolean },
): Promise<Running> {
  const { args, env } = deployedContainer("overlays/single-namespace/stateful-set.yaml");
  const given = args.map((arg) => arg.replace("$(NAMESPACE)", NAMESPACE));
  const { running } = await controlPlane.processes.startServer({
    name: "stint-sidecar",
    command: process.execPath,
    args: () => [BUNDLE, ...given, `--kubeconfig=${controlPlane.kubeconfig()}`],
    env: isAsDeployed ? env : {},
    isReady: async (_port, { log }) => log().includes(ACTS),
    readyTimeoutMs: READY_TIMEOUT_MS,
  });
  return running;
}
