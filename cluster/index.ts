/** The exports of `@stint-dev/stint/cluster`: an in-memory Kubernetes to run Jobs on (docs/cluster.md). */
export { trackFields } from "./apiserver/apply/tracking.ts";
export {
  type AdmissionPlugins,
  type Authorize,
  defaultLimits,
  type FieldOwners,
  type Limits,
  type ServerRequest,
  type User,
} from "./apiserver/contract/context.ts";
export type { KubeletApi, LogOptions, LogRefusal, LogSink, LogStream } from "./apiserver/contract/kubelet-api.ts";
export type { StreamingResponse, Write } from "./apiserver/server.ts";
export type { StreamBody } from "./apiserver/verbs/watch.ts";
export type { ApiError } from "./client/client.ts";
export { VirtualClock, type VirtualClockOptions } from "./time/clock.ts";
export { Cluster, type ClusterOptions } from "./cluster.ts";
export { ClusterComponents, type ComponentsOptions, type NodeOptions } from "./components.ts";
export type { LocalTransport } from "./client/in-memory-transport.ts";
export type {
  ContainerEvents,
  ContainerExit,
  ContainerHandle,
  ContainerRequest,
  ContainerRuntime,
  UnsupportedField,
  VolumeFile,
  VolumeFiles,
} from "./kubelet/container-runtime.ts";
export { ProbedSimulation } from "./kubelet/probed-simulation.ts";
export {
  SimulatedRuntime,
  type SimulatedRuntimeOptions,
  type SimulationMatch,
  type SimulationRule,
} from "./kubelet/simulated-runtime.ts";
export { OutcomeError, SIMULATE_ANNOTATION } from "./kubelet/simulation-outcome.ts";
export type { Container, Pod } from "./values/kinds.ts";
export type { Admission, Json, JsonObject, KubeObject, ObjectMeta, OwnerReference } from "./values/types.ts";
