/** The exports of `@stint-dev/stint/testing`: clusters for tests of code that uses Jobs (docs/testing-jobs.md). */
export { InputError } from "../../cluster/manifests/diagnostic.ts";
export type { KubeObject } from "../../cluster/values/types.ts";
export { RefusedError } from "../control/cluster-api.ts";
export type { TestClusterOptions } from "./cluster-core.ts";
export { ControlError } from "../control/control-error.ts";
export type { Component, Controls, Duration, Idle, JobCondition, Limit, Unfinished } from "../control/controls.ts";
export { leaveRecording, type ReportPlace } from "./failure-report.ts";
export type { ApiClass } from "./in-process-client.ts";
export { type JobMatchers, matchers, type PodCounts } from "./matchers.ts";
export type { Drained } from "../control/nodes.ts";
export type { ContainerEnd, PodControls, PodFilter, PodState } from "../control/pods.ts";
export { startCluster } from "./start-cluster.ts";
export { JobHandle, TestCluster } from "./test-cluster.ts";
