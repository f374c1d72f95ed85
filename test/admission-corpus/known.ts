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

const STRUCTS = "struct values in messages";
const TYPES = "values of the wrong JSON type";
const WRITTEN_FORM = "the written form of quantities and of empty lists";
const SWITCHES = "fields behind switches that are off";
const BESIDE_REFUSAL = "a warning beside a refusal";

export const KNOWN: readonly KnownDifference[] = [
  { what: /^shows another value in .*\{…\}/, why: STRUCTS },
  { what: /template\.metadata\.labels Invalid: Invalid value: null/, why: STRUCTS },
  { what: /Go's for a value of the wrong JSON type/, why: TYPES },
  { what: /cannot be handled as a (Job|Pod): .* for (Job|Pod) in version/, why: TYPES },
  {
    what: /^stores another pod\.(overhead|.*\.sizeLimit|.*resources\.(requests|limits)|volumes\[\]\.projected\.sources)/,
    why: WRITTEN_FORM,
  },
  { what: /^says pod\.\S*resources\.requests .* limit of N for .* limit of \+N/, why: WRITTEN_FORM },
  { what: /^lacks the warning .*resources\.\S+: fractional byte value/, why: WRITTEN_FORM },
  { what: /^stores pod\.(volumes\[\]\.projected\.sources\[\]\.|containers\[\]\.lifecycle)/, why: SWITCHES },
  { what: /^has the warning metadata\.name: this is used in the Pod's hostname/, why: BESIDE_REFUSAL },
];

/** Why a class is left; undefined: it is not known. */
export function knownReason({ what }: Difference): string | undefined {
  return KNOWN.find((known) => known.what.test(what))?.why;
}
