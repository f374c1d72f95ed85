/**
 * An in-memory Kubernetes with only the parts that it is given: the API server and its entry points. Kubelets, the
 * scheduler and the garbage collector are ordinary clients of it. The creator of a cluster starts the ones it needs.
 *
 * Leaves out the defaults of a cluster that anybody may ask (cluster.ts), so that the playground does not load them.
 */
import type { ApiResponse, Clock } from "../bindings/js/host.ts";
import {
  type AdmissionPlugins,
  type Authorize,
  type ClientSupport,
  defaultLimits,
  type FieldOwners,
  type Limits,
  type Quotas,
  type ResourceDefinition,
  type ServerContext,
  type ServerRequest,
} from "./apiserver/contract/context.ts";
import type { KubeletApi } from "./apiserver/contract/kubelet-api.ts";
import { ApiServer, type ObservedWrite, type StreamingResponse } from "./apiserver/server.ts";
import { inMemoryTransport, type LocalTransport } from "./client/in-memory-transport.ts";
import { SERVED_KUBERNETES, type ServedVersion } from "./values/kubernetes-versions.ts";
import type { UnknownFields } from "./apiserver/schema/new-fields.ts";
import type { Admission } from "./values/types.ts";

/** Starts to keep the status of quotas: startQuotas of apiserver/quota/quotas.ts. */
export type StartQuotas = (server: ServerContext) => Quotas;

export interface BareClusterOptions {
  readonly clock: Clock;
  /** [0, 1). The source of uids and generated names. */
  readonly random: () => number;
  /** Defaults and validates Jobs and Pods: the engine's review. */
  readonly admission: Admission;
  /** New pods get the service account `default`. On by default. */
  readonly assignsServiceAccount?: boolean;
  /**
   * Pods may name their PodGroup, and Jobs ask for a gang. Off by default. With it, `moreResources` has those of
   * apiserver/registry/gang-resources.ts.
   */
  readonly gangScheduling?: boolean;
  /**
   * Requests are answered as this version of Kubernetes does, where it differs; 1.37 unless given. `admission` has to
   * review as the same version.
   */
  readonly kubernetes?: ServedVersion | undefined;
  /** Fields that this version does not know: `unknownFields` of apiserver/schema/new-fields.ts. None unless given. */
  readonly unknownFields?: UnknownFields | undefined;
  /** Resources beyond those of every cluster: `moreResources` of apiserver/registry/more-resources.ts. */
  readonly moreResources?: readonly ResourceDefinition[];
  readonly limits?: Partial<Limits>;
  /** Undefined: ResourceQuotas are refused, until useQuotas is called. */
  readonly quotas?: StartQuotas | undefined;
  /** Undefined: no discovery of groups, no OpenAPI, no Tables and no logs. */
  readonly clientSupport?: ClientSupport | undefined;
  /**
   * Tracks field ownership, and serves server-side apply: `trackFields`. Default: no tracking, which takes less time
   * and memory.
   */
  readonly fieldOwners?: FieldOwners | undefined;
  /** Reviews each write: `chain` of apiserver/admission-plugins/chain.ts. Default: no review. */
  readonly plugins?: AdmissionPlugins | undefined;
  /** Whether a user may do what a request asks for: `authorizeBy` of apiserver/access/. Default: yes. */
  readonly authorize?: Authorize | undefined;
  /** Wraps the transport, for requests that have to wait: `reviewedTransport`. */
  readonly wrapTransport?: ((transport: LocalTransport, cluster: BareCluster) => LocalTransport) | undefined;
}

/** An API server, and its transport for this process. */
export class BareCluster {
  /** The transport for this process. Each callback comes through the clock's defer. */
  readonly transport: LocalTransport;
  readonly gangScheduling: boolean;
  readonly kubernetes: ServedVersion;
  readonly #apiServer: ApiServer;

  constructor({
    clock,
    random,
    admission,
    assignsServiceAccount = true,
    gangScheduling = false,
    kubernetes = SERVED_KUBERNETES,
    unknownFields,
    moreResources = [],
    limits,
    quotas,
    clientSupport,
    fieldOwners,
    plugins,
    authorize,
    wrapTransport,
  }: BareClusterOptions) {
    this.gangScheduling = gangScheduling;
    this.kubernetes = kubernetes;
    this.#apiServer = new ApiServer({
      clock,
      random,
      admission,
      assignsServiceAccount,
      gangScheduling,
      kubernetes,
      unknownFields,
      moreResources,
      limits: { ...defaultLimits, ...limits },
      fieldOwners,
      plugins,
      clientSupport,
      authorize,
    });
    if (quotas) this.useQuotas(quotas);
    const transport = inMemoryTransport((request) => this.handle(request), clock);
    this.transport = wrapTransport?.(transport, this) ?? transport;
  }

  /** Answers a request. Synchronous; a watch or a followed log returns a stream to subscribe to. */
  handle(request: ServerRequest): ApiResponse | StreamingResponse {
    return this.#apiServer.handle(request);
  }

  /**
   * Calls the listener inside every write from now on, by any client, in the order of revisions. The listener must not
   * change the objects, nor send a request. The namespaces that every cluster has were written before. Call the result
   * to end it.
   */
  observe(listener: (write: ObservedWrite) => void): () => void {
    return this.#apiServer.observe(listener);
  }

  /** From now on these resources are served, too. */
  serve(definitions: readonly ResourceDefinition[]): void {
    this.#apiServer.serve(definitions);
  }

  /** Stops serving these resources. Their objects stay, and come back when the resources are served again. */
  withdraw(definitions: readonly ResourceDefinition[]): void {
    this.#apiServer.withdraw(definitions);
  }

  /** Enforces ResourceQuotas from now on, in a cluster that was made without them. */
  useQuotas(start: StartQuotas): void {
    this.#apiServer.quotas ??= start(this.#apiServer);
  }

  /** For what no request can do, such as restoring saved objects: apiserver/storage/restore.ts. */
  withServer<T>(use: (server: ServerContext) => T): T {
    return use(this.#apiServer);
  }

  /** Registers the kubelet that has the logs of the pods on a node. */
  registerKubelet(nodeName: string, kubelet: KubeletApi): void {
    this.#apiServer.registerKubelet(nodeName, kubelet);
  }
}
