/**
 * A whole cluster in this process: the in-memory API server with its components, and the engine as its Job controller,
 * unless another one is to run the Jobs.
 *
 * Invariant: the API server's admission and the controller are two instances of the same engine module. So a trap in
 * the controller's instance loses no state of the API: the instance is replaced, and the new one lists everything
 * again. Leaves out where time comes from and what runs the containers; the caller decides both.
 */
import type { Decision, Engine } from "../bindings/js/engine.ts";
import type { Clock } from "../bindings/js/host.ts";
import type { Recorder } from "../bindings/js/recorder.ts";
import { builtInPlugins } from "../cluster/apiserver/admission-plugins/built-in.ts";
import { chain } from "../cluster/apiserver/admission-plugins/chain.ts";
import { Conversations, Draws } from "../cluster/apiserver/admission-plugins/pending-review.ts";
import { mutatingWebhooks, validatingWebhooks } from "../cluster/apiserver/admission-plugins/webhooks.ts";
import { trackFields } from "../cluster/apiserver/apply/tracking.ts";
import { alwaysAllow, authorizeBy } from "../cluster/apiserver/access/authorizer.ts";
import { createBootstrapObjects } from "../cluster/apiserver/access/bootstrap.ts";
import { escalation } from "../cluster/apiserver/access/escalation.ts";
import { rbac as roleBased } from "../cluster/apiserver/access/rbac.ts";
import { reviewResources } from "../cluster/apiserver/access/reviews.ts";
import type { User } from "../cluster/apiserver/context.ts";
import { serveCustomResources } from "../cluster/apiserver/custom-resources/serve-custom-resources.ts";
import { moreResources } from "../cluster/apiserver/more-resources.ts";
import { withStreams } from "../cluster/apiserver/pods/streams.ts";
import { resources } from "../cluster/apiserver/resources.ts";
import { Cluster } from "../cluster/cluster.ts";
import { ClusterComponents, type NodeOptions } from "../cluster/components.ts";
import {
  apiResourcesOf,
  moreCollected,
  moreControllers,
  roleControllers,
  servingControllers,
} from "../cluster/more-controllers.ts";
import type { KubeletOptions } from "../cluster/kubelet/kubelet.ts";
import { createSystemObjects } from "../cluster/system-objects.ts";
import { userOf, withTokens } from "../cluster/apiserver/service-account-tokens.ts";
import { createAccountTokens } from "./server/service-account-tokens.ts";
import { createEngine, JobController } from "./controller/job-controller.ts";
import { sourcesOf } from "./controller/sources.ts";
import { loadEngineModule } from "./engine-module.ts";
import { readTypeTexts } from "./type-texts.ts";
import { reviewedTransport } from "../cluster/reviewed-transport.ts";
import { WebhookClient } from "./server/webhook-client.ts";
import { unpredictableNumbers } from "./unpredictable.ts";

export interface EmbeddedClusterOptions extends Pick<KubeletOptions, "onOutput" | "onUnsupported"> {
  readonly clock: Clock;
  /** Uniform in [0, 1); unpredictable numbers unless given. */
  readonly random?: () => number;
  /** Empty: nothing runs the pods. */
  readonly nodes: readonly NodeOptions[];
  /** As of {@link ComponentsOptions}. */
  readonly scheduler?: boolean | undefined;
  /** Nothing but the API: no component acts, and no Job controller. Off unless given. */
  readonly apiOnly?: boolean;
  /** False: Jobs stay as they are, until another controller acts on them through the API. On unless given. */
  readonly jobController?: boolean;
  /** Gangs get a Workload and a PodGroup, and their pods are scheduled together; off unless given. */
  readonly gangScheduling?: boolean;
  /** metadata.managedFields says who owns which field, and server-side apply is served; off unless given. */
  readonly tracksFields?: boolean;
  /**
   * The cluster has what clients of a whole one expect: the plugins that review writes, the objects that a real API
   * server makes for itself, and further controllers; off unless given.
   */
  readonly servesClients?: boolean;
  /** Roles and bindings say who may do what, but for components of this process; everybody may unless given. */
  readonly rbac?: boolean;
  /** Whose token it is, for reviews of tokens; nobody's unless given. */
  readonly authenticate?: (token: string) => User | undefined;
  /** The engine's decisions, as it takes them. */
  readonly onDecisions?: (decisions: readonly Decision[]) => void;
  /** Records what the controller's engine is told. */
  readonly recorder?: Recorder | undefined;
  /** Reports a problem that was overcome, in one sentence. */
  readonly onProblem?: (problem: string) => void;
  /** The controller has ended for good. */
  readonly onFatal: (error: Error) => void;
}

export class EmbeddedCluster {
  readonly cluster: Cluster;
  /** Whose token it is: one of the options' users, or an account of the cluster. */
  readonly authenticate: (token: string) => User | undefined;
  /** Through them go requests that webhooks may have to review; `cluster.transport` does that itself. */
  readonly conversations: Conversations;
  readonly #components: ClusterComponents | undefined;
  readonly #controller: JobController | undefined;

  private constructor(
    cluster: Cluster,
    authenticate: (token: string) => User | undefined,
    conversations: Conversations,
    components: ClusterComponents | undefined,
    controller: JobController | undefined,
  ) {
    this.cluster = cluster;
    this.authenticate = authenticate;
    this.conversations = conversations;
    this.#components = components;
    this.#controller = controller;
  }

  /** The API answers at once; everything else begins with `start`. @throws Error when there is no engine. */
  static async create(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
    const {
      clock,
      random = unpredictableNumbers(),
      nodes,
      scheduler,
      apiOnly = false,
      jobController = true,
      gangScheduling = false,
      tracksFields = false,
      servesClients = false,
      rbac = false,
      authenticate = () => undefined,
      recorder,
      onOutput,
      onUnsupported,
      onDecisions,
      onProblem,
      onFatal,
    } = options;
    const engineModule = await loadEngineModule();
    const admissionEngine = await createEngine(engineModule);
    const authorizer = rbac ? roleBased : alwaysAllow;
    const accountTokens = servesClients ? createAccountTokens() : undefined;
    const authenticateAny = (token: string): User | undefined => {
      const claims = accountTokens?.claimsOf(token, clock.now());
      if (claims === undefined) return authenticate(token);
      return userOf(claims, (resource, namespace, { name, uid }) => {
        const path = `/api/v1/namespaces/${namespace}/${resource}/${name}`;
        const answer = cluster.handle({ method: "GET", path, headers: {} });
        return answer.status === 200 && "body" in answer && JSON.parse(String(answer.body)).metadata.uid === uid;
      });
    };
    const plugins = [...builtInPlugins, ...(rbac ? [escalation] : []), mutatingWebhooks, validatingWebhooks];
    const draws = new Draws(random);
    const conversations: Conversations = new Conversations(draws, new WebhookClient(() => cluster).ask);
    const cluster: Cluster = new Cluster({
      clock,
      random: draws.next,
      admission: (review) => admissionEngine.review(review),
      gangScheduling,
      moreResources: [
        ...(accountTokens ? withTokens(moreResources, accountTokens) : moreResources),
        ...reviewResources({ authorizer, authenticate: authenticateAny }),
      ],
      authorize: authorizeBy(authorizer),
      // Nobody else writes to a cluster without clients, so nobody configures webhooks there.
      wrapTransport: servesClients
        ? (transport, own) => reviewedTransport(transport, own, conversations, clock)
        : undefined,
      fieldOwners: tracksFields ? trackFields : undefined,
      plugins: servesClients ? chain(plugins) : undefined,
      typeTexts: readTypeTexts,
    });
    const pods = resources.filter(({ resource }) => resource === "pods");
    cluster.withdraw(pods);
    cluster.serve(pods.map(withStreams));
    if (servesClients) createSystemObjects(cluster);
    if (rbac) createBootstrapObjects(cluster);
    if (apiOnly) {
      serveCustomResources({ cluster, clock, onChange: () => {} });
      return new EmbeddedCluster(cluster, authenticateAny, conversations, undefined, undefined);
    }
    const controllers = {
      ...(jobController ? { ...moreControllers, ...(servesClients ? servingControllers : {}) } : {}),
      ...(rbac ? roleControllers : {}),
    };
    const components = new ClusterComponents({
      ...{ cluster, clock, random, nodes, moreCollected, moreControllers: controllers },
      ...(scheduler === undefined ? {} : { scheduler }),
      ...(onOutput === undefined ? {} : { onOutput }),
      ...(onUnsupported === undefined ? {} : { onUnsupported }),
      onProblem: (component, error) =>
        onProblem?.(`${component}: ${error.message} (status ${error.status}); it tries again`),
    });
    serveCustomResources({ cluster, clock, onChange: (served) => components.collectCustom(apiResourcesOf(served)) });
    const controller = !jobController
      ? undefined
      : await JobController.create({
          ...{ engineModule, clock, random, recorder, onFatal, transport: cluster.transport },
          sources: sourcesOf({ namespaces: [], allPods: true, gangScheduling }),
          configuration: { instance: "stint", gangScheduling },
          // The name under which upstream's Job controller manages fields.
          userAgent: "kube-controller-manager",
          ...(onDecisions === undefined ? {} : { onDecisions }),
          ...(onProblem === undefined ? {} : { onProblem }),
        });
    return new EmbeddedCluster(cluster, authenticateAny, conversations, components, controller);
  }

  /**
   * The controller's engine, for `explain` and `metrics`. After a trap it is another one.
   * @throws Error when this cluster was made without a Job controller
   */
  get engine(): Engine {
    if (this.#controller === undefined) throw new Error("this cluster has no Job controller");
    return this.#controller.engine;
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
