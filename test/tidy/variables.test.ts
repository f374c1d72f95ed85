/**
 * The variables of the environment that this project reads and that are no settings are in one list, so no command
 * warns of one as of a setting that is misspelt. Leaves out shell scripts, which CONTRIBUTING.md speaks for.
 */
import { expect, test } from "vitest";
import { OTHER_VARIABLES } from "../../host-node/settings/read-settings.ts";
import { files, read } from "./sources.ts";

/** In TypeScript, Python and Go. What sets a variable reads none. */
const READS =
  /(?:process\.env(?:\.|\[")|environment\["|environ\.get\("|environ\["|(?:Getenv|LookupEnv)\(")(STINT_[A-Z_]+)\b(?!"?\]?\s*=[^=])/g;

const readIn = (source: string): string[] => [...source.matchAll(READS)].map(([, name]) => name!);
/** This file reads none. */
const sources = files.filter((file) => /\.(ts|mjs|py|go)$/.test(file) && file !== "test/tidy/variables.test.ts");

test("every variable that a program of this project reads is in the list", () => {
  const found = new Set(sources.flatMap((file) => readIn(read(file))));
  expect(found.size).toBeGreaterThan(8);
  expect([...found].filter((name) => !OTHER_VARIABLES.has(name))).toEqual([]);
});

test("every variable that CONTRIBUTING.md names is in the list, and each in the list is in a file", () => {
  const named = [...read("CONTRIBUTING.md").matchAll(/\bSTINT_[A-Z_]+\b/g)].map(([name]) => name);
  expect(named.filter((name) => !OTHER_VARIABLES.has(name))).toEqual([]);
  const texts = [".ci/run", ...sources].map(read);
  const isSomewhere = (name: string): boolean => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text));
  expect([...OTHER_VARIABLES].filter((name) => !isSomewhere(name))).toEqual([]);
});

test("the rule finds what reads one, in each language", () => {
  expect(readIn('process.env["STINT_A"] ?? environment["STINT_B"] + process.env.STINT_C')).toHaveLength(3);
  expect(readIn('os.environ.get("STINT_A", "") os.environ["STINT_B"] os.Getenv("STINT_C")')).toHaveLength(3);
  expect(readIn('process.env["STINT_A"] = "x"; process.env.STINT_B = "y"')).toEqual([]);
});
