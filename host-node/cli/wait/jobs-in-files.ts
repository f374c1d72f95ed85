/**
 * The Jobs that `stint wait -f` waits for: those that files name, as `kubectl wait -f` takes them. Only name and
 * namespace are read; the other fields of a Job in the files may differ from the server's.
 *
 * Invariant: a wait is about one namespace, and each Job of the files is in it, or nothing is waited for. Objects that
 * are no Jobs are counted, not skipped silently.
 */
import { JOBS } from "../../../cluster/client/client.ts";
import { diagnosticText, InputError, type Position } from "../../../cluster/manifests/diagnostic.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import { UsageError } from "../../usage-error.ts";
import { named } from "../cluster-access.ts";
import { objectNames } from "../../../cluster/manifests/object-names.ts";
import { passedOver, readManifests } from "../input/read-manifests.ts";
import { objectIn } from "../../manifests/job-in.ts";

export interface JobInFile {
  readonly name: string;
  /** Undefined: the file names none. */
  readonly namespace: string | undefined;
  /** Of the namespace, or of the Job. */
  readonly position: Position;
}

export interface JobsInFiles {
  /** At least one. */
  readonly jobs: readonly JobInFile[];
  /** `1 ConfigMap`; empty: the files have nothing but Jobs. */
  readonly passedOver: string;
}

/**
 * @param paths files, folders, and - for standard input
 * @throws InputError, UsageError for what cannot be read, has no Job, or has a Job without a fixed name
 */
export function jobsInFiles(paths: readonly string[], isRecursive: boolean): JobsInFiles {
  const { manifests, mistakes } = readManifests(paths, isRecursive);
  if (mistakes.length > 0) throw new InputError(mistakes);
  const jobs = manifests.filter(({ object }) => object.apiVersion === JOBS.apiVersion && object.kind === JOBS.kind);
  if (jobs.length === 0)
    throw new UsageError(`there is no Job in ${paths.join(", ")}: here is ${objectNames(manifests)}`);
  return { jobs: jobs.map(jobOf), passedOver: passedOver(manifests, new Set(jobs)) };
}

/**
 * The one namespace of the Jobs.
 * @param given that of --namespace. @param initial that of a Job whose file names none
 * @throws UsageError when there are several
 */
export function namespaceOf(jobs: readonly JobInFile[], given: string | undefined, initial: string): string {
  const other = jobs.find(({ namespace = initial }) => namespace !== (given ?? jobs[0]!.namespace ?? initial));
  if (other === undefined) return given ?? jobs[0]!.namespace ?? initial;
  const { namespace = initial, position } = other;
  const [first] = jobs;
  const expected =
    given === undefined
      ? `that of the Job ${first!.name} is ${first!.namespace ?? initial}; allowed is one namespace: wait for the others with a separate command`
      : `--namespace is ${given}; leave --namespace out, or name the Jobs that are meant`;
  const message = `the namespace of the Job ${other.name} is ${namespace}, and ${expected}`;
  throw new UsageError(diagnosticText({ position, message }));
}

function jobOf(manifest: Manifest): JobInFile {
  const { name, generateName, namespace } = objectIn(manifest.object.metadata);
  const refuse = (field: string, message: string): never => {
    throw new UsageError(diagnosticText({ position: manifest.nameAt(field), message: `${field}: ${message}` }));
  };
  if (name === undefined && generateName !== undefined)
    refuse(
      "metadata.generateName",
      "the server chooses the name of such a Job, so this file does not say which one is meant; name the Job that `kubectl create` has printed, or select it by label with --selector",
    );
  if (typeof name !== "string") refuse("metadata.name", "here is no name; allowed is the name of a Job");
  if (namespace !== undefined && typeof namespace !== "string")
    refuse("metadata.namespace", "here is no name; allowed is the name of a namespace");
  const placed = (field: string): string => diagnosticText({ position: manifest.valueAt(field), message: field });
  return {
    name: named(placed("metadata.name"), name),
    namespace: namespace === undefined ? undefined : named(placed("metadata.namespace"), namespace),
    position: manifest.nameAt(namespace === undefined ? "" : "metadata.namespace"),
  };
}
