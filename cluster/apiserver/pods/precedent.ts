/**
 * Caches how admission completed the last pod. A template makes thousands of pods that differ only in name, uid, times,
 * hostname, and values of labels and annotations. Admission reads and writes text, so it is slow, and need not run
 * again for a pod that it has allowed.
 *
 * Invariant: a pod that follows the precedent becomes exactly what admission would make of it. So a precedent was
 * allowed without a warning. The fields that may differ have no influence on defaults or on rules of other fields, and
 * their own rules are checked here.
 */
import type { Pod, PodSpec } from "../../values/kinds.ts";
import type { ObjectMeta } from "../../values/types.ts";
import type { Precedents, ResourceRequest } from "../contract/context.ts";
import { deepEqual, sharing } from "../../values/json.ts";
import { validateMetadata } from "../verbs/metadata.ts";
import { labelErrors } from "../../values/names.ts";

interface Precedent {
  readonly given: Pod;
  readonly completed: Pod;
}

/** Holds the latest precedent. */
export class PodPrecedents implements Precedents {
  #latest: Precedent | undefined;

  set(given: Pod, completed: Pod): void {
    const isUsable = deepEqual(given.metadata, completed.metadata) && given.spec?.hostname === completed.spec?.hostname;
    this.#latest = isUsable ? { given, completed } : undefined;
  }

  follow(pod: Pod, request: ResourceRequest): Pod | undefined {
    if (this.#latest === undefined) return undefined;
    const { given, completed } = this.#latest;
    const metadata = sharedMembers(pod.metadata, given.metadata);
    if (
      !isSameBut("metadata", "spec", pod, given) ||
      !isSameSpec(pod.spec, given.spec) ||
      !isAllowed(metadata, given.metadata, request)
    )
      return undefined;
    const { hostname } = pod.spec;
    return {
      ...completed,
      metadata,
      spec: hostname === completed.spec.hostname ? completed.spec : { ...completed.spec, hostname: hostname! },
    };
  }
}

/** Whether metadata is valid, and has no annotation about which admission might warn. */
function isAllowed(metadata: ObjectMeta, known: ObjectMeta, request: ResourceRequest): boolean {
  if (metadata.namespace !== known.namespace) return false;
  for (const key in metadata.annotations) if (known.annotations?.[key] === undefined) return false;
  return validateMetadata(metadata, request, known).length === 0;
}

function isSameSpec(spec: PodSpec, known: PodSpec): boolean {
  return (
    isSameBut("hostname", undefined, spec, known) &&
    (spec.hostname === known.hostname || labelErrors(String(spec.hostname)).length === 0)
  );
}

type Fields = Readonly<Record<string, any>>;

/** Whether two objects have the same members in the same order, apart from the content of two members. */
function isSameBut(free: string, freeToo: string | undefined, value: Fields, known: Fields): boolean {
  const names = Object.keys(known);
  let place = 0;
  for (const name in value) {
    if (names[place++] !== name) return false;
    if (name !== free && name !== freeToo && sharing(value[name], known[name]) !== known[name]) return false;
  }
  return place === names.length;
}

/** The same metadata, but with equal members taken from the other: these were checked before. */
function sharedMembers(metadata: ObjectMeta, known: ObjectMeta): ObjectMeta {
  const { ownerReferences, finalizers } = metadata;
  return {
    ...metadata,
    ...(ownerReferences && {
      ownerReferences: deepEqual(ownerReferences, known.ownerReferences) ? known.ownerReferences! : ownerReferences,
    }),
    ...(finalizers && { finalizers: deepEqual(finalizers, known.finalizers) ? known.finalizers! : finalizers }),
  };
}
