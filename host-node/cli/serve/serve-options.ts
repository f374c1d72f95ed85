/**
 * The options of `stint serve`, and which of them fit together.
 *
 * Invariant: an option that would have no effect beside the others is refused. Leaves out the values that an option may
 * have, which command.ts checks.
 */
import { type EngineName, isEngine } from "../../runtime/container-engine/engine-socket.ts";
import { UsageError } from "../../usage-error.ts";
import { type ContainerEngineOptions, refuseEngineOptions } from "../container-engine.ts";
import type { FeatureGates } from "../../settings/feature-gates.ts";
import { type IsolationOptions, refuseIsolationOptions, refuseVolumeFolder } from "../isolation.ts";
import type { RecordOptions } from "../record.ts";
import type { ServedVersion } from "../../../cluster/values/kubernetes-versions.ts";

export interface ServeOptions extends IsolationOptions, ContainerEngineOptions, RecordOptions {
  /** 0: a free one. */
  readonly port: number;
  readonly runtime: "simulated" | "process" | "none" | EngineName;
  /** Watches and followed logs at the same time. */
  readonly maxWatches: number;
  /** False: Jobs wait for a controller that comes through the API. */
  readonly controller: boolean;
  /** Whether pods are bound to nodes. Undefined: if there is a runtime. */
  readonly scheduler: boolean | undefined;
  /** No component at all, whatever the three above say. */
  readonly apiOnly: boolean;
  readonly kubeconfig: string;
  /** Ends when standard input closes: a program that starts this one and is killed leaves no server behind. */
  readonly untilStdinCloses: boolean;
  readonly output: "text" | "json";
  /** Virtual time is stopped until a call of the control API moves it. */
  readonly clock: "real" | "virtual";
  /** Serves the control API. */
  readonly control: boolean;
  /** The number of simulated nodes; one, with the name of this program, unless given. */
  readonly nodes?: number | undefined;
  /** The seed of names and run times in a test cluster; unpredictable unless given. */
  readonly seed?: number | undefined;
  readonly featureGates: FeatureGates;
  /** The version as which requests are answered. */
  readonly kubernetes: ServedVersion;
  readonly authorization: "always-allow" | "rbac";
  /** Users beside the administrator: token-file.ts. */
  readonly tokenAuthFile?: string | undefined;
  /** Where the volumes of claims are made, and stay; a temporary folder unless given. */
  readonly volumeFolder?: string | undefined;
  /** The folder that keeps the cluster for the next server; none unless given. */
  readonly dataDir?: string | undefined;
}

/** The options, with the effects of --api-only on the others. @throws UsageError where an option has no meaning */
export function checkedOptions(given: ServeOptions): ServeOptions {
  const options: ServeOptions = given.apiOnly ? { ...given, runtime: "none", controller: false } : given;
  if (!options.controller && options.record !== undefined)
    throw new UsageError(
      "--record is given with --no-controller, but it records the input of the controller; leave one of them out",
    );
  if (!isEngine(options.runtime)) {
    if (options.runtime !== "process") refuseIsolationOptions(options, options.runtime);
    refuseEngineOptions(options, options.runtime);
  }
  refuseVolumeFolder(options);
  refuseUncontrolled(options);
  refuseNodes(options);
  return options;
}

/** @throws UsageError when time could not be moved, or nothing could be controlled */
function refuseUncontrolled({ clock, control, runtime, seed }: ServeOptions): void {
  if (seed !== undefined && !control)
    throw new UsageError(
      "--seed is given without --control; it makes names that anybody can predict, for tests; add --control, or leave out --seed",
    );
  if (clock === "virtual" && !control)
    throw new UsageError(
      "--clock virtual is given without --control, by which alone that time moves; add --control, or leave out --clock virtual",
    );
  if (control && runtime !== "simulated" && runtime !== "none")
    throw new UsageError(
      `--control is given with --runtime ${runtime}, but it decides how containers end; it is for --runtime simulated, or none`,
    );
}

/** @throws UsageError where the pods run on this machine, or nowhere */
function refuseNodes({ nodes, runtime }: ServeOptions): void {
  if (nodes === undefined || runtime === "simulated") return;
  const why = runtime === "none" ? "has no nodes" : "has one node: this machine";
  throw new UsageError(`--nodes is given with --runtime ${runtime}, which ${why}; it is for --runtime simulated`);
}
