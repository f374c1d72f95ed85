/** The exports of `@stint-dev/stint/node`: the parts of the `stint` command for programs of your own. */
export { RealClock } from "./clock.ts";
export { JobController, type JobControllerOptions, MAX_ENGINE_RESTARTS } from "./controller/job-controller.ts";
export { type JobControllerSource, sourcesOf, type WatchedObjects } from "./controller/sources.ts";
export { EmbeddedCluster, type EmbeddedClusterOptions } from "./embedded/embedded.ts";
export { type EngineModule, loadEngineModule } from "./engine-module.ts";
export { type Bubblewrap, type BubblewrapState, detectBubblewrap } from "./runtime/bubblewrap.ts";
export { ProcessRuntime, type ProcessRuntimeOptions } from "./runtime/process-runtime.ts";
export { withExplanations } from "./server/explanations.ts";
export { type RequestHandler, type RunningServer, type ServerOptions, startServer } from "./server/https-server.ts";
export { type KubeconfigContent, kubeconfigText, writeKubeconfig } from "./server/kubeconfig.ts";
export { connect, type Connection, type ConnectOptions } from "./transport/connect.ts";
export { UsageError } from "./usage-error.ts";
