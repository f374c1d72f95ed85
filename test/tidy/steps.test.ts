/**
 * A kind of request is one file in assembly/steps/ and one line in its table. A step without a line compiles and is
 * never asked; here it is found.
 */
import { describe, expect, test } from "vitest";
import { files, read } from "./sources.ts";

const FOLDER = "assembly/steps/";
const TABLE = `${FOLDER}table.ts`;

interface Place {
  readonly file: string;
  readonly source: string;
}

const stepsOf = (places: readonly Place[]): string[] =>
  places.flatMap(({ file, source }) =>
    [...source.matchAll(/^export class (\w+) extends Step\b/gm)].map(([, name]) => `${file}: ${name!}`),
  );

const isInTable = (table: string, step: string): boolean => table.includes(`  new ${step.split(": ")[1]!}(`);

/** Both sides of a request, or what is missing of them. */
function missingIn({ file, source }: Place): string[] {
  const pairs = [
    ["handOut", "settle"],
    ["handOutBeside", "settleBeside"],
  ];
  const has = (name: string) => source.includes(`\n  ${name}(`);
  return pairs.some((pair) => pair.every(has)) ? [] : [file];
}

describe("assembly/steps", () => {
  const places = files
    .filter((file) => file.startsWith(FOLDER))
    .map((file) => ({ file, source: read(file) }))
    .filter((place) => stepsOf([place]).length > 0);

  test("has each kind of request in the table", () => {
    expect(places.length).toBeGreaterThan(10);
    expect(stepsOf(places).filter((step) => !isInTable(read(TABLE), step))).toEqual([]);
  });

  test("has one kind of request in a file, with how it is asked for and what its answer means", () => {
    expect(places.filter((place) => stepsOf([place]).length > 1)).toEqual([]);
    expect(places.flatMap(missingIn)).toEqual([]);
  });

  test("the rules catch what they forbid", () => {
    const place = { file: `${FOLDER}a.ts`, source: "export class A extends Step {\n  handOut(\n" };
    expect(stepsOf([place])).toEqual([`${FOLDER}a.ts: A`]);
    expect(isInTable("  new Ab(PHASE_CLAIM),", `${FOLDER}a.ts: A`)).toBe(false);
    expect(missingIn(place)).toEqual([place.file]);
    expect(missingIn({ ...place, source: `${place.source}\n  settle(\n` })).toEqual([]);
  });
});
