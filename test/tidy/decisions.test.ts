/** The rows of the engine's decisions: that each is well-formed, which the engine relies on and never checks. */
import { describe, expect, test } from "vitest";
import { type DecisionRow, readDecisionRows } from "../../scripts/decision-rows.ts";
import { read } from "./sources.ts";

const rows = readDecisionRows();

/** Of assembly/model/recent-decisions.ts, and MAX_NUMBERS of assembly/explain/standing.ts. */
const MAX_TRACED_NUMBERS = 4;
const MAX_NUMBERS = 6;
/** What assembly/trace/sentence.ts puts in the place of `{again}`. */
const AGAIN = /^const AGAIN = literal\("(.*)"\);$/m.exec(read("assembly/trace/sentence.ts"))![1]!;

function faultsOf({ name, isDecision, numbers, explainedNumbers, sentence }: DecisionRow): string[] {
  const all = [...numbers, ...explainedNumbers];
  const whole = sentence.replace("{again}", AGAIN);
  const faults: string[] = [];
  for (const [, placeholder] of whole.matchAll(/\{([^}]*)\}/g)) {
    const [number, format] = placeholder!.split(":") as [string, string?];
    if (number !== "text" && !all.includes(number)) faults.push(`it has no number ${number}`);
    if (format !== undefined && !["span", "clock", "s", "times"].includes(format)) faults.push(`no format ${format}`);
  }
  // A part that may go is told by the number in it, and parts do not stand in one another.
  const rest = whole.replace(/\[[^[\]{]*\{\w+(:\w+)?\}[^[\]]*\]/g, "").replace(/\{\w+(:\w+)?\}/g, "");
  if (/[[\]{}]/.test(rest)) faults.push(`brackets that do not match: ${rest}`);
  if (!/^[\x20-\x7e]{10,}$/.test(sentence)) faults.push("a sentence is ASCII, and says something");
  if (all.some((number) => !/^[a-z]+([A-Z][a-z]*)*$/.test(number))) faults.push("names of numbers are letters alone");
  if ((isDecision && numbers.length > MAX_TRACED_NUMBERS) || all.length > MAX_NUMBERS)
    faults.push("it has too many numbers");
  if (!isDecision && explainedNumbers.length > 0) faults.push("all its numbers are those of an explanation");
  if (sentence.includes("{again}") !== explainedNumbers.includes("tries")) faults.push("{again} goes with tries");
  return faults.map((fault) => `${name}: ${fault}`);
}

describe("the rows of decisions", () => {
  test("are well-formed, each with a name of its own", () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.flatMap(faultsOf)).toEqual([]);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });

  test("the rule catches what is not", () => {
    const row = (numbers: string, sentence: string, kind = "decision") =>
      readDecisionRows(`export const ONE_TWO = ${kind}("OneTwo", "${numbers}", "${sentence}");\n`).flatMap(faultsOf);
    expect(row("pods", "creating {pods} pod{pods:s}")).toEqual([]);
    expect(row("pods", "creating {pod} pods")).toHaveLength(1);
    expect(row("pods", "creating {pods:spam} pods")).toHaveLength(1);
    expect(row("pods", "creating pods[, {pods} of them")).toHaveLength(1);
    expect(row("pods", "creating pods[, and more]")).toHaveLength(1);
    expect(row("a,b,c,d,e", "creating pods")).toHaveLength(1);
    expect(row("a,b;c", "creating pods", "standing")).toHaveLength(1);
    expect(row("status", "creating a pod failed{again}")).not.toEqual([]);
    expect(row("status2", "creating pods")).toHaveLength(1);
    expect(() => row('"', "creating pods")).toThrow("is no row");
    expect(() => readDecisionRows('export const ONE = decision("Two", "", "creating pods");')).toThrow("same words");
  });
});
