/**
 * Creates the objects of a manifest in the cluster of a run, and reports all of its problems at once, each with its
 * place, in the order of the lines.
 *
 * Invariant: nothing may run if there is an error. `check` is the same without a run.
 */
import { Engine } from "../../bindings/js/engine.ts";
import { VirtualClock } from "../time/clock.ts";
import { BareCluster, type BareClusterOptions } from "../bare-cluster.ts";
import type { PartsOf } from "../profiles.ts";
import type { Diagnostic } from "../manifests/diagnostic.ts";
import { loadEach } from "../manifests/load-objects.ts";
import { readInputs, type ReadInputs } from "../manifests/run-inputs.ts";
import type { YamlReader } from "../yaml/yaml-tree.ts";
import { MAX_YAML_LENGTH, type Scenario } from "./scenario.ts";
import type { LoadedManifest, Problem } from "./loaded-manifest.ts";
import { nodesOf } from "./nodes.ts";
import { seededRandom } from "../values/random.ts";
import type { LazyParts } from "./tools.ts";

/** Creates the objects. @param lazyParts finds the mistakes; undefined: there are none */
export function loadManifest(
  cluster: BareCluster,
  yaml: string,
  nodes: LoadedManifest["nodes"],
  { readYaml, lazyParts }: { readonly readYaml: YamlReader; readonly lazyParts: LazyParts | undefined },
): LoadedManifest {
  const isTooLong = yaml.length > MAX_YAML_LENGTH;
  const read = isTooLong ? NOTHING : readInputs([{ file: "manifest", text: yaml }], readYaml, { takesWaiting: true });
  const loaded = loadEach(cluster, read.inputs, (manifest, body, attempt) => {
    if (lazyParts === undefined) throw new Error(`a manifest that was known to be right is refused: ${body}`);
    return lazyParts.statusDiagnostics(manifest, body, attempt);
  });
  const mistakes = [
    ...read.mistakes,
    ...loaded.refusals.flatMap(({ diagnostics }) => diagnostics),
    ...(lazyParts === undefined
      ? []
      : read.inputs.flatMap(({ manifest }) => [
          ...lazyParts.simulateMistakes(manifest),
          ...lazyParts.tooManyPods(manifest),
        ])),
  ];
  const message = `the manifest is ${yaml.length} characters long; allowed are ${MAX_YAML_LENGTH}`;
  const errors: Problem[] = isTooLong ? [{ severity: "error", message }] : mistakes.map(problemOf("error"));
  return { cluster, nodes, read, loaded, errors: inOrder(errors) };
}

const NOTHING: ReadInputs = { inputs: [], mistakes: [], note: undefined, hasAllObjects: false };

/** Errors and warnings, in the order of the lines. */
export function allProblems(manifest: LoadedManifest, lazyParts: LazyParts): Problem[] {
  const { note } = manifest.read;
  const notes: Problem[] = note === undefined ? [] : [{ severity: "warning", message: note }];
  return inOrder([...manifest.errors, ...notes, ...lazyParts.manifestWarnings(manifest).map(problemOf("warning"))]);
}

/** Reads a manifest without a run. */
export function checkManifest(
  engineModule: WebAssembly.Module,
  yaml: string,
  { nodes, kubernetes }: Pick<Scenario, "nodes" | "kubernetes">,
  { readYaml, lazyParts }: { readonly readYaml: YamlReader; readonly lazyParts: LazyParts },
): Problem[] {
  const cluster = new BareCluster({
    clock: new VirtualClock(0),
    random: seededRandom(0),
    admission: reviewsAs(kubernetes, engineModule),
    kubernetes,
    quotas: lazyParts.startQuotas,
  } satisfies PartsOf<"check">);
  return allProblems(loadManifest(cluster, yaml, nodesOf(nodes), { readYaml, lazyParts }), lazyParts);
}

/** The reviews of an engine that checks objects as this version does; undefined: as the newest. */
export function reviewsAs(
  kubernetes: Scenario["kubernetes"],
  engineModule: WebAssembly.Module,
): BareClusterOptions["admission"] {
  const reviewer = Engine.createSync(engineModule);
  if (kubernetes !== undefined) reviewer.configure({ kubernetes });
  return (review) => reviewer.review(review);
}

function problemOf(severity: Problem["severity"]): (diagnostic: Diagnostic) => Problem {
  return ({ message, position: { line, column } }) => ({ severity, message, line, column });
}

function inOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}
