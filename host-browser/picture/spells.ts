/** What was wrong with the controller, from when to when: what the user did to it or to its API, for a while. */
import type { Timeline } from "./timeline.ts";

export interface Spell {
  readonly kind: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Kinds of actions, and what the controller does meanwhile. */
export const SPELL_WORDS: Readonly<Record<string, string>> = {
  "restart-controller": "is down",
  "api-errors": "gets errors",
  "slow-api": "gets late answers",
};

/** In the order of their beginnings. */
export function spellsOf({ flags }: Timeline): Spell[] {
  return flags.flatMap(({ kind, atMs, untilMs, problem }) =>
    SPELL_WORDS[kind] === undefined || problem !== undefined ? [] : [{ kind, fromMs: atMs, untilMs: untilMs ?? atMs }],
  );
}

/** `runs`, or what is wrong at an instant. */
export function controllerWord(timeline: Timeline, atMs: number): string {
  const spells = spellsOf(timeline).filter(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
  return [...new Set(spells.map(({ kind }) => SPELL_WORDS[kind]))].join(", ") || "runs";
}
