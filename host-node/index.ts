/** The exports of `stint/node`: the parts of the `stint` command for programs of your own. */
export { RealClock } from "./clock.ts";
export { EmbeddedCluster, type EmbeddedClusterOptions, MAX_ENGINE_RESTARTS } from "./embedded.ts";
export { type EngineModule, loadEngineModule } from "./engine-module.ts";
export { type BubblewrapState, detectBubblewrap } from "./runtime/bubblewrap.ts";
export { ProcessRuntime, type ProcessRuntimeOptions } from "./runtime/process-runtime.ts";
export { withExplanations } from "./server/explanations.ts";
export { type RequestHandler, type RunningServer, type ServerOptions, startServer } from "./server/https-server.ts";
export { type KubeconfigContent, kubeconfigText, writeKubeconfig } from "./server/kubeconfig.ts";
export { UsageError } from "./usage-error.ts";
