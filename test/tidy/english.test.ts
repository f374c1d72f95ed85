/**
 * Words that hide who does something, counted over sources, documents and texts. A count only falls: what is written
 * anew names the agent and uses the field's own term. CONTRIBUTING.md, "English", has the rule.
 */
import { describe, expect, it } from "vitest";
import { files, read } from "./sources.ts";

interface Marker {
  readonly word: string;
  readonly pattern: RegExp;
  readonly instead: string;
  /** How many there are at most. Lower it when you have replaced some; it never rises. */
  readonly most: number;
}

/** So far below its limit a count may be before the limit is to be lowered. */
const SLACK = 20;

const MARKERS: readonly Marker[] = [
  {
    word: "somebody, nobody",
    pattern: /\b(?:somebody|nobody)\b/gi,
    instead: "the agent: the user, the caller, the controller, the kubelet",
    most: 45,
  },
  {
    word: "of its own",
    pattern: /\bof (?:its|their) own\b/gi,
    instead: '"its own …", "a separate …", or nothing',
    most: 16,
  },
  {
    word: "is told",
    pattern: /\b(?:is|are|was|were|be|been) told\b/gi,
    instead: "is reported, logged, printed, sent, passed",
    most: 3,
  },
  { word: "by itself", pattern: /\bby itself\b/gi, instead: "automatically, alone", most: 11 },
  { word: "seldom", pattern: /\bseldom\b/gi, instead: "rarely, lazy, cold", most: 2 },
  { word: "mend", pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: "fix, repair", most: 0 },
  { word: "whoever", pattern: /\bwhoever\b/gi, instead: "the agent", most: 4 },
];

/** Texts of others, what this rule is about, and what no change of words may touch. */
const EXCEPTIONS =
  /^(docs\/spec\/|test\/vectors\/|test\/tidy\/english|CHANGELOG\.md|package-lock|test\/kubernetes\/.*\.json)/;

const texts = files
  .filter((file) => /\.(ts|tsx|mjs|md|go|py|rs|yaml|html|css)$/.test(file) && !EXCEPTIONS.test(file))
  .map(read);

function countOf(pattern: RegExp, contents: readonly string[]): number {
  return contents.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
}

describe("English", () => {
  it.each(MARKERS)("says no more often than before: $word", ({ pattern, instead, most }) => {
    expect(texts.length).toBeGreaterThan(1_000);
    const count = countOf(pattern, texts);
    expect(count, `write ${instead}`).toBeLessThanOrEqual(most);
    expect(count, `lower the limit of ${most}`).toBeGreaterThan(most - SLACK);
  });

  it("is counted word by word", () => {
    const counts = MARKERS.map(({ pattern }) =>
      countOf(pattern, [
        "Nobody is told seldom of its own mending by itself, whoever it is.",
        "It goes on anew where it stands.",
        "The controller deletes it.",
      ]),
    );
    expect(counts).toEqual(MARKERS.map(() => 1));
  });
});
