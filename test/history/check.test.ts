/**
 * The checker of histories: it finds nothing in those of upstream's controller and of Stint on a real API server, and
 * in each mutilated one what is wrong with it. test/vectors/histories/ is made by test/parity/record-histories.ts.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { checkHistory, describeVerdict, RULES } from "./check.ts";
import { type Line, parseHistory } from "./format.ts";
import { bornAt, History } from "./history.ts";
import { readIndexes, writeIndexes } from "./indexes.ts";
import { MUTILATIONS } from "./mutilations.ts";

const MIN_MUTILATIONS = 12;
const recorded = (program: string): Line[] =>
  parseHistory(readFileSync(resolve(import.meta.dirname, `../vectors/histories/${program}.jsonl`), "utf8"));
const rulesBroken = (lines: readonly Line[]): string[] => [
  ...new Set(checkHistory(lines).findings.map(({ rule }) => rule)),
];

describe.each(["upstream", "stint"])("a history of %s", (program) => {
  const lines = recorded(program);

  test("keeps all rules", () => {
    const verdict = checkHistory(lines);
    expect(verdict).toMatchObject({ findings: [], counts: { jobs: 4 } });
    expect(verdict.counts.pods).toBeGreaterThanOrEqual(10);
    expect(describeVerdict(verdict)).toContain(`keeps all ${RULES.length} rules: 4 Jobs`);
  });

  test("says the same in any order of its lines", () => {
    expect(checkHistory([lines[0]!, ...lines.slice(1).toReversed()])).toEqual(checkHistory(lines));
  });

  test.each(MUTILATIONS)("in which $deed breaks: $breaks", ({ breaks, of }) => {
    expect(rulesBroken(of(lines))).toContain(breaks);
  });
});

describe("the rules", () => {
  test("each is broken by a mutilation", () => {
    const broken = new Set(MUTILATIONS.map(({ breaks }) => breaks));
    expect(RULES.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
    expect(MUTILATIONS.length).toBeGreaterThanOrEqual(MIN_MUTILATIONS);
  });

  test("have unique names", () => {
    const names = RULES.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

describe("what a controller cannot know is not held against it", () => {
  const extra = MUTILATIONS.find(({ breaks }) => breaks.startsWith("no more pods"))!;
  const lines = recorded("stint");
  const isExtra = (name = ""): boolean => name.endsWith("-again");
  const creations = (some: readonly Line[]): string[] =>
    rulesBroken(some).filter((rule) => rule.startsWith("no more pods"));

  test("a pod that another process made at the same time", () => {
    const other = extra.of(lines).map((line): Line => {
      if (line.line === "history")
        return { ...line, controllers: [...line.controllers, { user: "other", program: "stint" }] };
      return line.line === "write" && isExtra(line.name) ? { ...line, user: "other" } : line;
    });
    expect(creations(other)).toEqual([]);
  });

  test("but one that was there when it listed for the first time", () => {
    const pod = [...new History(extra.of(lines)).pods.values()].find(({ name }) => isExtra(name))!;
    const list: Line = { line: "read", user: "other", resource: "pods", sentMs: Infinity, isConsistent: true };
    const other = extra.of(lines).map((line): Line => {
      if (line.line === "history")
        return { ...line, controllers: [...line.controllers, { user: "other", program: "stint" }] };
      return line.line === "write" && isExtra(line.name) ? { ...line, user: "other" } : line;
    });
    expect(bornAt(pod)).toBeGreaterThan(0);
    expect(creations([...other, list])).toHaveLength(1);
  });

  test("a request that came to the server when it had been given up", () => {
    expect(
      creations(
        extra
          .of(lines)
          .map((line): Line => (line.line === "write" && isExtra(line.name) ? { ...line, isLate: true } : line)),
      ),
    ).toEqual([]);
  });

  test("a change by a request whose answer says nothing", () => {
    const written = lines.find((line) => line.line === "write" && line.verb === "patch" && line.resource === "pods");
    const gatewayTimeout = lines.map((line): Line => {
      if (line !== written || line.line !== "write") return line;
      const { uid: _uid, resourceVersion: _version, ...rest } = line;
      return { ...rest, status: 504 };
    });
    expect(rulesBroken(lines.filter((line) => line !== written))).toEqual(["every change has its writer"]);
    expect(rulesBroken(gatewayTimeout)).toEqual([]);
  });

  test("a pod that a user took the finalizer of", () => {
    const early = MUTILATIONS.find(({ deed }) => deed.startsWith("the status that names"))!;
    const strips = new Set(
      new History(lines).writes.filter(
        ({ verb, resource, subresource }) => verb === "patch" && resource === "pods" && subresource === undefined,
      ),
    );
    const byHand = early
      .of(lines)
      .map((line): Line => (line.line === "write" && strips.has(line) ? { ...line, user: "another" } : line));
    expect(rulesBroken(byHand)).not.toContain(early.breaks);
  });
});

describe("a history that cannot be read", () => {
  const header = '{"line":"history","format":1,"server":"v1","controllers":[]}';

  test.each([
    ["", "line 1 is missing; allowed is a line of the kind history"],
    ['{"line":"read"}', "line 1 is read; allowed is a line of the kind history"],
    [header.replace("1", "2"), "line 1 says format 2; this program reads format 1"],
    [`${header}\n{"line":"rumour"}`, 'line 2 is of the kind "rumour"; allowed are history, write, read, event'],
    [`${header}\n{`, "line 2 is no JSON: "],
  ])("%j says what is wrong", (text, message) => {
    expect(() => parseHistory(text)).toThrow(message);
  });
});

describe("completion indexes", () => {
  test.each(["", "0", "0,1", "0-2", "1,3,4,6-9"])("%j is read and written", (text) => {
    expect(writeIndexes(readIndexes(text)!)).toBe(text);
  });

  test.each(["1,0", "0,0", "0-1", "0,1,2", "2-1", "-1", "a", "0,", "00"])("%j is none", (text) => {
    expect(readIndexes(text)).toBeUndefined();
  });
});
