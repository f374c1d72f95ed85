/**
 * The classes of differences that are known, each with the reason why it is left: what a row of docs/differences.md
 * says, or what this set-up has and a cluster has not. A class that is not here is a fault.
 */
import type { Difference } from "./differences.ts";

interface KnownDifference {
  /** What the classes say. */
  readonly what: RegExp;
  readonly why: string;
}

const UNCHECKED = "a part of a pod that is not checked";
const WRITTEN_FORM = "the written form of seldom fields";

export const KNOWN: readonly KnownDifference[] = [
  { what: /^answers \d+ for 0: no answer/, why: "upstream crashes" },
  { what: /^shows another value in .*\{…\}/, why: "struct values in messages" },
  { what: /template\.metadata\.labels Invalid: Invalid value: null/, why: "struct values in messages" },
  { what: /^shows another value in spec\.selector /, why: "struct values in messages" },
  { what: /^shows another value in \S+ NotSupported/, why: "control characters in words that are not supported" },
  { what: /Go's for a value of the wrong JSON type/, why: "values of the wrong JSON type" },
  { what: /quantities must match|unable to parse quantity/, why: "values of the wrong JSON type" },
  { what: /serviceAccount/, why: "the plugin ServiceAccount is off in this set-up" },
  { what: /[Pp]riorit/, why: "there are no PriorityClasses in this set-up" },
  {
    what: /^(accepts|misses|answers \d+ for \d+:) pod\.(?!restartPolicy |containers\[\]\.(name|env|resources))/,
    why: UNCHECKED,
  },
  // A quantity in the name of a resource is none of the schema's.
  { what: /^answers 400 for 422: pod\.containers\[\]\.resources/, why: "values of the wrong JSON type" },
  { what: /^misses pod\.containers\[\]\.env\[\]\.valueFrom\.fileKeyRef/, why: UNCHECKED },
  { what: /^invents pod\.volumes\[\]\.\w+ Forbidden: Forbidden: may not specify more than N/, why: UNCHECKED },
  { what: /^stores no pod\.volumes\[\]\.ephemeral/, why: WRITTEN_FORM },
  {
    what: /^stores no pod\.(affinity|volumes\[\]\.projected|dnsConfig|containers\[\]\.lifecycle)/,
    why: WRITTEN_FORM,
  },
  { what: /^stores no spec\.(podFailurePolicy\.rules|template\.metadata\.ownerReferences)/, why: WRITTEN_FORM },
  { what: /^stores pod\.volumes\[\]\.projected\.sources\[\]\.podCertificate/, why: WRITTEN_FORM },
  {
    what: /^stores another pod\.(containers\[\]\.imagePullPolicy|overhead|volumes\[\]\.projected\.sources)/,
    why: WRITTEN_FORM,
  },
  { what: /^stores another status\.conditions\[\]\.lastTransitionTime/, why: WRITTEN_FORM },
  { what: /^stores no pod\.resources|^stores another status\.qosClass/, why: "resources of a whole pod" },
  { what: /^lacks the warning (\S+: hostIP set without|volume ".*has no sources)/, why: "seldom warnings" },
  { what: /^has the warning metadata\.name: this is used in the Pod's hostname/, why: "seldom warnings" },
  { what: /the warning unknown field/, why: "fields that the schema of the client library names otherwise" },
  { what: /name must be provided|StorageError: invalid object/, why: "refusals of a PUT with another name or UID" },
];

/** Why a class is left; undefined: it is not known. */
export function knownReason({ what }: Difference): string | undefined {
  return KNOWN.find((known) => known.what.test(what))?.why;
}
