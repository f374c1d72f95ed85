/**
 * Random Jobs whose forecasts are compared with what they do: small numbers of everything that a forecast depends on.
 * Leaves out what it does not depend on: selectors, labels, commands.
 */
import type { FailureRule, SuccessRule } from "../naive/policies.ts";
import type { Chance } from "../simulation/chance.ts";

export const EXIT_CODES = [1, 2, 42, 137] as const;
const MAX_RULES = 3;

interface Container {
  readonly name: string;
  readonly image: string;
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  completionMode?: "Indexed";
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  podReplacementPolicy?: "Failed" | "TerminatingOrFailed";
  podFailurePolicy?: { readonly rules: readonly FailureRule[] };
  successPolicy?: { readonly rules: readonly SuccessRule[] };
  readonly template: {
    readonly spec: {
      restartPolicy: "Never" | "OnFailure";
      readonly terminationGracePeriodSeconds: number;
      readonly containers: Container[];
      readonly initContainers: Container[];
    };
  };
}

export function generateSpec(chance: Chance): JobSpec {
  const spec: JobSpec = {
    template: {
      spec: {
        restartPolicy: chance.isHit(0.25) ? "OnFailure" : "Never",
        terminationGracePeriodSeconds: chance.pick([0, 5, 30]),
        containers: [{ name: "main", image: "busybox" }],
        initContainers: [],
      },
    },
  };
  if (chance.isHit(0.15)) spec.template.spec.containers.push({ name: "helper", image: "busybox" });
  if (chance.isHit(0.15)) spec.template.spec.initContainers.push({ name: "first", image: "busybox" });
  setKind(spec, chance);
  if (chance.isHit(0.7)) spec.backoffLimit = chance.integer(0, 5);
  if (chance.isHit(0.2)) spec.activeDeadlineSeconds = chance.integer(0, 120);
  if (chance.isHit(0.3)) spec.ttlSecondsAfterFinished = chance.pick([0, 1, 90]);
  if (chance.isHit(0.3)) spec.podReplacementPolicy = chance.pick(["Failed", "TerminatingOrFailed"]);
  if (spec.completionMode === "Indexed") setIndexRules(spec, chance);
  if (spec.template.spec.restartPolicy === "Never" && chance.isHit(0.35)) {
    delete spec.podReplacementPolicy;
    const rules = Array.from({ length: chance.integer(1, MAX_RULES) }, () => failureRule(spec, chance));
    spec.podFailurePolicy = { rules };
  }
  return spec;
}

function setKind(spec: JobSpec, chance: Chance): void {
  const kind = chance.integer(0, 9);
  if (kind < 2) return;
  spec.parallelism = chance.isHit(0.04) ? 0 : chance.integer(1, 4);
  if (kind < 4) return;
  spec.completions = chance.isHit(0.03) ? 0 : chance.integer(1, 7);
  if (kind >= 6) spec.completionMode = "Indexed";
}

function setIndexRules(spec: JobSpec, chance: Chance): void {
  if (chance.isHit(0.5)) {
    spec.backoffLimitPerIndex = chance.integer(0, 2);
    if (chance.isHit(0.7)) delete spec.backoffLimit;
    if (chance.isHit(0.6)) spec.maxFailedIndexes = chance.integer(0, Math.min(3, spec.completions!));
  }
  if (spec.completions! > 0 && chance.isHit(0.4))
    spec.successPolicy = {
      rules: Array.from({ length: chance.isHit(0.7) ? 1 : 2 }, () => successRule(spec.completions!, chance)),
    };
}

function failureRule({ backoffLimitPerIndex }: JobSpec, chance: Chance): FailureRule {
  const actions = ["FailJob", "Ignore", "Count", ...(backoffLimitPerIndex === undefined ? [] : ["FailIndex"])];
  const action = chance.pick(actions);
  if (chance.isHit(0.2)) return { action, onPodConditions: [{ type: "DisruptionTarget", status: "True" }] };
  return { action, onExitCodes: { operator: "In", values: [chance.pick(EXIT_CODES)] } };
}

function successRule(completions: number, chance: Chance): SuccessRule {
  const first = chance.integer(0, completions - 1);
  const last = chance.integer(first, completions - 1);
  const indexes = { succeededIndexes: first === last ? String(first) : `${first}-${last}` };
  const kind = chance.pick(["indexes", "count", "both"]);
  if (kind === "indexes") return indexes;
  if (kind === "count") return { succeededCount: chance.integer(1, completions) };
  return { ...indexes, succeededCount: chance.integer(1, last - first + 1) };
}
