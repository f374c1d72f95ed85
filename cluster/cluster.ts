/**
 * An in-memory Kubernetes for any client: a BareCluster with quotas, and with what kubectl and other tools ask for
 * (ClientSupport).
 */
import { gangResources } from "./apiserver/registry/gang-resources.ts";
import { clientSupport } from "./apiserver/registry/client-support.ts";
import type { TypeTexts } from "./apiserver/openapi/type-texts.ts";
import { startQuotas } from "./apiserver/quota/quotas.ts";
import { BareCluster, type BareClusterOptions, type StartQuotas } from "./bare-cluster.ts";
import type { PartsOf } from "./profiles.ts";
import { unknownFields } from "./apiserver/schema/new-fields.ts";
import { SERVED_KUBERNETES } from "./values/kubernetes-versions.ts";
import { servedBy } from "./apiserver/registry/by-version.ts";

export interface ClusterOptions extends Omit<BareClusterOptions, "clientSupport" | "quotas"> {
  /** Undefined: the default, startQuotas. */
  readonly quotas?: StartQuotas | undefined;
  /** Reads build/openapi.json, on the first OpenAPI request. By default the documents have no descriptions. */
  readonly typeTexts?: (() => TypeTexts) | undefined;
}

export class Cluster extends BareCluster {
  constructor({ quotas = startQuotas, typeTexts = () => ({}), ...options }: ClusterOptions) {
    const { moreResources = [], gangScheduling = false, kubernetes = SERVED_KUBERNETES } = options;
    super({
      unknownFields: unknownFields(kubernetes),
      ...options,
      moreResources: [...moreResources, ...(gangScheduling ? gangResources : [])].flatMap(servedBy(kubernetes)),
      quotas,
      clientSupport: clientSupport(typeTexts),
    } satisfies PartsOf<"library">);
  }
}
