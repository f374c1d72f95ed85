/**
 * The exact run of a Job whose pods do what an outcome says: whole, in virtual time, in the playground's world, so that
 * a link opens the same run there.
 *
 * Invariant: the Job and the outcome determine the run. The world has what a forecast depends on, and nothing else: one
 * node with room for all pods, and of the Job's pods only their containers and policies. Leaves out commands, volumes,
 * the environment and the placement of pods: a link has nothing secret.
 */
import { stringify } from "yaml";
import type { Engine } from "../../../bindings/js/engine.ts";
import { InputError, type Position } from "../../../cluster/manifests/diagnostic.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { SIMULATE_ANNOTATION } from "../../../cluster/kubelet/simulation-outcome.ts";
import type { Scenario } from "../../../cluster/simulation/scenario.ts";
import { writeAddress } from "../../../host-browser/share/address.ts";
import * as lazyParts from "../../../cluster/simulation/lazy-parts.ts";
import { START_MS, World } from "../../../cluster/simulation/world.ts";
import { accountBy } from "../../../cluster/observed/offline-engine.ts";
import { RunObserver } from "./run-observer.ts";

/** More than any Job asks for. */
const NODES: Scenario["nodes"] = [{ name: "node", count: 1, cpu: "1M", memory: "1Pi", pods: 100_000 }];
/** Empty: the playground opens its default panel. */
const PANEL = "";
const POD_FIELDS = ["restartPolicy", "terminationGracePeriodSeconds", "activeDeadlineSeconds"];
const CONTAINER_FIELDS = ["name", "image", "restartPolicy", "restartPolicyRules"];
/** Dropped: the simulation has no other manager, and a forecast starts when the Job is resumed. */
const NOT_IN_THE_RUN = ["managedBy", "suspend"];

type Fields = Readonly<Record<string, any>>;

export interface Rehearsal {
  readonly observer: RunObserver;
  /** Why the run does not end; "": it has ended. */
  readonly note: string;
  /** Opens the same run in the playground, behind its address. */
  readonly fragment: string;
}

export interface RehearsalOptions {
  readonly engineModule: WebAssembly.Module;
  /** Says which container of a pod failed; it has no part in the run. */
  readonly engine: Pick<Engine, "account">;
  /** The position of the Job, for errors about it. */
  readonly job: Fields;
  /** Of the Job, for what is wrong with it. */
  readonly position: Position;
  /** In the schema of cluster/kubelet/simulation-outcome.ts. */
  readonly outcome: string;
  readonly seed: number;
  /** Of this program, for the link. */
  readonly version: string;
}

/** @throws InputError when the API server would refuse the Job */
export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const { engineModule, engine, job, position, outcome, seed, version } = options;
  const yaml = stringify(rehearsedJob(job, outcome), { lineWidth: 0 });
  const scenario: Scenario = { yaml, seed, nodes: NODES, outcomes: [], inputs: [] };
  const observer = new RunObserver(accountBy(engine, () => START_MS + world.now()));
  const tools = { readYaml, lazyParts: () => lazyParts, checks: () => lazyParts };
  const world = new World(engineModule, scenario, observer, tools);
  if (world.isRefused) {
    const mistakes = world.problems(lazyParts).filter(({ severity }) => severity === "error");
    throw new InputError(mistakes.map(({ message }) => ({ position, message })));
  }
  while (!world.isFinished()) world.runNext();
  const { digest } = world;
  const shared = { scenario, digest, panel: PANEL, engineVersion: `stint ${version}`, atMs: observer.end?.atMs ?? 0 };
  return { observer, note: world.endNote(), fragment: await writeAddress(shared, async () => undefined) };
}

function rehearsedJob({ metadata = {}, spec = {} }: Fields, outcome: string): Fields {
  const { template = {}, ...rest } = spec as Fields;
  const { name, generateName } = metadata as Fields;
  const labels = template.metadata?.labels;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: name === undefined ? { generateName: generateName ?? "job-" } : { name },
    spec: {
      ...Object.fromEntries(Object.entries(rest).filter(([field]) => !NOT_IN_THE_RUN.includes(field))),
      template: {
        metadata: { ...(labels === undefined ? {} : { labels }), annotations: { [SIMULATE_ANNOTATION]: outcome } },
        spec: {
          ...only(template.spec ?? {}, POD_FIELDS),
          ...containersIn(template.spec ?? {}, "initContainers"),
          ...containersIn(template.spec ?? {}, "containers"),
        },
      },
    },
  };
}

function containersIn(spec: Fields, list: string): Fields {
  const containers: unknown = spec[list];
  return Array.isArray(containers) ? { [list]: containers.map((each: Fields) => only(each, CONTAINER_FIELDS)) } : {};
}

function only(object: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(object).filter(([field]) => fields.includes(field)));
}
