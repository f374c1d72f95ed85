/**
 * Reads what must be known of a recording before it is replayed: when it begins, and which Jobs are in it, as a
 * manifest of their first versions.
 */
import { IngestKind } from "../../bindings/js/engine.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { yamlLines } from "../history/yaml-lines.ts";
import { RecordedObjects } from "./recorded-objects.ts";

export interface RecordingOpening {
  /** Wall time, in milliseconds since 1970. */
  readonly startMs: number;
  readonly yaml: string;
}

/** The manifest has no more Jobs than this; a long recording may have thousands. */
const MAX_JOBS = 100;
/** What the API server added to the Job. */
const OWN_LABELS = /^(batch\.kubernetes\.io\/)?(controller-uid|job-name)$/;

/** Does not throw: the replay finds what is wrong with a line. */
export function openingOf(lines: readonly string[]): RecordingOpening {
  /** By namespace and name: a recreated Job is not in the manifest twice. */
  const jobs = new Map<string, KubeObject>();
  const objects = new RecordedObjects();
  let startMs: number | undefined;
  let offsetMs = 0;
  let sources: readonly { readonly id: number; readonly resource: string }[] = [];
  for (const line of lines) {
    const entry = parsed(line);
    if (entry?.call === "configure") sources = entry.configuration?.sources ?? [];
    if (entry?.call === "clock") offsetMs = Number(entry.offsetMs);
    if (typeof entry?.now === "number") startMs ??= Math.floor(entry.now + offsetMs);
    if (entry?.call !== "ingest" || typeof entry.text !== "string") continue;
    if (!tried(() => sources.filter(({ id }) => id === entry.source)).some(({ resource }) => resource === "jobs"))
      continue;
    const writes = entry.kind === IngestKind.page ? tried(() => objects.page("jobs", entry.text)) : [];
    if (entry.kind === IngestKind.watchLines) writes.push(...tried(() => objects.watchLines("jobs", entry.text)));
    for (const { type, object } of writes) {
      const key = `${object.metadata.namespace}/${object.metadata.name}`;
      if (type === "ADDED" && jobs.size < MAX_JOBS && !jobs.has(key)) jobs.set(key, object);
    }
  }
  const manifests = [...jobs.values()].flatMap((job) => tried(() => [manifestOf(job)]));
  return { startMs: startMs ?? 0, yaml: manifests.join("---\n") };
}

function manifestOf(job: KubeObject): string {
  const { name, namespace, labels, annotations } = job.metadata;
  const spec = structuredClone(job["spec"] ?? {});
  delete spec.selector;
  delete spec.manualSelector;
  const template = spec.template?.metadata;
  if (template) template.labels = withoutOwn(template.labels);
  const manifest = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace, labels: withoutOwn(labels), annotations },
    spec,
  };
  return `${yamlLines(manifest, Infinity)
    .map(({ text }) => text)
    .join("\n")}\n`;
}

function withoutOwn(labels: Readonly<Record<string, string>> | null | undefined): Record<string, string> | undefined {
  const others = Object.entries(labels ?? {}).filter(([name]) => !OWN_LABELS.test(name));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

function tried<T>(run: () => T[]): T[] {
  try {
    return run();
  } catch {
    return [];
  }
}

function parsed(line: string): any {
  // Only two of ten lines are worth reading.
  if (!/"call":"(configure|clock|ingest|poll)"/.test(line)) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
