/**
 * A whole cluster in this process: the in-memory API server with its components, and the engine as its Job controller,
 * unless another controller runs the Jobs.
 *
 * Invariant: the API server's admission and the controller are two instances of the same engine module. So a trap in
 * the controller's instance loses no state of the API: the instance is replaced, and the new one lists everything
 * again. Leaves out where time comes from and what runs the containers; the caller decides both.
 */
import type { Decision, Engine } from "../../bindings/js/engine.ts";
import type { ApiRequest, Clock, Transport } from "../../bindings/js/host.ts";
import type { Recorder } from "../../bindings/js/recorder.ts";
import type { Conversations } from "../../cluster/apiserver/admission-plugins/pending-review.ts";
import type { ServerRequest } from "../../cluster/apiserver/contract/context.ts";
import { serveCustomResources } from "../../cluster/bootstrap/custom-resources.ts";
import type { ApiError } from "../../cluster/client/client.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import {
  ClusterComponents,
  type ComponentsOptions,
  type ControllerOptions,
  type NodeOptions,
} from "../../cluster/components.ts";
import type { KubeletOptions } from "../../cluster/kubelet/kubelet.ts";
import {
  apiResourcesOf,
  gangControllers,
  moreCollected,
  moreControllers,
  roleControllers,
  servingControllers,
} from "../../cluster/more-controllers.ts";
import { Preemption } from "../../cluster/preemption/preemption.ts";
import { ServiceNames, type ServiceName } from "../../cluster/service-names/service-names.ts";
import { ClaimGate } from "../../cluster/controllers/volume-controller/claim-gate.ts";
import { takeOverVolumes } from "../../cluster/controllers/volume-controller/take-over.ts";
import type { VolumeFolders } from "../../cluster/controllers/volume-controller/volume-folders.ts";
import { SERVED_KUBERNETES, type ServedVersion } from "../../cluster/values/kubernetes-versions.ts";
import { createEngine, JobController } from "../controller/job-controller.ts";
import { sourcesOf } from "../controller/sources.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { type Authenticate, createApi, type EmbeddedApi } from "./embedded-api.ts";
import { type EngineModule, loadEngineModule } from "../engine-module.ts";
import { secureRandomNumbers } from "./secure-random.ts";

export interface EmbeddedClusterOptions extends Pick<KubeletOptions, "onOutput" | "onUnsupported"> {
  readonly clock: Clock;
  /** Uniform in [0, 1); unpredictable numbers unless given. */
  readonly random?: () => number;
  /** Empty: nothing runs the pods. */
  readonly nodes: readonly NodeOptions[];
  /** As of {@link ComponentsOptions}. */
  readonly scheduler?: boolean | undefined;
  /** The scheduler checks only capacity, and not labels of nodes; off unless given. */
  readonly ignoresPlacement?: boolean | undefined;
  /** Nothing but the API: no component acts, and no Job controller. Off unless given. */
  readonly apiOnly?: boolean;
  /** False: Jobs stay as they are, until another controller acts on them through the API. On unless given. */
  readonly jobController?: boolean;
  /** Jobs get a Workload and a PodGroup, and the pods of gangs are scheduled together; off unless given. */
  readonly gangScheduling?: boolean;
  /** Requests are answered as this version of Kubernetes does, where it differs; 1.37 unless given. */
  readonly kubernetes?: ServedVersion;
  /** metadata.managedFields names the owner of each field, and server-side apply is served; off unless given. */
  readonly tracksFields?: boolean;
  /**
   * The cluster has what clients of a whole one expect: the plugins that review writes, the objects that a real API
   * server makes for itself, and further controllers; off unless given.
   */
  readonly servesClients?: boolean;
  /** The folders of volume data, in such a cluster; only names unless given. */
  readonly volumeFolders?: VolumeFolders | undefined;
  /** Gets all names that headless Services give to pods, after each change. */
  readonly onServiceNames?: (names: readonly ServiceName[]) => void;
  /** Roles and bindings limit all users but the components of this process; else users may do everything. */
  readonly rbac?: boolean;
  /** The user of a token, for reviews of tokens; none unless given. */
  readonly authenticate?: Authenticate;
  /** The folder that has stored the cluster, and stores it from now on; none unless given. */
  readonly data?: DataFolder | undefined;
  /** The engine's decisions, as it takes them. */
  readonly onDecisions?: (decisions: readonly Decision[]) => void;
  /** Records the inputs of the controller's engine. */
  readonly recorder?: Recorder | undefined;
  /** Reports a problem that was overcome, in one sentence. */
  readonly onProblem?: (problem: string) => void;
  /** The controller has ended permanently. */
  readonly onFatal: (error: Error) => void;
}

/** The options, with the defaults of those that several parts read. */
type Completed = EmbeddedClusterOptions &
  Required<Pick<EmbeddedClusterOptions, "random" | "jobController" | "gangScheduling" | "kubernetes">>;

export class EmbeddedCluster {
  readonly cluster: Cluster;
  /** The user of a token: one of the options' users, or a ServiceAccount of the cluster. */
  readonly authenticate: Authenticate;
  /** Carries requests that webhooks may have to review; `cluster.transport` does that itself. */
  readonly conversations: Conversations;
  readonly #hasCalls: () => boolean;
  readonly #hasScheduler: boolean;
  readonly #components: ClusterComponents | undefined;
  readonly #controller: JobController | undefined;

  private constructor(
    { cluster, authenticate, conversations, hasCalls }: EmbeddedApi,
    components: ClusterComponents | undefined,
    controller: JobController | undefined,
    hasScheduler: boolean,
  ) {
    this.cluster = cluster;
    this.authenticate = authenticate;
    this.conversations = conversations;
    this.#hasCalls = hasCalls;
    this.#hasScheduler = hasScheduler;
    this.#components = components;
    this.#controller = controller;
  }

  /** The API answers at once; everything else begins with `start`. @throws Error when there is no engine. */
  static async create(given: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
    const { random = secureRandomNumbers(), jobController = true, gangScheduling = false } = given;
    const { kubernetes = SERVED_KUBERNETES } = given;
    const options: Completed = { ...given, random, jobController, gangScheduling, kubernetes };
    const { clock, data, volumeFolders } = options;
    const engineModule = await loadEngineModule();
    const admissionEngine = await createEngine(engineModule);
    admissionEngine.configure({ kubernetes, gangScheduling });
    const api = apiOf(options, admissionEngine);
    const { cluster } = api;
    if (options.apiOnly) {
      const serveCustom = serveCustomResources({ cluster, clock, onChange: () => {} });
      data?.restoreTo(cluster, serveCustom);
      return new EmbeddedCluster(api, undefined, undefined, false);
    }
    const hasScheduler = options.scheduler ?? options.nodes.length > 0;
    const components = componentsOf(options, cluster, hasScheduler);
    const serveCustom = serveCustomResources({
      cluster,
      clock,
      onChange: (served) => components.collectCustom(apiResourcesOf(served)),
    });
    data?.restoreTo(cluster, serveCustom);
    if (data && volumeFolders) takeOverVolumes(cluster, volumeFolders);
    const controller = jobController ? await controllerOf(options, engineModule, cluster) : undefined;
    return new EmbeddedCluster(api, components, controller, hasScheduler);
  }

  /**
   * The controller's engine, for `explain` and `metrics`. A trap replaces it. @throws Error when this cluster was made
   * without a Job controller
   */
  get engine(): Engine {
    if (this.#controller === undefined) throw new Error("this cluster has no Job controller");
    return this.#controller.engine;
  }

  /** False: the Jobs are not run, or a client runs them. */
  get hasController(): boolean {
    return this.#controller !== undefined;
  }

  /** Work without a timer is under way: a webhook call, or the compilation of an engine. */
  get isWaiting(): boolean {
    return this.#hasCalls() || this.#controller?.isReplacing === true;
  }

  /**
   * The component ends and a new one replaces it. The new one knows nothing, and lists everything. @returns whether
   * there is such a component
   */
  crash(component: "controller" | "scheduler"): boolean {
    if (component === "controller") {
      this.#controller?.replaceEngine();
      return this.#controller !== undefined;
    }
    if (this.#hasScheduler) {
      this.#components?.stopScheduler();
      this.#components?.startScheduler();
    }
    return this.#hasScheduler;
  }

  /** The machine of a node is gone: nothing runs there any more, and the node does not report it. */
  loseNode(nodeName: string): void {
    this.#components?.stopKubelet(nodeName);
  }

  start(): void {
    this.#components?.start();
    this.#controller?.start();
  }

  /** Ends every container at once and stops all components. The API still answers. */
  stop(): void {
    this.#controller?.stop();
    this.#components?.stop();
  }
}

/** The API server, with the admission of `engine`. */
function apiOf(options: Completed, engine: Engine): EmbeddedApi {
  const { clock, random, data, gangScheduling, kubernetes } = options;
  const { tracksFields = false, servesClients = false, rbac = false } = options;
  const { authenticate = () => undefined } = options;
  return createApi({
    clock,
    random,
    gangScheduling,
    kubernetes,
    tracksFields,
    servesClients,
    rbac,
    authenticate,
    data,
    admission: (review) => engine.review(review),
  });
}

/** All components but the Job controller. */
function componentsOf(options: Completed, cluster: Cluster, hasScheduler: boolean): ClusterComponents {
  const { clock, random, nodes, scheduler, servesClients, onOutput, onUnsupported, onProblem } = options;
  const toldOf = (component: string, error: ApiError): void =>
    onProblem?.(`${component}: ${error.message} (status ${error.status}); it tries again`);
  const preemption =
    servesClients && hasScheduler
      ? new Preemption({
          transport: cluster.transport,
          clock,
          random,
          onProblem: (error) => toldOf("preemption", error),
        })
      : undefined;
  return new ClusterComponents({
    cluster,
    clock,
    random,
    nodes,
    moreCollected: moreCollected(cluster.kubernetes),
    moreControllers: moreControllersOf(options, preemption),
    ...(scheduler === undefined ? {} : { scheduler }),
    placing: {
      ...(options.ignoresPlacement && { ignoresPlacement: true }),
      ...(servesClients && { heldBack: new ClaimGate(cluster, clock).heldBack }),
      ...(preemption && { chooseNode: preemption.chooseNode }),
    },
    ...(onOutput === undefined ? {} : { onOutput }),
    ...(onUnsupported === undefined ? {} : { onUnsupported }),
    onProblem: toldOf,
  });
}

/** The controllers beside those that every cluster has, by name. */
function moreControllersOf(
  { jobController, servesClients, volumeFolders, rbac, gangScheduling, onServiceNames }: Completed,
  preemption: Preemption | undefined,
): Required<ComponentsOptions>["moreControllers"] {
  return {
    ...(preemption && { preemption: () => preemption }),
    ...(jobController ? { ...moreControllers, ...(servesClients ? servingControllers(volumeFolders) : {}) } : {}),
    ...(rbac ? roleControllers : {}),
    ...(gangScheduling && servesClients ? gangControllers : {}),
    ...(onServiceNames && {
      "names of services": (options: ControllerOptions) => new ServiceNames(options, onServiceNames),
    }),
  };
}

function controllerOf(options: Completed, engineModule: EngineModule, cluster: Cluster): Promise<JobController> {
  const { clock, random, gangScheduling, recorder, onDecisions, onProblem, onFatal } = options;
  return JobController.create({
    engineModule,
    clock,
    random,
    recorder,
    onFatal,
    transport: withoutOwners(cluster.transport),
    sources: sourcesOf({ namespaces: [], allPods: true, gangScheduling }),
    configuration: { instance: "stint", gangScheduling },
    // The name under which upstream's Job controller manages fields.
    userAgent: "kube-controller-manager",
    ...(onDecisions === undefined ? {} : { onDecisions }),
    ...(onProblem === undefined ? {} : { onProblem }),
  });
}

/** The engine has no use for the owners of fields, as upstream's controller has none. */
function withoutOwners({ send, stream }: Transport): Transport {
  const omitting = (request: ApiRequest): ServerRequest => ({ ...request, omitsOwners: true });
  return {
    send: (request, done) => send(omitting(request), done),
    stream: (request, sink) => stream(omitting(request), sink),
  };
}
