/**
 * Two runs of a scenario, side by side: what differs, in words.
 *
 * Batching aside: a controller that writes rarely shows several changes in one write, another one after the other. So
 * the order of two changes is a difference only when the two runs show them in opposite orders, each in writes of its
 * own; and what a counter says on its way is compared with other counters alone.
 */
import { isDeepStrictEqual } from "node:util";
import type { Milestone, Outcome } from "./outcome.ts";
import type { Aspect } from "./scenario.ts";

/**
 * A retry may come this much sooner or later: upstream looks a second late, and whose processes get the machine first
 * is chance. It is less than a third of what lies between any two delays (0, 10, 20 s); how long each is to the
 * millisecond, test/vectors/engine/ says.
 */
export const GAP_TOLERANCE_MS = 3_000;

export interface Difference {
  readonly aspect: Aspect;
  readonly text: string;
}

/** @param without aspects that say nothing in this scenario */
export function differencesOf(upstream: Outcome, stint: Outcome, without: readonly Aspect[] = []): Difference[] {
  const differences: Difference[] = [
    ...stint.backwards.map((text) => ({ aspect: "status" as const, text: `Stint: ${text}` })),
    ...byKey("status", upstream.status, stint.status),
    ...orderDifferences(upstream.order, stint.order),
    ...byKey("events", upstream.events, stint.events),
    ...byKey("pods created", upstream.podsCreated, stint.podsCreated),
    ...byKey("pods at once", { "the most": upstream.podsAtOnce }, { "the most": stint.podsAtOnce }),
    ...linesOf("pods left", upstream.podsLeft, stint.podsLeft),
    ...linesOf("pod contents", upstream.podContents, stint.podContents),
    ...gapDifferences(upstream.gapsMs, stint.gapsMs),
    ...linesOf("objects", upstream.objects, stint.objects),
  ];
  return differences.filter(({ aspect }) => !without.includes(aspect));
}

type Values = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function byKey(aspect: Aspect, upstream: Values, stint: Values, path = ""): Difference[] {
  return [...new Set([...Object.keys(upstream), ...Object.keys(stint)])].flatMap((key) => {
    const [theirs, ours] = [upstream[key], stint[key]];
    if (isDeepStrictEqual(theirs, ours)) return [];
    const name = path === "" ? key : `${path}.${key}`;
    return isRecord(theirs) && isRecord(ours)
      ? byKey(aspect, theirs, ours, name)
      : [{ aspect, text: `${name}: upstream ${show(theirs)}, Stint ${show(ours)}` }];
  });
}

const show = (value: unknown): string => JSON.stringify(value) ?? "none";

/** Lists of lines, as bags. */
function linesOf(aspect: Aspect, upstream: readonly string[], stint: readonly string[]): Difference[] {
  const rest = [...stint];
  const missing = upstream.filter((line) => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return [
    ...missing.map((line) => ({ aspect, text: `only upstream: ${line}` })),
    ...rest.map((line) => ({ aspect, text: `only Stint: ${line}` })),
  ];
}

function orderDifferences(upstream: readonly Milestone[], stint: readonly Milestone[]): Difference[] {
  const names = (milestones: readonly Milestone[]): string[] => milestones.map(({ what }) => what);
  const differences = linesOf("order", names(upstream), names(stint));
  const ours = new Map(stint.map(({ what, write }) => [what, write]));
  const common = upstream.filter(({ what }) => ours.has(what));
  for (const [at, first] of common.entries()) {
    for (const second of common.slice(at + 1)) {
      if (first.isCounter !== second.isCounter && (first.isPassing || second.isPassing)) continue;
      const inOrder = Math.sign(second.write - first.write);
      const inOurs = Math.sign(ours.get(second.what)! - ours.get(first.what)!);
      if (inOrder * inOurs < 0)
        differences.push({
          aspect: "order",
          text: `"${first.what}" and then "${second.what}" with upstream, the other way round with Stint`,
        });
    }
  }
  return differences;
}

function gapDifferences(upstream: Outcome["gapsMs"], stint: Outcome["gapsMs"]): Difference[] {
  return [...new Set([...Object.keys(upstream), ...Object.keys(stint)])].flatMap((index) => {
    const [theirs, ours] = [upstream[index] ?? [], stint[index] ?? []];
    const isNear =
      theirs.length === ours.length && theirs.every((ms, at) => Math.abs(ms - ours[at]!) <= GAP_TOLERANCE_MS);
    const list = (gaps: readonly number[]): string => gaps.map((ms) => (ms / 1000).toFixed(1)).join(", ") || "none";
    return isNear
      ? []
      : [
          {
            aspect: "gaps" as const,
            text: `${index === "-" ? "" : `index ${index}: `}upstream ${list(theirs)} s, Stint ${list(ours)} s`,
          },
        ];
  });
}
