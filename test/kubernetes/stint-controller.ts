/**
 * `stint controller` against a real API server: the bundle that is shipped, as a process that can be measured by its
 * pid.
 */
import { BUNDLE } from "../host-node/serving.ts";
import { ADMIN, type ControlPlane } from "./control-plane.ts";
import type { Running } from "./processes.ts";

const READY_TIMEOUT_MS = 60_000;

export interface StintControllerOptions {
  /** Flags of `stint controller` beside the ones for credentials and address. */
  readonly flags?: readonly string[];
  /** User of the control plane that it works as. Default: the admin. */
  readonly user?: string;
  /** A kubeconfig other than the user's own: one that leads through a proxy. */
  readonly kubeconfig?: string;
  /** Variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** It may write no file, as in an image whose root file system is read-only. */
  readonly isReadOnly?: boolean;
}

export interface StintController {
  readonly running: Running;
  readonly pid: number;
  /** `http://127.0.0.1:PORT`, of its metrics, health and explanations. */
  readonly url: string;
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts it and waits until it answers about its health; it may still wait to lead. It ends with the control plane at
 * the latest.
 *
 * @throws Error when it does not start, with the end of its log
 */
export async function startStintController(
  controlPlane: ControlPlane,
  options: StintControllerOptions = {},
): Promise<StintController> {
  const kubeconfig = options.kubeconfig ?? controlPlane.kubeconfig(options.user ?? ADMIN);
  const { running, port } = await controlPlane.processes.startServer({
    name: "stint-controller",
    command: process.execPath,
    args: (port) => [
      ...(options.isReadOnly === true ? ["--permission", "--allow-fs-read=*"] : []),
      BUNDLE,
      "controller",
      `--kubeconfig=${kubeconfig}`,
      `--listen=127.0.0.1:${port}`,
      ...(options.flags ?? []),
    ],
    ...(options.env === undefined ? {} : { env: options.env }),
    isReady: async (port) => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok,
    readyTimeoutMs: READY_TIMEOUT_MS,
  });
  return { running, pid: running.pid, url: `http://127.0.0.1:${port}`, log: running.log, stop: running.stop };
}

/** What it says of a Job, as text; of one that it does not know, or when it does not answer, why. */
export async function explanationOf(
  { url }: Pick<StintController, "url">,
  namespace: string,
  name: string,
): Promise<string> {
  const response = await fetch(`${url}/debug/jobs/${namespace}/${name}`);
  return response.text();
}

/** Whether this replica holds the Lease, as its metrics say. @throws Error when it does not answer */
export async function isLeading({ url }: StintController): Promise<boolean> {
  const response = await fetch(`${url}/metrics`);
  return /^leader_election_master_status\{.*\} 1$/m.test(await response.text());
}
