/**
 * What runs the pods of `stint serve`: nothing, a simulation, processes, or a container engine. The code of the last
 * two is loaded lazily: a test cluster starts often, and uses neither.
 */
import { resolve } from "node:path";
import { resourcePath, SECRETS } from "../../../cluster/client/client.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import { ProbedSimulation } from "../../../cluster/kubelet/probed-simulation.ts";
import { claimedVolume, read } from "../../../cluster/controllers/volume-controller/claimed-volume.ts";
import type { RealClock } from "../../clock.ts";
import type { EngineRuntime } from "../../runtime/container-engine/engine-runtime.ts";
import type { ProcessRuntime } from "../../runtime/process-runtime.ts";
import type { ClaimedVolumes } from "../../runtime/volumes.ts";
import type { Controlled } from "../../control/controlled.ts";
import type { ScriptedRuntime } from "../../control/scripted-runtime.ts";
import type { Console } from "../console.ts";
import { connectEngine, imageEvents, tellPulls } from "../container-engine.ts";
import type { ServeOptions } from "./serve-options.ts";

/** Why a client cannot exec, attach or forward a port. */
export const NO_STREAMS: Readonly<Record<ServeOptions["runtime"], string>> = {
  simulated:
    "nothing runs in the containers of this server, which are simulated; stint serve --runtime process runs their commands",
  process: "",
  docker: "",
  podman: "",
  none: "nothing runs the pods of this server; stint serve --runtime process does",
};

/** The line that `kubectl logs` shows for a simulated container without output. A test's cluster has no such line. */
const EMPTY_LOG_TEXT =
  "simulated: this container ran no command; the annotation stint.dev/simulate says what it prints, and stint serve --runtime process runs commands";

export interface RuntimeSurroundings {
  readonly clock: RealClock;
  readonly controlled: Controlled | undefined;
  readonly console: Console;
  readonly report: (text: string) => void;
  /** Is called when pods run. */
  readonly cluster: () => Cluster;
}

export type ServeRuntime = ProbedSimulation | ScriptedRuntime | ProcessRuntime | EngineRuntime;

/** @throws UsageError when the engine or the isolation that is asked for is not there */
export async function runtimeFor(
  options: ServeOptions,
  { clock, controlled, console, report, cluster }: RuntimeSurroundings,
): Promise<ServeRuntime | undefined> {
  const { workingDirectory } = console;
  const findClaimed: ClaimedVolumes["find"] = (namespace, claimName) => claimedVolume(cluster(), namespace, claimName);
  switch (options.runtime) {
    case "none":
      return undefined;
    case "simulated":
      return controlled?.runtime ?? new ProbedSimulation({ clock, random: Math.random, emptyLogText: EMPTY_LOG_TEXT });
    case "process": {
      const { createProcessRuntime } = await import("../process-runtime.ts");
      return createProcessRuntime(options, workingDirectory, {
        isInteractive: true,
        findClaimed,
        hasServiceNames: true,
        volumeFolder: options.volumeFolder && resolve(workingDirectory, options.volumeFolder),
      });
    }
    case "docker":
    case "podman": {
      const runtime = await connectEngine(options.runtime, options, console, {
        findSecret: (namespace, secret) => read(cluster(), resourcePath(SECRETS, namespace, secret)),
        findClaimed,
        isInteractive: true,
        onPull: tellPulls(() => clock.now(), report),
        onEvent: imageEvents(clock, cluster),
      });
      for (const left of runtime.removedOf)
        report(`removed from ${options.runtime} what the process ${left} had left behind`);
      return runtime;
    }
  }
}
