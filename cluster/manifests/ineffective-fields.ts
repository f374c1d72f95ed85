/**
 * The warnings and notes of a run: each field without effect, and each warning of the API server. Each is reported
 * once, however many containers and Jobs have it. A warning names a place where the manifest may have to change. A note
 * says what is so for every pod on this runtime.
 */
import type { ContainerRuntime, UnsupportedField } from "../kubelet/container-runtime.ts";
import { unsupportedFields } from "../kubelet/unsupported.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { LoadedObjects } from "./load-objects.ts";
import type { Manifest } from "./manifests.ts";
import { ignoredPlacement } from "../scheduler/node-match.ts";
import type { Job, Pod } from "../values/kinds.ts";

export interface RunWarnings {
  /** Each at its first place, in the order of the input. */
  readonly warnings: readonly Diagnostic[];
  /** Sentences, without a place. */
  readonly notes: readonly string[];
}

export function runWarnings({ jobs, warnings }: LoadedObjects, runtime: ContainerRuntime): RunWarnings {
  const fields = jobs.flatMap(({ job, input }) => ineffectiveFields(job, input.manifest, runtime));
  const worthWarning = fields.filter(({ note }) => note === undefined);
  return {
    warnings: onceEach([...warnings.map((warning) => ({ ...warning, kind: warning.message })), ...worthWarning]),
    notes: [...new Set(fields.flatMap(({ note }) => note ?? []))],
  };
}

/**
 * A key that is the same for fields that have no effect for the same reason, whichever container or volume has them.
 */
export function kindOf({ path, why }: UnsupportedField): string {
  return `${path.replace(/\[\d+\]/g, "[]")}: ${why}`;
}

interface OfKind extends Diagnostic {
  readonly kind: string;
  readonly note?: string | undefined;
}

function ineffectiveFields(job: Job, manifest: Manifest, runtime: ContainerRuntime): OfKind[] {
  const { metadata, spec } = job.spec.template;
  const pod = { metadata: { ...job.metadata, ...metadata }, spec } as Pod;
  const all: readonly UnsupportedField[] = [
    ...unsupportedFields(pod, runtime),
    ...runtime.unsupported(pod),
    ...ignoredPlacement(spec).map((path) => ({ path, why: "the scheduler does not consider it" })),
  ];
  return all.map((field) => {
    const whole = field.path.replace(/^spec\b/, "spec.template.spec");
    return {
      kind: kindOf(field),
      note: field.note,
      position: manifest.nameAt(whole),
      message: `${whole} has no effect: ${field.why}`,
    };
  });
}

function onceEach(all: readonly OfKind[]): Diagnostic[] {
  const kinds = Map.groupBy(all, ({ kind }) => kind);
  return [...kinds.values()].map(([first, ...others]) => ({
    position: first!.position,
    message: `${first!.message}${others.length === 0 ? "" : ` (here and in ${others.length} more place${others.length === 1 ? "" : "s"})`}`,
  }));
}
