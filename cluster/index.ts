/** The exports of `stint/cluster`: an in-memory Kubernetes to run Jobs on. */
export { defaultLimits, type Limits } from "./apiserver/context.ts";
export type { KubeletApi, LogOptions, LogRefusal, LogSink, LogStream } from "./apiserver/kubelet-api.ts";
export type { StreamingResponse, Write } from "./apiserver/server.ts";
export type { StreamBody } from "./apiserver/watch.ts";
export { Cluster, type ClusterOptions } from "./cluster.ts";
export type { Admission, Json, JsonObject, KubeObject, ObjectMeta, OwnerReference } from "./types.ts";
