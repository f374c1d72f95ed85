/**
 * Hooks for the pod rules that only the whole engine checks, at the points at which upstream checks them. Invariant:
 * the hooks here do nothing, so that the core (`core.ts`), which the playground fetches before its first picture, stays
 * small; `index.ts` installs the rules of whole-pod-rules.ts.
 */
import { JsonNode } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { PodFacts } from "./pod-facts";
import { validateNamedSource } from "./validate-references";
import { Warnings } from "./warning-list";

/** The hooks, in the order in which validation calls them. */
export class PodRules {
  /** The annotations that once were fields. */
  annotations(_pod: PodFacts, _field: string, _errors: FieldErrors): void {}

  /** Where a volume gets its files from. */
  volumeSource(_pod: PodFacts, volume: JsonNode, errors: FieldErrors): void {
    validateNamedSource(volume, errors);
  }

  /** What comes between the volumes and the containers. */
  behindVolumes(_pod: PodFacts, _errors: FieldErrors): void {}

  /** A mount whose name and path are checked. */
  mount(_container: JsonNode, _mount: JsonNode, _errors: FieldErrors): void {}

  /** What comes between the mounts of a container and its pull policy. */
  behindMounts(_pod: PodFacts, _container: JsonNode, _errors: FieldErrors): void {}

  /** What comes behind the resources of a container. */
  behindResources(_pod: PodFacts, _container: JsonNode, _errors: FieldErrors): void {}

  /** A hook or probe whose handler is checked. */
  handler(_pod: PodFacts, _kind: string, _action: JsonNode, _errors: FieldErrors): void {}

  /** What comes behind the names and policies of an init container (`initial`), or behind all other containers. */
  hostPorts(_containers: JsonNode, _initial: JsonNode | null, _errors: FieldErrors): void {}

  /** What comes behind the probes of an init container. */
  behindInitContainer(_container: JsonNode, _errors: FieldErrors): void {}

  /** What comes between the containers and `restartPolicy`. */
  behindContainers(_pod: PodFacts, _errors: FieldErrors): void {}

  /** What comes between `nodeSelector` and `schedulingGates`. */
  behindNodeSelector(_pod: PodFacts, _errors: FieldErrors): void {}

  /** What comes between `schedulingGates` and `serviceAccountName`. */
  behindGates(_pod: PodFacts, _errors: FieldErrors): void {}

  /** What comes between `tolerations` and `priorityClassName`. */
  behindTolerations(_pod: PodFacts, _errors: FieldErrors): void {}

  /** What comes behind `priorityClassName`. */
  behindPriority(_pod: PodFacts, _errors: FieldErrors): void {}

  /** What comes behind the spec. `created`: it is new. */
  behindSpec(_pod: PodFacts, _created: bool, _errors: FieldErrors): void {}

  /** Warnings that come behind those of `nodeSelector`. */
  nodeWarnings(_pod: PodFacts, _warnings: Warnings): void {}

  /** Warnings about volumes. */
  volumeWarnings(_pod: PodFacts, _warnings: Warnings): void {}

  /** Warnings that come between those of `imagePullSecrets` and those of containers. */
  overheadWarnings(_pod: PodFacts, _warnings: Warnings): void {}

  /** The last warnings. */
  peerWarnings(_pod: PodFacts, _warnings: Warnings): void {}
}

let chosen: PodRules = new PodRules();

/** The rules that this module has. */
export function podRules(): PodRules {
  return chosen;
}

/** Installs these rules. Called once, when the module starts. */
export function choosePodRules(rules: PodRules): void {
  chosen = rules;
}
