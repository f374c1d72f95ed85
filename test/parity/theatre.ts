/**
 * Where scenarios are played: one real API server, both controllers, and what they share.
 *
 * Both controllers run on one API server, each in separate namespaces, and both as the default controller: neither Jobs
 * nor pods differ in anything, as they would if Stint were distinguished by managedBy (which would change the
 * finalizer, and would leave Stint's finished Jobs to upstream's TTL controller). A flag limits Stint to its
 * namespaces. kube-controller-manager has no such flag, so it works through a gate (gate.ts) that hides Stint's
 * namespaces from it; a role would not do, for it would try and fail for ever. The gate hides them from its garbage
 * collector too, so that one runs in a separate process, which serves all, with the namespace and quota controllers:
 * they are part of the cluster, not of what is compared. Pods are bound by the scheduler of cluster/ and run by one
 * kubelet of cluster/ over HTTP.
 */
import { ApiClient as ComponentClient } from "../../cluster/client/client.ts";
import { Kubelet } from "../../cluster/kubelet/kubelet.ts";
import { SimulatedRuntime } from "../../cluster/kubelet/simulated-runtime.ts";
import { Scheduler } from "../../cluster/scheduler/scheduler.ts";
import { type KubernetesVersion, SERVED_KUBERNETES } from "../../cluster/values/kubernetes-versions.ts";
import { RealClock } from "../../host-node/clock.ts";
import { Credentials } from "../../host-node/transport/credentials.ts";
import { HttpTransport } from "../../host-node/transport/http-transport.ts";
import type { Controller, Line } from "../history/format.ts";
import type { ApiClient } from "../kubernetes/api-client.ts";
import { ADMIN, type ControlPlane, kubeconfigText, startControlPlane } from "../kubernetes/control-plane.ts";
import { type HistoryRecorder, recordHistory } from "../kubernetes/history-recorder.ts";
import { startStintController } from "../kubernetes/stint-controller.ts";
import { startUpstreamController } from "../kubernetes/upstream-controller.ts";
import { hasGangs } from "./by-version.ts";
import type { Gate } from "./gate.ts";
import { startGateThread } from "./gate-thread.ts";
import { Observer } from "./observer.ts";
import type { HeldWrites, Scenario } from "./scenario.ts";

export const SIDES = ["upstream", "stint"] as const;
export type Side = (typeof SIDES)[number];

const NODE = "parity-node";
/**
 * Each controller process is a separate user, by which the history tells them apart. A takeover starts two, and some
 * serve all scenarios.
 */
const MAX_CONTROLLERS = 256;
const USERS = Array.from({ length: MAX_CONTROLLERS }, (_none, at) => ({
  name: `controller-${at + 1}`,
  groups: ["system:masters"],
}));
const REQUEST_TIMEOUT_MS = 30_000;
/** Of the kubelet, the scheduler and the observer together. */
const MAX_CONNECTIONS = 32;
const IDLE_TIMEOUT_MS = 10 * 60_000;
const GANG_GATES = { GenericWorkload: true, WorkloadWithJob: true };
const GANG_API = { featureGates: GANG_GATES, runtimeConfig: { "scheduling.k8s.io/v1beta1": true } };

/** A controller process that can be killed. */
export interface RunningController {
  readonly pid: number;
  log(): string;
  /** SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly namespaces: readonly string[];
  /** Every namespace that there is for scenarios: upstream's controller sees all but those that are not its own. */
  readonly all: readonly string[];
  readonly isGang?: boolean;
  /** Stint sees pods without the label of Job pods too. */
  readonly watchesAllPods?: boolean;
  readonly hold?: HeldWrites;
}

export interface TheatreOptions {
  /** Of the API server and of upstream's controllers. Default: the newest. */
  readonly kubernetes?: KubernetesVersion;
  readonly scenarios: readonly Scenario[];
  /** How often each controller plays a scenario at the same time. Default: 1. */
  readonly takes?: number;
  /** What the API server sees is written down, for {@link Theatre.history}. Default: true. */
  readonly recordsHistory?: boolean;
  /** Of `stint controller`, beside those that the theatre gives. */
  readonly stintFlags?: readonly string[];
  /** What went wrong and was got over. */
  readonly onProblem: (problem: string) => void;
}

/**
 * The namespace of a run. Those of a takeover belong to no controller but the two that it starts.
 * @param take of several at the same time, from 0
 */
export function namespaceOf(scenario: Scenario, side: Side, take = 0): string {
  const suffix = take === 0 ? side : `${side}-${take + 1}`;
  if (scenario.ownNamespace || (scenario.takeover !== undefined && side === "stint"))
    return `parity-${scenario.name}-${suffix}`;
  return `parity-${scenario.gang ? "gang-" : ""}${hasOwnSelector(scenario) ? "selectors-" : ""}${suffix}`;
}

/**
 * Its pods lack the label by which Stint watches pods: only a controller that watches all pods sees them.
 */
const hasOwnSelector = ({ job }: Scenario): boolean => job["manualSelector"] === true;

export class Theatre {
  readonly controlPlane: ControlPlane;
  readonly kubernetes: KubernetesVersion;
  readonly client: ApiClient;
  readonly clock: RealClock;
  readonly observer: Observer;
  readonly #transport: HttpTransport;
  readonly #parts: readonly { start(): void; stop(): void }[];
  readonly #gates: Gate[] = [];
  readonly #controllers: Controller[] = [];
  readonly #stintFlags: readonly string[];
  #recorder: HistoryRecorder | undefined;

  private constructor(
    controlPlane: ControlPlane,
    { onProblem, stintFlags = [], kubernetes = SERVED_KUBERNETES }: TheatreOptions,
  ) {
    this.kubernetes = kubernetes;
    this.#stintFlags = stintFlags;
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    const clock = new RealClock();
    this.clock = clock;
    const credentials = Credentials.load({
      kubeconfig: controlPlane.kubeconfig(ADMIN),
      environment: {},
      context: undefined,
    });
    const transport = new HttpTransport({
      credentials,
      clock,
      maxConnections: MAX_CONNECTIONS,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      onProblem,
    });
    this.#transport = transport;
    this.observer = new Observer(new ComponentClient(transport, { userAgent: "observer" }), clock, onProblem);
    const shared = { transport, clock, random: Math.random, recordsEvents: false };
    const runtime = new SimulatedRuntime({ clock, random: Math.random });
    // 409 is normal when several clients write.
    const report = (component: string) => ({
      onProblem: ({ status, message }: { status: number; message: string }) =>
        status === 409 ? undefined : onProblem(`${component}: ${message}`),
    });
    const kubelet = new Kubelet({
      ...shared,
      ...report("kubelet"),
      runtime,
      nodeName: NODE,
      capacity: { cpu: "1000", memory: "1000Gi", pods: "10000" },
    });
    const scheduler = new Scheduler({ ...shared, ...report("scheduler"), gangScheduling: hasGangs(kubernetes) });
    this.#parts = [this.observer, kubelet, scheduler];
  }

  /** Starts what the scenarios need. @throws Error when a part does not start; nothing is left running then */
  static async open(options: TheatreOptions): Promise<Theatre> {
    const { kubernetes = SERVED_KUBERNETES } = options;
    const controlPlane = await startControlPlane({
      binaries: { kubernetes },
      ...(options.recordsHistory === false ? {} : { audit: "objects" }),
      users: USERS,
      ...(hasGangs(kubernetes) ? GANG_API : {}),
    });
    const theatre = new Theatre(controlPlane, options);
    try {
      await theatre.#start(options);
      return theatre;
    } catch (error) {
      await theatre.close();
      throw error;
    }
  }

  async #start({ scenarios, takes = 1, recordsHistory = true }: TheatreOptions): Promise<void> {
    if (recordsHistory) this.#recorder = await recordHistory(this.controlPlane);
    for (const part of this.#parts) part.start();
    await this.#readyNode();
    const namespacesOf = (scenario: Scenario, side: Side): string[] =>
      Array.from({ length: takes }, (_none, take) => namespaceOf(scenario, side, take));
    const namespaces = new Set(scenarios.flatMap((scenario) => SIDES.flatMap((side) => namespacesOf(scenario, side))));
    for (const name of namespaces) await this.client.succeed("POST", "/api/v1/namespaces", { metadata: { name } });
    await startUpstreamController(this.controlPlane, {
      binaries: { kubernetes: this.kubernetes },
      controllers: ["garbage-collector-controller", "namespace-controller", "resourcequota-controller"],
      clientQps: -1,
    });
    for (const isGang of [false, true]) {
      const ours = scenarios.filter(({ gang = false }) => gang === isGang);
      if (ours.length === 0) continue;
      const own = (some: readonly Scenario[], side: Side): string[] => [
        ...new Set(
          some
            .filter(({ takeover }) => takeover === undefined || side === "upstream")
            .flatMap((scenario) => namespacesOf(scenario, side)),
        ),
      ];
      // Without any, Stint would act in all; takeovers start separate controllers.
      if (own(ours, "upstream").length > 0)
        await this.startController("upstream", { namespaces: own(ours, "upstream"), all: [...namespaces], isGang });
      for (const watchesAllPods of [false, true]) {
        const mine = own(
          ours.filter((scenario) => hasOwnSelector(scenario) === watchesAllPods),
          "stint",
        );
        if (mine.length > 0)
          await this.startController("stint", { namespaces: mine, all: [...namespaces], isGang, watchesAllPods });
      }
    }
  }

  /** Admission taints a new node, and no one here would ever take that away. */
  async #readyNode(): Promise<void> {
    const path = "/api/v1/nodes";
    await this.client.waitFor<{ metadata: { name: string } }>(path, ({ metadata }) => metadata.name === NODE);
    await this.client.succeed("PATCH", `${path}/${NODE}`, { spec: { taints: null } });
  }

  /**
   * Starts a controller for namespaces.
   *
   * @returns with the gate that it works through, if it has one
   */
  async startController(
    side: Side,
    { namespaces, all, isGang = false, watchesAllPods = false, hold }: StartOptions,
  ): Promise<RunningController & { readonly gate: Gate | undefined }> {
    const others = all.filter((name) => !namespaces.includes(name));
    const fieldSelector =
      side === "upstream" ? others.map((name) => `metadata.namespace!=${name}`).join(",") : undefined;
    const { url, caFile, token } = this.controlPlane;
    const { name: user } = USERS[this.#controllers.length]!;
    this.#controllers.push({ user, program: side });
    const gate =
      fieldSelector === undefined && hold === undefined
        ? undefined
        : await startGateThread({
            url,
            caFile,
            token: token(user),
            ...(fieldSelector ? { fieldSelector } : {}),
            ...(hold === undefined ? {} : { hold }),
          });
    if (gate !== undefined) this.#gates.push(gate);
    const access = gate === undefined ? { user } : { kubeconfig: this.#kubeconfigFor(gate) };
    const controller =
      side === "upstream"
        ? await startUpstreamController(this.controlPlane, {
            binaries: { kubernetes: this.kubernetes },
            controllers: ["job-controller", "ttl-after-finished-controller"],
            clientQps: -1,
            ...access,
            ...(isGang ? { featureGates: GANG_GATES } : {}),
          })
        : await startStintController(this.controlPlane, {
            ...access,
            flags: [
              "--default-controller",
              "--leader-elect=false",
              ...(watchesAllPods ? ["--manual-selectors"] : []),
              `--namespaces=${namespaces.join(",")}`,
              ...this.#stintFlags,
              ...(isGang ? ["--feature-gates=WorkloadWithJob=true"] : []),
            ],
          });
    const { pid, log } = controller;
    const stop = async (): Promise<void> => {
      await controller.stop();
      await gate?.stop();
    };
    const kill = (): Promise<void> => {
      process.kill(pid, "SIGKILL");
      return stop();
    };
    return { pid, log, stop, kill, gate };
  }

  #kubeconfigFor({ url }: Gate): string {
    return this.controlPlane.processes.write(
      `gate-${this.#gates.length}.kubeconfig`,
      kubeconfigText({ server: url, user: "gate" }),
    );
  }

  /**
   * What the server has seen so far, for test/history/. May be asked for once. @throws Error when the audit log is
   * incomplete
   */
  history(): Promise<Line[]> {
    return this.#recorder!.finish(this.#controllers);
  }

  async close(): Promise<void> {
    for (const part of this.#parts.toReversed()) part.stop();
    await this.controlPlane.stop();
    await Promise.all(this.#gates.map((gate) => gate.stop()));
    await this.#transport.close();
    this.client.close();
    this.clock.stop();
  }
}
