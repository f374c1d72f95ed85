/**
 * The Jobs of manifests, each with what the manifests tell of its surroundings: those that stand by themselves, and
 * those that CronJobs will make. Other kinds are passed over, but for ResourceQuotas.
 */
import type { LintQuestion } from "../../../bindings/js/engine.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";

type Context = NonNullable<LintQuestion["context"]>;
type Loose = Readonly<Record<string, any>>;

const TEMPLATE = "spec.jobTemplate.";
const OF_CRON_JOB = "context.cronJob.";

export interface LintTarget {
  readonly manifest: Manifest;
  /** The Job, as far as it is known. */
  readonly job: Loose;
  /** Those of the file. */
  readonly lines: readonly string[];
  /** What is known of its surroundings. */
  readonly context: Context;
  readonly kind: string;
  readonly namespace: string;
  /** Of the object in the file. With generateName, that and a star. */
  readonly name: string;
  /** The path in the file's object of a field of the Job, or of `context.`. */
  fieldOf(path: string): string;
}

/** @returns the Jobs in the order of the manifests */
export function targetsOf(manifests: readonly Manifest[]): LintTarget[] {
  const quotas = quotasOf(manifests);
  const texts = new Map([...new Set(manifests.map(({ text }) => text))].map((text) => [text, text.split("\n")]));
  return manifests.flatMap((manifest): LintTarget[] => {
    const { kind, apiVersion } = manifest.object;
    if (!String(apiVersion).startsWith("batch/")) return [];
    const namespace = namespaceOf(manifest);
    const quota = quotas.get(namespace);
    const lines = texts.get(manifest.text)!;
    const common = { manifest, namespace, lines, kind: kind!, name: nameOf(manifest) };
    const context: Context = quota === undefined ? {} : { quota };
    if (kind === "Job") return [{ ...common, job: manifest.object, context, fieldOf: (path) => path }];
    if (kind !== "CronJob") return [];
    return [{ ...common, ...ofCronJob(manifest.object, namespace), context: { ...context, ...aroundOf(manifest) } }];
  });
}

function ofCronJob(cronJob: Loose, namespace: string): Pick<LintTarget, "job" | "fieldOf"> {
  const { metadata, ...rest } = objectIn(objectIn(cronJob["spec"])["jobTemplate"]);
  return {
    job: { ...rest, apiVersion: "batch/v1", kind: "Job", metadata: { ...objectIn(metadata), namespace } },
    fieldOf: (path) => (path.startsWith(OF_CRON_JOB) ? path.slice(OF_CRON_JOB.length) : `${TEMPLATE}${path}`),
  };
}

/** Of a CronJob what matters, if it has the right type: nobody checks the rest of it here. */
function aroundOf({ object }: Manifest): Context {
  const { name } = objectIn(object.metadata);
  const { failedJobsHistoryLimit: limit } = objectIn(object["spec"]);
  return {
    cronJob: {
      ...(typeof name === "string" ? { metadata: { name } } : {}),
      ...(Number.isInteger(limit) ? { spec: { failedJobsHistoryLimit: limit as number } } : {}),
    },
  };
}

/**
 * What quotas allow, by namespace. Those that count only some of the pods are left out, and of several quotas for one
 * resource all but the first.
 */
function quotasOf(manifests: readonly Manifest[]): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>();
  for (const manifest of manifests) {
    const { kind, apiVersion } = manifest.object;
    if (kind !== "ResourceQuota" || apiVersion !== "v1") continue;
    const { hard, scopes, scopeSelector } = objectIn(manifest.object["spec"]);
    if (scopes !== undefined || scopeSelector !== undefined) continue;
    const amounts = Object.entries(objectIn(hard)).filter(([, amount]) => isQuantity(amount));
    const namespace = namespaceOf(manifest);
    found.set(namespace, {
      ...Object.fromEntries(amounts.map(([name, amount]) => [name, String(amount)])),
      ...found.get(namespace),
    });
  }
  return found;
}

function isQuantity(amount: unknown): boolean {
  return /^[+-]?[0-9.]+([eE][+-]?[0-9]{1,3}|[KMGTPE]i|[numkMGTPE])?$/.test(String(amount));
}

function namespaceOf({ object }: Manifest): string {
  const namespace: unknown = objectIn(object.metadata)["namespace"];
  return typeof namespace === "string" && namespace !== "" ? namespace : "default";
}

function nameOf({ object }: Manifest): string {
  const { name, generateName } = objectIn(object.metadata);
  if (typeof name === "string") return name;
  return typeof generateName === "string" ? `${generateName}*` : "";
}

function objectIn(value: unknown): Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
