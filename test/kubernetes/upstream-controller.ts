/**
 * Kubernetes' own Job controller against a real API server: kube-controller-manager with few of its controllers, as a
 * process that can be measured by its pid. Leaves out the measuring.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiClient } from "./api-client.ts";
import { type BinariesOptions, findOrBuild } from "./binaries/binaries.ts";
import { ADMIN, type ReachableServer, settings } from "./control-plane.ts";

const READY_TIMEOUT_MS = 60_000;

export interface UpstreamControllerOptions {
  /** Names of the controllers to run. Default: {@link JOB_CONTROLLERS}. */
  readonly controllers?: readonly string[];
  /**
   * Requests a second of its client, on average and at once. Default: upstream's, 20 and 30. A negative qps: no limit.
   */
  readonly clientQps?: number;
  readonly clientBurst?: number;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Flags beyond those, as `--node-monitor-period=1s`. */
  readonly flags?: readonly string[];
  /** User of the control plane that it works as. Default: the admin. */
  readonly user?: string;
  /** A kubeconfig other than the user's own: one that leads through a proxy. */
  readonly kubeconfig?: string;
  readonly binaries?: BinariesOptions;
}

/** What a Job needs from its creation to the removal of everything that it owned. */
export const JOB_CONTROLLERS = [
  "job-controller",
  "ttl-after-finished-controller",
  "garbage-collector-controller",
] as const;

export interface UpstreamController {
  /** Of kube-controller-manager itself, for /proc/PID. */
  readonly pid: number;
  /** Answers without credentials. */
  readonly metricsUrl: string;
  /** PEM file of the certificate that `metricsUrl` shows. */
  readonly caFile: string;
  /** What `metricsUrl` says now, in Prometheus' text format. */
  metrics(): Promise<string>;
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts it, without leader election. It ends with the control plane at the latest.
 * @throws Error as {@link startControlPlane} does
 */
export async function startUpstreamController(
  controlPlane: ReachableServer,
  options: UpstreamControllerOptions = {},
): Promise<UpstreamController> {
  const command = await findOrBuild("kube-controller-manager", options.binaries);
  const { processes } = controlPlane;
  const certificateFolder = processes.path("kube-controller-manager");
  const caFile = join(certificateFolder, "kube-controller-manager.crt");
  const get = async (port: number, path: string): Promise<{ status: number; body: string }> => {
    const client = new ApiClient({ url: `https://127.0.0.1:${port}`, ca: readFileSync(caFile, "utf8") });
    try {
      return await client.request<string>("GET", path);
    } finally {
      client.close();
    }
  };
  const kubeconfig = options.kubeconfig ?? controlPlane.kubeconfig(options.user ?? ADMIN);
  const { running, port } = await processes.startServer({
    name: "kube-controller-manager",
    command,
    args: (port) => [
      `--kubeconfig=${kubeconfig}`,
      `--controllers=${(options.controllers ?? JOB_CONTROLLERS).join(",")}`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--cert-dir=${certificateFolder}`,
      "--authorization-always-allow-paths=/healthz,/metrics",
      ...(options.clientQps === undefined ? [] : [`--kube-api-qps=${options.clientQps}`]),
      ...(options.clientBurst === undefined ? [] : [`--kube-api-burst=${options.clientBurst}`]),
      ...settings("feature-gates", options.featureGates),
      ...(options.flags ?? []),
    ],
    isReady: async (port) => (await get(port, "/healthz")).status === 200,
    readyTimeoutMs: READY_TIMEOUT_MS,
  });
  const metrics = async (): Promise<string> => {
    const { status, body } = await get(port, "/metrics");
    if (status !== 200)
      throw new Error(`the metrics of kube-controller-manager were refused with status ${status}: ${body}`);
    return body;
  };
  return {
    pid: running.pid,
    metricsUrl: `https://127.0.0.1:${port}/metrics`,
    caFile,
    metrics,
    log: running.log,
    stop: running.stop,
  };
}
