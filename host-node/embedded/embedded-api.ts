/**
 * The API of an embedded cluster: its resources, the tokens that it knows, permissions, and the reviews of writes.
 * Leaves out everything that acts on the objects, which embedded.ts adds.
 */
import type { Clock } from "../../bindings/js/host.ts";
import { alwaysAllow } from "../../cluster/apiserver/access/authorizer.ts";
import { authorizeBy } from "../../cluster/apiserver/access/authorize.ts";
import { createBootstrapObjects } from "../../cluster/bootstrap/cluster-roles.ts";
import { escalation } from "../../cluster/apiserver/access/escalation.ts";
import { rbac as roleBased } from "../../cluster/apiserver/access/rbac.ts";
import { type Access, reviewResources } from "../../cluster/apiserver/access/reviews.ts";
import { gangResources } from "../../cluster/apiserver/registry/gang-resources.ts";
import { builtInPlugins } from "../../cluster/apiserver/admission-plugins/built-in.ts";
import { chain } from "../../cluster/apiserver/admission-plugins/chain.ts";
import { Conversations, Draws } from "../../cluster/apiserver/admission-plugins/pending-review.ts";
import { validatingPolicies } from "../../cluster/apiserver/admission-plugins/policies.ts";
import { mutatingWebhooks, validatingWebhooks } from "../../cluster/apiserver/admission-plugins/webhooks.ts";
import { trackFields } from "../../cluster/apiserver/apply/tracking.ts";
import type { User } from "../../cluster/apiserver/contract/context.ts";
import { startQuotas } from "../../cluster/apiserver/quota/quotas.ts";
import { clientSupport } from "../../cluster/apiserver/registry/client-support.ts";
import { moreResources } from "../../cluster/apiserver/registry/more-resources.ts";
import { withEphemeralContainers } from "../../cluster/apiserver/pods/ephemeral-containers.ts";
import { withResize } from "../../cluster/apiserver/pods/resize.ts";
import { withStreams } from "../../cluster/apiserver/pods/streams.ts";
import { resources } from "../../cluster/apiserver/registry/resources.ts";
import { userOf, withTokens } from "../../cluster/apiserver/access/service-account-tokens.ts";
import { BareCluster } from "../../cluster/bare-cluster.ts";
import type { PartsOf } from "../../cluster/profiles.ts";
import { reviewedTransport } from "../../cluster/bootstrap/reviewed-transport.ts";
import { createSystemObjects } from "../../cluster/bootstrap/system-objects.ts";
import type { Admission } from "../../cluster/values/types.ts";
import type { ServedVersion } from "../../cluster/values/kubernetes-versions.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { createAccountTokens, ISSUER } from "../server/service-account-tokens.ts";
import { ownerOf, type TokenSources } from "../server/token-review.ts";
import { WebhookClient } from "../server/webhook-client.ts";
import { readTypeTexts } from "../type-texts.ts";
import { unknownFields } from "../../cluster/apiserver/schema/new-fields.ts";
import { servedBy } from "../../cluster/apiserver/registry/by-version.ts";

/** The user of a token. */
export type Authenticate = (token: string) => User | undefined;

export interface EmbeddedApiOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Reviews Jobs and Pods: the engine's review. */
  readonly admission: Admission;
  readonly gangScheduling: boolean;
  readonly kubernetes: ServedVersion;
  readonly tracksFields: boolean;
  readonly servesClients: boolean;
  readonly rbac: boolean;
  /** The users beside the ServiceAccounts of the cluster. */
  readonly authenticate: Authenticate;
  /** Stores the cluster, and has its keys. */
  readonly data: DataFolder | undefined;
}

export interface EmbeddedApi {
  readonly cluster: BareCluster;
  /** The user of a token: one of the options' users, or a ServiceAccount of the cluster. */
  readonly authenticate: Authenticate;
  /** Carries requests that webhooks may have to review; `cluster.transport` does that itself. */
  readonly conversations: Conversations;
  /** Whether a webhook is being asked. */
  readonly hasCalls: () => boolean;
}

/** The options mean the same as those of `EmbeddedCluster`. */
export function createApi(options: EmbeddedApiOptions): EmbeddedApi {
  const { clock, random, admission, gangScheduling, kubernetes, tracksFields, servesClients, rbac, data } = options;
  const accountTokens = servesClients ? createAccountTokens(data?.identity.accountKey) : undefined;
  const sources: TokenSources = {
    own: ISSUER,
    claimsOf: (token) => accountTokens?.claimsOf(token, clock.now()),
    userOf: (claims) => userOf(claims, isThere),
    others: options.authenticate,
  };
  const tokenOwner: Access["tokenOwner"] = (token, audiences) => ownerOf(token, audiences, sources);
  const isThere: Parameters<typeof userOf>[1] = (resource, namespace, { name, uid }) => {
    const place = namespace === "" ? "" : `/namespaces/${namespace}`;
    const path = `/api/v1${place}/${resource}/${name}`;
    const answer = cluster.handle({ method: "GET", path, headers: {} });
    return answer.status === 200 && "body" in answer && JSON.parse(String(answer.body)).metadata.uid === uid;
  };
  const authorizer = rbac ? roleBased : alwaysAllow;
  const draws = new Draws(random);
  const webhooks = new WebhookClient(() => cluster);
  let calls = 0;
  const conversations: Conversations = new Conversations(draws, (call, done) => {
    calls++;
    webhooks.ask(call, (answer) => {
      calls--;
      done(answer);
    });
  });
  const reviewers = [mutatingWebhooks, validatingPolicies, validatingWebhooks];
  const plugins = [...(data ? [data.plugin] : []), ...builtInPlugins, ...(rbac ? [escalation] : []), ...reviewers];
  const cluster: BareCluster = new BareCluster({
    clock,
    random: draws.next,
    admission,
    gangScheduling,
    kubernetes,
    unknownFields: unknownFields(kubernetes),
    moreResources: [
      ...(accountTokens ? withTokens(moreResources, accountTokens) : moreResources).flatMap(servedBy(kubernetes)),
      ...reviewResources({ authorizer, tokenOwner }),
      ...(gangScheduling ? gangResources : []),
    ],
    authorize: authorizeBy(authorizer),
    // A cluster without clients has no other writers, so webhooks are never configured there.
    wrapTransport: servesClients
      ? (transport, own) => reviewedTransport(transport, own, conversations, clock)
      : undefined,
    fieldOwners: tracksFields ? trackFields : undefined,
    plugins: servesClients ? chain(plugins) : undefined,
    quotas: startQuotas,
    clientSupport: clientSupport(readTypeTexts),
  } satisfies PartsOf<"embedded">);
  const pods = resources.filter(({ resource }) => resource === "pods");
  cluster.withdraw(pods);
  cluster.serve(pods.map((definition) => withResize(withEphemeralContainers(withStreams(definition)))));
  if (servesClients) createSystemObjects(cluster);
  if (rbac) createBootstrapObjects(cluster);
  return { cluster, authenticate: (token) => tokenOwner(token, []).user, conversations, hasCalls: () => calls > 0 };
}
