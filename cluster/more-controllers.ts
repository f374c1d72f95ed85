/** The controllers of the kinds of apiserver/registry/more-resources.ts, which the playground leaves out. */
import type { ResourceDefinition } from "./apiserver/contract/context.ts";
import { servedBy } from "./apiserver/registry/by-version.ts";
import { moreResources } from "./apiserver/registry/more-resources.ts";
import type { ApiResource } from "./client/client.ts";
import { clusterRoleController } from "./controllers/cluster-role-controller/cluster-role-controller.ts";
import type { NewController } from "./components.ts";
import { CronJobController } from "./controllers/cron-job-controller/cron-job-controller.ts";
import { disruptionController } from "./controllers/disruption-controller/disruption-controller.ts";
import { endpointsController } from "./controllers/endpoints-controller/endpoints-controller.ts";
import { NodeLifecycleController } from "./controllers/node-lifecycle-controller/node-lifecycle-controller.ts";
import { podGroupController } from "./controllers/pod-group-controller/pod-group-controller.ts";
import { podGCController } from "./controllers/pod-gc-controller/pod-gc-controller.ts";
import { serviceAccountController } from "./controllers/service-account-controller/service-account-controller.ts";
import { taintEvictionController } from "./controllers/taint-eviction-controller/taint-eviction-controller.ts";
import { volumeController } from "./controllers/volume-controller/volume-controller.ts";
import type { VolumeFolders } from "./controllers/volume-controller/volume-folders.ts";
import type { ServedVersion } from "./values/kubernetes-versions.ts";

/** By the names that problems are reported with. */
export const moreControllers: Readonly<Record<string, NewController>> = {
  "CronJob controller": (options) => new CronJobController(options),
};

/**
 * The controllers that clients expect of a whole cluster; `stint run` leaves them out, too.
 * @param folders the folders of volume data; only names unless given
 */
export const servingControllers = (folders?: VolumeFolders): Readonly<Record<string, NewController>> => ({
  "disruption controller": disruptionController,
  "endpoints controller": endpointsController,
  "node lifecycle controller": (options) => new NodeLifecycleController(options),
  "pod garbage collector": podGCController,
  "service account controller": serviceAccountController,
  "taint eviction controller": taintEvictionController,
  "volume controller": (options) => volumeController(options, folders),
});

/** Those of a cluster with gang scheduling whose PodGroups get the finalizer of the plugin PodGroupProtection. */
export const gangControllers: Readonly<Record<string, NewController>> = {
  "PodGroup protection controller": podGroupController,
};

/** Those of a cluster with role-based access control. */
export const roleControllers: Readonly<Record<string, NewController>> = {
  "ClusterRole controller": clusterRoleController,
};

/** The resources that the garbage collector watches because of these controllers, in a cluster of this version. */
export function moreCollected(kubernetes: ServedVersion): readonly ApiResource[] {
  return apiResourcesOf(moreResources.flatMap(servedBy(kubernetes)));
}

/** The resources that the garbage collector watches because of these definitions, each in its first version. */
export function apiResourcesOf(definitions: readonly ResourceDefinition[]): ApiResource[] {
  const watched = definitions.filter(({ verbs }) => verbs.includes("watch"));
  const preferred = new Map(watched.toReversed().map((definition) => [definition.storage, definition]));
  return [...preferred.values()].map(({ body, resource, isNamespaced }) => ({
    apiVersion: body.apiVersion,
    kind: body.kind,
    plural: resource,
    namespaced: isNamespaced,
  }));
}
