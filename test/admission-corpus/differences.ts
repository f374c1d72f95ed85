/**
 * In what two answers to the same request differ, as classes: sentences that contain nothing of one case alone, so that
 * a thousand cases make some dozens of them. The verdict comes first, then causes, then texts, then order.
 */
import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../cluster/values/json.ts";
import type { Json } from "../../cluster/values/types.ts";
import type { Answer, Cause } from "./ask.ts";

/** How much a class weighs; the heaviest first. */
export const WEIGHTS = ["verdict", "cause", "stored object", "warning", "message", "order"] as const;
export type Weight = (typeof WEIGHTS)[number];

export interface Difference {
  readonly weight: Weight;
  /** What differs, the same for all cases of a class. */
  readonly what: string;
}

export function differencesOf(upstream: Answer, stint: Answer): readonly Difference[] {
  const found = isAllowed(upstream) && isAllowed(stint) ? ofAllowed(upstream, stint) : ofRefused(upstream, stint);
  return found.filter((one, index) => found.findIndex(({ what }) => what === one.what) === index);
}

const isAllowed = ({ status }: Answer): boolean => status >= 200 && status < 300;

function ofAllowed(upstream: Answer, stint: Answer): Difference[] {
  return [
    ...changedPaths(upstream.object ?? null, stint.object ?? null, "").map((what): Difference => ({
      weight: "stored object",
      what,
    })),
    ...ofWarnings(upstream, stint),
  ];
}

function ofRefused(upstream: Answer, stint: Answer): Difference[] {
  // Upstream has crashed over the request (docs/differences.md): there is no answer to compare with.
  if (upstream.status === 0) return [];
  if (upstream.status !== stint.status) return ofVerdicts(upstream, stint);
  const missing = without(upstream.causes, stint.causes);
  const extra = without(stint.causes, upstream.causes);
  const found: Difference[] = [];
  for (const cause of missing) {
    const twin = extra.findIndex(({ field, reason }) => field === cause.field && reason === cause.reason);
    if (twin < 0) found.push({ weight: "cause", what: `misses ${templateOf(cause)}` });
    else found.push(ofMessages(templateOf(cause), templateOf(extra.splice(twin, 1)[0]!)));
  }
  found.push(...extra.map((cause): Difference => ({ weight: "cause", what: `invents ${templateOf(cause)}` })));
  if (found.length === 0 && upstream.causes.length > 0 && !isDeepStrictEqual(upstream.causes, stint.causes)) {
    const at = upstream.causes.findIndex((cause, index) => !isDeepStrictEqual(cause, stint.causes[index]));
    return [{ weight: "order", what: `has another order from ${templateOf(upstream.causes[at]!)} on` }];
  }
  if (found.length === 0 && (upstream.message !== stint.message || upstream.reason !== stint.reason)) {
    return [ofMessages(maskedText(upstream.message ?? ""), maskedText(stint.message ?? ""))];
  }
  return [...found, ...ofWarnings(upstream, stint)];
}

function ofMessages(upstream: string, stint: string): Difference {
  if ([upstream, stint].every((text) => text.includes("cannot unmarshal"))) {
    return { weight: "message", what: "names another path or type of Go's for a value of the wrong JSON type" };
  }
  if (upstream === stint) return { weight: "message", what: `shows another value in ${stint}` };
  return { weight: "message", what: `says ${stint} for ${upstream}` };
}

function ofVerdicts(upstream: Answer, stint: Answer): Difference[] {
  const because = ({ causes, message = "" }: Answer): string[] =>
    causes.length > 0 ? causes.map(templateOf) : [maskedText(message)];
  const verdict = (what: string): Difference => ({ weight: "verdict", what });
  if (isAllowed(stint)) return because(upstream).map((why) => verdict(`accepts ${why}`));
  if (isAllowed(upstream)) return because(stint).map((why) => verdict(`refuses ${why}`));
  return [
    verdict(`answers ${stint.status} for ${upstream.status}: ${because(upstream)[0]}; says ${because(stint)[0]}`),
  ];
}

function ofWarnings({ warnings: upstream }: Answer, { warnings: stint }: Answer): Difference[] {
  const missing = upstream.filter((text) => !stint.includes(text));
  const extra = stint.filter((text) => !upstream.includes(text));
  if (missing.length + extra.length > 0) {
    return [
      ...missing.map((text): Difference => ({ weight: "warning", what: `lacks the warning ${maskedText(text)}` })),
      ...extra.map((text): Difference => ({ weight: "warning", what: `has the warning ${maskedText(text)}` })),
    ];
  }
  return isDeepStrictEqual(upstream, stint) ? [] : [{ weight: "order", what: "has another order of warnings" }];
}

function without(causes: readonly Cause[], others: readonly Cause[]): Cause[] {
  const left = others.map((cause) => JSON.stringify(cause));
  return causes.filter((cause) => {
    const at = left.indexOf(JSON.stringify(cause));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function templateOf({ field, reason, message }: Cause): string {
  return `${maskedField(field)} ${reason.replace("FieldValue", "")}: ${maskedText(message)}`;
}

/** What a Job's spec has, and a Pod's has not, or not alone. */
const OF_JOBS =
  "parallelism|completions|podFailurePolicy|successPolicy|backoffLimit|maxFailedIndexes|selector|manualSelector|template|ttlSecondsAfterFinished|completionMode|suspend|podReplacementPolicy|managedBy|activeDeadlineSeconds";
const OF_PODS = new RegExp(`^spec\\.(?!${OF_JOBS})`);

/** `spec.template.spec.containers[3]` and `spec.initContainers[0]` are both `pod.containers[]`. */
function maskedField(field: string): string {
  return field
    .replace(/\[[^\]]*\]/g, "[]")
    .replace(/^spec\.template\.spec\b/, "pod")
    .replace(OF_PODS, "pod.")
    .replace(/\b(init|ephemeral)C(?=ontainers)/, "c");
}

const SHOWN = 240;

function maskedText(text: string): string {
  return text
    .replace(/"(\\.|[^"\\])*"/g, '"…"')
    .replace(/(Invalid value: )[{[].*[}\]](?=: )/s, "$1{…}")
    .replace(/\[[^\]]*\]/g, "[]")
    .replace(/-?\d+/g, "N")
    .slice(0, SHOWN);
}

function changedPaths(upstream: Json, stint: Json, path: string): string[] {
  if (isDeepStrictEqual(upstream, stint)) return [];
  const at = (key: string): string => (path === "" ? key : `${path}.${key}`);
  if (isObject(upstream) && isObject(stint)) {
    return [...new Set([...Object.keys(upstream), ...Object.keys(stint)])].flatMap((key) => {
      if (!(key in stint)) return [`stores no ${maskedField(at(key))}`];
      return key in upstream
        ? changedPaths(upstream[key]!, stint[key]!, at(key))
        : [`stores ${maskedField(at(key))}, which upstream does not`];
    });
  }
  if (Array.isArray(upstream) && Array.isArray(stint) && upstream.length === stint.length)
    return upstream.flatMap((one, index) => changedPaths(one, stint[index]!, `${path}[${index}]`));
  return [`stores another ${maskedField(path)}`];
}
