/**
 * The objects of a text, as a server or a user wrote them: each Job with its pods and Events, and what a run needs
 * besides.
 *
 * Invariant: no object is left out silently. Each keeps the places of its fields in the text. Leaves out what the
 * objects mean.
 */
import { JOBS } from "../../cluster/client/client.ts";
import { isCronJob, jobOfCronJob } from "../../cluster/manifests/cron-job-template.ts";
import { diagnosticText } from "../../cluster/manifests/diagnostic.ts";
import { type Manifest, parseManifests } from "../../cluster/manifests/manifests.ts";
import { objectNames } from "../../cluster/manifests/object-names.ts";
import { RUN_RESOURCES } from "../../cluster/manifests/run-inputs.ts";
import { wrongHead } from "../../cluster/manifests/served-versions.ts";
import { shapeProblem } from "../../cluster/observed/object-shape.ts";
import { lastWriteMs } from "../../cluster/observed/times.ts";
import { isObject } from "../../cluster/values/json.ts";
import type { Event, Job, Pod } from "../../cluster/values/kinds.ts";
import type { YamlReader } from "../../cluster/yaml/yaml-tree.ts";

export interface FoundJob {
  /** As it stands in the text. */
  readonly manifest: Manifest;
  readonly job: Job;
  /** Undefined: no pod and no Event is in the text, so they are not known. */
  readonly pods: readonly FoundPod[] | undefined;
  readonly events: readonly Event[] | undefined;
  /** It is what the CronJob makes, and has not run. */
  readonly isOfCronJob: boolean;
}

export interface FoundPod {
  readonly manifest: Manifest;
  readonly pod: Pod;
}

export interface FoundObjects {
  readonly jobs: readonly FoundJob[];
  /** Namespaces, quotas, ConfigMaps and Secrets: a run has them beside its Jobs. */
  readonly surroundings: readonly Manifest[];
  readonly notes: readonly string[];
  /** The latest time that the objects name, in milliseconds since 1970; 0: none. */
  readonly latestMs: number;
  /** What is in the text, in words: `1 Job, 3 Pods, 7 Events`. */
  readonly counts: string;
  /** Why there is no Job to speak of, as a sentence; undefined: there is one. */
  readonly problem: string | undefined;
}

/** Pods and Events are counted in the question; of other kinds a run has a use for these alone. */
const ASKED: ReadonlySet<string> = new Set(["Job", "CronJob", "Pod", "Event"]);
const SURROUNDINGS: ReadonlySet<string> = new Set(
  RUN_RESOURCES.filter((resource) => resource !== JOBS).map(({ kind }) => kind),
);
const FILE = "the text";

export function objectsIn(text: string, readYaml: YamlReader, isJson: boolean): FoundObjects {
  const file = isJson ? `${FILE}.json` : FILE;
  const { manifests: read, diagnostics } = parseManifests({ file, text }, readYaml, {
    isVerbatim: true,
    skipsOthers: true,
  });
  const heads = read.map(withRightHead);
  const manifests = newestOfEach(heads.map(({ manifest }) => manifest));
  const byKind = Map.groupBy(manifests, ({ object }) => object.kind!);
  const of = (kind: string): readonly Manifest[] => byKind.get(kind) ?? [];
  const whole = of("Job").filter((manifest) => isWhole(manifest));
  const seen = { pods: of("Pod").filter(isWhole), events: of("Event") };
  const ofCronJobs = of("CronJob").filter((cronJob) => isCronJob(cronJob) && !makes(cronJob, whole));
  const jobs = [
    ...whole.map((manifest) => foundJob(manifest, seen, false)),
    ...ofCronJobs.map((cronJob) => foundJob(jobOfCronJob(cronJob), { pods: [], events: [] }, true)),
  ];
  const unused = manifests.filter(({ object: { kind } }) => !ASKED.has(kind!) && !SURROUNDINGS.has(kind!));
  const broken = [...of("Job"), ...of("Pod")].filter((manifest) => !isWhole(manifest));
  const [mistake] = diagnostics;
  return {
    jobs,
    surroundings: manifests.filter(({ object: { kind } }) => SURROUNDINGS.has(kind!)),
    counts: [...byKind].map(([kind, { length }]) => `${length} ${kind}${length === 1 ? "" : "s"}`).join(", "),
    latestMs: Math.max(0, ...manifests.map(timeOf)),
    notes: [
      ...heads.flatMap(({ note }) => note ?? []),
      ...(jobs.length > 0 && mistake !== undefined ? [diagnosticText(mistake)] : []),
      ...broken.map(
        ({ object }) => `left out, because its form is wrong: ${object.kind} ${object.metadata?.name ?? ""}`,
      ),
      ...(unused.length === 0 ? [] : [`left out, because a run has no use for it: ${objectNames(unused)}`]),
      ...ofCronJobs.map(
        ({ object }) =>
          `CronJob ${object.metadata?.name ?? ""} makes Jobs by its schedule; its Job runs here once, now`,
      ),
    ],
    problem: jobs.length > 0 ? undefined : ((mistake && diagnosticText(mistake)) ?? withoutJob(manifests)),
  };
}

function withoutJob(manifests: readonly Manifest[]): string {
  const kinds = manifests.map(({ object }) => object.kind);
  if (kinds.includes("Kustomization"))
    return "here is a kustomization.yaml; paste what `kubectl kustomize` prints of it";
  if (kinds.includes("Pod"))
    return `here is ${objectNames(manifests)}, and no Job; give the Job, too: \`kubectl get job,pods,events -o yaml\``;
  return manifests.length === 0
    ? "here is no object of Kubernetes; allowed are objects with apiVersion and kind, a Job among them"
    : `here is ${objectNames(manifests)}; at least one Job or CronJob is needed beside`;
}

/** An old version or a misspelt kind is read as what it means. */
function withRightHead(manifest: Manifest): { readonly manifest: Manifest; readonly note: string | undefined } {
  const { apiVersion, kind } = manifest.object;
  const wrong = wrongHead(apiVersion!, kind!);
  if (wrong?.meant === undefined) return { manifest, note: undefined };
  const object = { ...manifest.object, apiVersion: wrong.meant.apiVersion, kind: wrong.meant.kind };
  return { manifest: { ...manifest, object }, note: `line ${manifest.valueAt(wrong.field).line}: ${wrong.message}` };
}

/** Of several states of one object the newest. */
function newestOfEach(manifests: readonly Manifest[]): readonly Manifest[] {
  const newest = new Map<unknown, Manifest>();
  for (const manifest of manifests) {
    const { uid, resourceVersion } = manifest.object.metadata ?? {};
    const key = uid ?? manifest;
    const known = newest.get(key)?.object.metadata?.resourceVersion;
    if (known === undefined || Number(resourceVersion) >= Number(known)) newest.set(key, manifest);
  }
  return [...newest.values()];
}

/** Its members have the types that are relied on here. A manifest has no uid yet. */
function isWhole({ object }: Manifest): boolean {
  const { metadata, spec } = object;
  if (!isObject(spec) || (metadata !== undefined && !isObject(metadata))) return false;
  const named = { ...object, metadata: { name: "job", uid: "uid", ...metadata } };
  return typeof named.metadata.name === "string" && shapeProblem(named) === undefined;
}

/** One of the Jobs is of this CronJob, so the CronJob itself need not run. */
function makes(cronJob: Manifest, jobs: readonly Manifest[]): boolean {
  const { name } = cronJob.object.metadata ?? {};
  return jobs.some(({ object }) =>
    object.metadata?.ownerReferences?.some((owner) => owner.kind === "CronJob" && owner.name === name),
  );
}

function foundJob(
  manifest: Manifest,
  seen: { readonly pods: readonly Manifest[]; readonly events: readonly Manifest[] },
  isOfCronJob: boolean,
): FoundJob {
  const job = manifest.object as unknown as Job;
  const pods = seen.pods.filter(({ object }) => isPodOf(object, job));
  const names = new Set([job.metadata?.name, ...pods.map(({ object }) => object.metadata?.name)]);
  const events = seen.events.filter(({ object }) => {
    const about: unknown = object["involvedObject"] ?? object["regarding"];
    return isObject(about) && names.has(about["name"] as string) && isNamespaceOf(job, about["namespace"]);
  });
  const isKnown = seen.pods.length > 0 || seen.events.length > 0;
  return {
    manifest,
    job,
    pods: isKnown ? pods.map((pod) => ({ manifest: pod, pod: pod.object as unknown as Pod })) : undefined,
    events: seen.events.length > 0 ? events.map(({ object }) => object as unknown as Event) : undefined,
    isOfCronJob,
  };
}

function isPodOf({ metadata = {} }: Manifest["object"], job: Job): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner !== undefined) return owner.kind === "Job" && owner.uid === job.metadata?.uid;
  const named = metadata.labels?.["batch.kubernetes.io/job-name"] ?? metadata.labels?.["job-name"];
  return named !== undefined && named === job.metadata?.name && isNamespaceOf(job, metadata.namespace);
}

function isNamespaceOf(job: Job, namespace: unknown): boolean {
  return (namespace ?? "default") === (job.metadata?.namespace ?? "default");
}

function timeOf({ object }: Manifest): number {
  if (object.kind === "Job" || object.kind === "Pod") return lastWriteMs({ metadata: {}, ...object } as unknown as Job);
  const { lastTimestamp, eventTime, metadata } = object as {
    lastTimestamp?: unknown;
    eventTime?: unknown;
  } & typeof object;
  return Date.parse(String(lastTimestamp ?? eventTime ?? metadata?.creationTimestamp)) || 0;
}
