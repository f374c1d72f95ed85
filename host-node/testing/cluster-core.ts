/**
 * The parts of a test cluster, from its options: clock, scripted pods, recording, embedded cluster.
 *
 * Invariant: on virtual time the same seed and the same calls give the same run, to the millisecond.
 */
import { seededRandom } from "../../cluster/values/random.ts";
import { SERVED_KUBERNETES, SERVED_VERSIONS, type ServedVersion } from "../../cluster/values/kubernetes-versions.ts";
import { nodeFor } from "../runtime/node.ts";
import { MAX_NODES, nodeNames } from "../words/node-names.ts";
import { EmbeddedCluster } from "../embedded/embedded.ts";
import { checkedInteger, checkFields } from "../control/check-input.ts";
import { ControlError } from "../control/control-error.ts";
import type { ControlsOptions } from "../control/controls.ts";
import { Steering } from "../control/steering.ts";

const START_MS = Date.UTC(2026, 0, 1);
const MAX_SEED = 2 ** 32 - 1;

export interface TestClusterOptions {
  /** `virtual` unless given: time is stopped until the test moves it. */
  readonly clock?: "virtual" | "real";
  /** The initial time of a virtual clock; 2026-01-01T00:00:00Z unless given. */
  readonly startTime?: string | Date;
  /** The seed for names, for how long containers run, and for everything else that is random; 1 unless given. */
  readonly seed?: number;
  /** How many nodes there are, or their names; one, `node-1`, unless given. */
  readonly nodes?: number | readonly string[];
  /** Whether the cluster runs the Jobs; it does unless given. False: the tested controller does. */
  readonly controller?: boolean;
  /** Requests are answered as this version of Kubernetes does, where it differs; 1.37 unless given. */
  readonly kubernetes?: ServedVersion;
  /** Whether the controller's inputs are recorded; they are unless given. */
  readonly record?: boolean;
}

const OPTIONS = ["clock", "startTime", "seed", "nodes", "controller", "kubernetes", "record"];

export interface ClusterCore {
  readonly embedded: EmbeddedCluster;
  /** For its controls. */
  readonly options: ControlsOptions;
  stop(): void;
}

/** Everything has begun, but nothing has happened yet. @throws ControlError 400 */
export async function createCore(options: TestClusterOptions): Promise<ClusterCore> {
  checkFields(options, "the options of a cluster", OPTIONS);
  const { clock: kind = "virtual", controller = true, record = controller } = options;
  if (kind !== "virtual" && kind !== "real")
    throw new ControlError(400, `clock is ${JSON.stringify(kind)}; allowed are "virtual" and "real"`);
  const random = seededRandom(checkedInteger(options.seed ?? 1, "seed", 0, MAX_SEED));
  const nodes = namesOfNodes(options.nodes ?? 1);
  const steering = new Steering({ clock: kind, startMs: startMs(options.startTime), random, record });
  const embedded = await EmbeddedCluster.create({
    clock: steering.clock,
    random,
    jobController: controller,
    kubernetes: checkedVersion(options.kubernetes),
    tracksFields: true,
    servesClients: true,
    nodes: nodes.map((nodeName) => ({ ...nodeFor(steering.runtime, true), nodeName })),
    ...steering.clusterOptions,
  });
  const controls = steering.controlsOf(embedded, nodes);
  embedded.start();
  return {
    embedded,
    options: controls,
    stop: () => {
      embedded.stop();
      controls.time.stop();
    },
  };
}

function checkedVersion(given: string = SERVED_KUBERNETES): ServedVersion {
  const version = SERVED_VERSIONS.find((known) => known === given);
  if (version === undefined)
    throw new ControlError(
      400,
      `kubernetes is ${JSON.stringify(given)}; allowed are ${SERVED_VERSIONS.map((known) => `"${known}"`).join(", ")}`,
    );
  return version;
}

function startMs(given: string | Date | undefined): number {
  const ms = given === undefined ? START_MS : given instanceof Date ? given.getTime() : Date.parse(given);
  if (Number.isNaN(ms) || ms < 0)
    throw new ControlError(
      400,
      `startTime is ${JSON.stringify(given)}; allowed is a Date, or a text such as 2026-01-01T00:00:00Z, from 1970 on`,
    );
  return ms;
}

function namesOfNodes(given: number | readonly string[]): readonly string[] {
  if (Array.isArray(given)) {
    const names: readonly unknown[] = given;
    const wrong = names.find((name) => typeof name !== "string" || !/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/.test(name));
    if (wrong === undefined && new Set(names).size === names.length && names.length <= MAX_NODES) return given;
    throw new ControlError(
      400,
      `nodes is ${JSON.stringify(given)}; allowed are up to ${MAX_NODES} different names of a-z, 0-9, - and .`,
    );
  }
  return nodeNames(checkedInteger(given, "nodes", 0, MAX_NODES));
}
