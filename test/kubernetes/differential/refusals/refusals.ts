/**
 * What a server says to the objects and the changes of ../served-kinds/, good and bad: the status, and each fault that
 * it finds. What the real one said is recorded, so `npm test` asks without it
 * (test/cluster/apiserver/refusals.test.ts).
 */
import type { Ask } from "../ask.ts";
import type { Comparable } from "../comparable.ts";
import { objectOf, type TriedKind } from "../kinds.ts";
import type { Sequence } from "../play.ts";
import { SERVED_KINDS } from "../served-kinds/served-kinds.ts";

/** Listed in known-differences.ts. */
const TOLD_OTHERWISE = /tolerations|"expression":"1 \+"/;

export const REFUSALS: readonly Sequence[] = SERVED_KINDS.map((tried) => ({
  name: `${tried.apiVersion} ${tried.kind}`,
  asks: asksOf(tried).filter(({ body }) => !TOLD_OTHERWISE.test(JSON.stringify(body))),
}));

function asksOf(tried: TriedKind): readonly Ask[] {
  const { collection, isOfCluster, changes, statusChanges = [], others, kind, apiVersion } = tried;
  const name = isOfCluster ? "<ns>-a" : "a";
  const patch = (path: string, body: Ask["body"]): Ask => ({
    method: "PATCH",
    path,
    type: "application/merge-patch+json",
    body: body!,
  });
  return [
    { method: "POST", path: collection, body: objectOf(tried, name) },
    ...changes.map((change) => patch(`${collection}/${name}`, change)),
    ...statusChanges.map((change) => patch(`${collection}/${name}/status`, change)),
    ...others.map((other) => ({
      method: "POST",
      path: `${collection}?dryRun=All`,
      body: { apiVersion, kind, metadata: { name: `${name}-other` }, ...other },
    })),
  ];
}

/** An answer as it is recorded. */
export interface Said {
  readonly status: number;
  /** In alphabetical order: which is told first says nothing. */
  readonly faults: readonly string[];
}

export function said({ status, body }: Comparable): Said {
  if (status < 400) return { status, faults: [] };
  const { message, details } = JSON.parse(body) as {
    readonly message: string;
    readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
  };
  const faults = details?.causes?.map((cause) => `${cause.field}: ${cause.message}`) ?? [message];
  return { status, faults: faults.toSorted() };
}
