/** The lint vectors as what an API server with the policies of `stint lint --emit-policy` gets, and has to say. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Advice, LintQuestion } from "../../../../bindings/js/engine.ts";
import type { PolicyOptions } from "../../../../host-node/cli/lint/policy/policies.ts";
import { POLICY_RULES } from "../../../../host-node/cli/lint/policy/rules.ts";

interface LintVector {
  readonly name: string;
  readonly input: LintQuestion & { readonly job: any; readonly context?: any; readonly rules?: any };
  readonly code: string;
  readonly advice: Partial<Advice> | null;
}

export interface PolicyVector {
  readonly name: string;
  readonly code: string;
  readonly options: PolicyOptions;
  /** Where the object is created, and the object: a Job, or the CronJob that makes it. */
  readonly resource: "jobs" | "cronjobs";
  readonly object: object;
  readonly speaks: boolean;
}

const folder = path.resolve(import.meta.dirname, "../../../vectors/lint");

/** Vectors about which a policy cannot say what lint says, by their names: why. */
const BEYOND: Readonly<Record<string, string>> = {
  "EveryMinute: nothing is known of it": "the policy reads the schedule itself",
  "GeneratedNameTooLong: generateName": "the API server refuses the Job before",
  "GeneratedNameTooLong: a generateName that the API server cuts": "the API server refuses the Job before",
  "GeneratedNameTooLong: a name: the API server says so at once": "the API server refuses the Job before",
  "MemoryUnlimited: a LimitRange sets it": "the API server applies a LimitRange before it asks policies",
  "NoTimeToLive: an owner to be": "the policy does not know what is to come",
  "OwnSelector: a selector": "the API server refuses the Job before",
  "PodNamesCut: refused anyway": "the API server refuses the Job before",
  "TimeToLiveInCronJob: a Job as the API shows it": "the policy leaves out what a CronJob has made",
  "TimeToLiveInCronJob: an owner to be": "the policy does not know what is to come",
};

/** All vectors of the rules that have an expression, but for those beyond it. */
export const policyVectors: readonly PolicyVector[] = Object.keys(POLICY_RULES).flatMap((code) =>
  casesOf(code)
    .filter(({ name }) => !(name in BEYOND))
    .map(policyVector),
);

/** Names in the list of exceptions that no vector has any more. */
export const strayNames: readonly string[] = (() => {
  const names = new Set(Object.keys(POLICY_RULES).flatMap((code) => casesOf(code).map(({ name }) => name)));
  return Object.keys(BEYOND).filter((name) => !names.has(name));
})();

const GROUP = "/apis/admissionregistration.k8s.io/v1";

/** Where a policy or a binding is created. */
export function policyPath(kind: string): string {
  return `${GROUP}/${kind.replace(/y$/, "ie").toLowerCase()}s`;
}

/** The codes of policies in warnings and refusals of an API server. */
export function codesIn(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => [...text.matchAll(/'stint-lint-[\w-]+'[^:]*: (\w+): /g)].map(([, code]) => code!));
}

function casesOf(code: string): readonly LintVector[] {
  const file = `${code.replaceAll(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.json`;
  return (JSON.parse(readFileSync(path.join(folder, file), "utf8")) as { cases: LintVector[] }).cases;
}

function policyVector({ name, code, advice, input }: LintVector): PolicyVector {
  const { job, context = {}, rules = {} } = input;
  const { cronJob } = context;
  return {
    name,
    code,
    options: { rule: rules, managers: context.managers, gitOps: context.fromGitOps === true },
    speaks: advice !== null,
    ...(cronJob === undefined
      ? { resource: "jobs", object: { ...job, metadata: named(job.metadata) } }
      : {
          resource: "cronjobs",
          object: {
            apiVersion: "batch/v1",
            kind: "CronJob",
            metadata: named(cronJob.metadata),
            spec: { schedule: "0 0 * * *", ...cronJob.spec, jobTemplate: { spec: job.spec } },
          },
        }),
  };
}

function named(metadata: { generateName?: string } = {}): object {
  return { ...(metadata.generateName === undefined && { name: "j" }), ...metadata };
}
